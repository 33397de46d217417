package daemon

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/daemon/internal/surface/guard"
	"edgesvc.dev/svc/daemon/internal/surface/rest"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
	"edgesvc.dev/svc/widget"
)

// Body limits by surface.
const (
	jsonBody  = 2 << 20
	mcpBody   = 1 << 20
	mediaBody = 10 << 20
	mcpPath   = "/svc-api/mcp"
	mediaPath = rest.Prefix + "/media"
)

var secretLike = regexp.MustCompile(`(svc_|sess_|link_)[0-9A-Za-z]{20,}`)

// route answers a request and, at the debug level, logs it: the path without the
// query, for that can hold the token of a sign-in link, and without what looks
// like a secret that was put there by mistake.
func (d *Daemon) route(ctx *fasthttp.RequestCtx) {
	begun := time.Now()
	if _, err := d.client(ctx); err != nil {
		edge.Refuse(ctx, unknownClient())
		trpc.Reshape(ctx)
	} else {
		d.dispatch(ctx)
	}
	if log := slog.Default(); log.Enabled(d.ctx, slog.LevelDebug) {
		log.Debug("request", "method", string(ctx.Method()), "path", secretLike.ReplaceAllString(string(ctx.Path()), "${1}…"), "status", ctx.Response.StatusCode(),
			"took", time.Since(begun), "address", d.address(ctx), "request", edge.RequestID(ctx))
	}
}

// dispatch sends a request to its surface.
func (d *Daemon) dispatch(ctx *fasthttp.RequestCtx) {
	path := string(ctx.Path())
	switch {
	case path == mcpPath:
		d.mcp.Serve(ctx)
	case strings.HasPrefix(path, "/.well-known/oauth-protected-resource"):
		d.mcp.ServeMetadata(ctx)
	case path == trpc.Prefix, strings.HasPrefix(path, trpc.Prefix+"/"):
		d.trpc.Serve(ctx)
	case path == widget.ScriptPath, strings.HasPrefix(path, widget.PagePrefix), strings.HasPrefix(path, widget.WirePrefix):
		d.widget.Serve(ctx)
	case path == trpc.TypesPath:
		d.trpc.ServeTypes(ctx)
	case strings.HasPrefix(path, "/svc-api/"):
		d.rest.Serve(ctx)
	case path == "/healthz", path == "/readyz":
		d.health(ctx, path == "/readyz")
	case path == "/sign-in":
		d.signIn(ctx)
	default:
		d.public.Handle(ctx)
	}
}

// bodyLimit allows large bodies only where a route and a credential call for
// them, so that strangers cannot make the daemon set memory aside.
func (d *Daemon) bodyLimit(h *fasthttp.RequestHeader) int {
	path, _, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	bearer := edge.Credential(h)
	switch key := bytes.HasPrefix(bearer, []byte("svc_")); {
	case key && string(path) == mediaPath:
		return mediaBody
	case key && string(path) == mcpPath:
		return mcpBody
	case key && bytes.HasPrefix(path, []byte(rest.Prefix)):
		return jsonBody
	case !key && (bytes.HasPrefix(bearer, []byte("sess_")) || len(d.cookie().Token(h)) > 0) &&
		bytes.HasPrefix(path, []byte(trpc.Prefix)):
		return jsonBody
	}
	return guard.SmallBody
}

// holder is the team that a request's credential acts for, "" for a stranger.
func (d *Daemon) holder(h *fasthttp.RequestHeader) string {
	bearer := edge.Credential(h)
	if bearer == nil {
		bearer = d.cookie().Token(h)
	}
	if len(bearer) == 0 {
		return ""
	}
	return d.access.Whose(d.ctx, string(bearer))
}

// cookie is how browsers keep a session here.
func (d *Daemon) cookie() edge.Cookie {
	return edge.Cookie{Secure: d.cfg.TLS() || strings.HasPrefix(strings.ToLower(d.base), "https:")}
}

// own reports whether an answer was made for its request alone: those of the
// API. Pages, scripts and pictures are shared.
func own(ctx *fasthttp.RequestCtx) bool {
	path := ctx.Path()
	return bytes.HasPrefix(path, []byte(rest.Prefix)) || bytes.HasPrefix(path, []byte(trpc.Prefix)) || string(path) == mcpPath
}

// refused says why a large body was not read where that is not its size: the
// credential, as it would have been told with a small one. It counts as a guess
// like any other.
func (d *Daemon) refused(ctx *fasthttp.RequestCtx) {
	h := &ctx.Request.Header
	if ctx.Response.StatusCode() == fasthttp.StatusRequestEntityTooLarge && d.bodyLimit(h) > guard.SmallBody {
		if err := d.unknown(ctx); err != nil {
			edge.Refuse(ctx, err)
		}
	}
	trpc.Reshape(ctx)
}

// unknown is the refusal of the request's client or credential, nil for good
// ones.
func (d *Daemon) unknown(ctx *fasthttp.RequestCtx) error {
	if _, err := d.client(ctx); err != nil {
		return unknownClient()
	}
	if bytes.HasPrefix(ctx.Request.Header.RequestURI(), []byte(trpc.Prefix)) {
		_, err := d.rest.Member(ctx, false)
		return err
	}
	bearer, err := edge.Bearer(ctx)
	if err == nil {
		_, err = d.access.Authenticate(d.ctx, bearer, d.address(ctx))
	}
	return err
}

// sameOrigin reports whether a browser's request comes from the daemon's own pages.
func (d *Daemon) sameOrigin(ctx *fasthttp.RequestCtx) bool {
	return edge.SameOrigin(ctx, d.cfg.Origins...)
}

func (d *Daemon) health(ctx *fasthttp.RequestCtx, ready bool) {
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.Response.Header.SetContentType("application/json")
	switch {
	case d.store.Err() != nil:
		ctx.SetStatusCode(503)
		ctx.SetBodyString(`{"status":"failing"}`)
	case ready && d.draining.Load():
		ctx.SetStatusCode(503)
		ctx.SetBodyString(`{"status":"stopping"}`)
	default:
		ctx.SetBodyString(`{"status":"ok"}`)
	}
}

// linkToken is what may stand in a command that is copied to a terminal.
var linkToken = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// signIn shows how to use a sign-in link. Looking at it does not use it up.
func (d *Daemon) signIn(ctx *fasthttp.RequestCtx) {
	command := ""
	if token := string(ctx.QueryArgs().Peek("token")); linkToken.MatchString(token) {
		command = "svcctl login '" + d.base + "/sign-in?token=" + token + "'"
	}
	d.public.SignIn(ctx, command)
}
