// Package widget is the chat that visitors see on any website: its script,
// written in TypeScript and bundled into dist, and the daemon's end of the wire,
// a websocket with server-sent events and POST as the way out where proxies
// break websockets.
//
// It moves frames and admits browsers. What a conversation is, who answers and
// what is stored it does not know: that is behind Desk.
package widget

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

//go:generate go run ./internal/bundle

// The addresses that a Handler answers, with everything below PagePrefix.
const (
	ScriptPath = "/widget.js"
	PagePrefix = "/widget/"
	WirePrefix = "/svc-api/widget/"
)

// Site is a website whose pages carry the widget.
type Site struct {
	Team string
	api.Site
	Origin string // of the page that was let in; "" is a client that is no browser
}

// Desk is who the frames are for.
type Desk interface {
	// Admit returns the site whose page has that origin, which is empty for a
	// client that is no browser. Its refusals are *api.Error: 404 for a site that
	// there is none of, 403 for an origin that is not the site's.
	Admit(ctx context.Context, siteID, origin string) (Site, error)
	// Visit begins with the client's first frame, hello. Refusals are *api.Error:
	// 401 for a visitor that the site has to prove and has not, 429 with
	// RetryAfter for one too many. Close of the visit is owed.
	Visit(ctx context.Context, site Site, hello api.ChatIn, address string) (Visit, error)
	// Call is Visit for a client that sends one frame and waits for its answer.
	Call(ctx context.Context, site Site, hello api.ChatIn, address string) (Visit, error)
}

// Visit is one client's part in its conversation. It is used by two goroutines
// at once.
type Visit interface {
	// Notify has wake called when Take has something, at once when it has already:
	// once from each Take to the next, and not after Close has returned. wake only
	// leaves word: it is called with locks held that Take needs.
	Notify(wake func())
	// Take returns the frames for the client since the last Take. A fatal error
	// is the last that a visit has to say.
	Take() []api.ChatOut
	// Receive acts on a frame of the client. An *api.Error is for the client to
	// see, and the visit goes on.
	Receive(ctx context.Context, f api.ChatIn) error
	Close()
}

// Options are what a Handler needs of the daemon.
type Options struct {
	Context context.Context // of everything that is looked up; ends with the daemon
	// Upgrade answers a websocket handshake and runs serve on the connection when
	// the request is gone.
	Upgrade func(ctx *fasthttp.RequestCtx, address, protocol string, serve func(context.Context, *websocket.Conn))
	// Stream serves a net/http handler whose answer may go on for long.
	Stream func(http.Handler) fasthttp.RequestHandler
	// Address is the client's.
	Address func(*fasthttp.RequestCtx) string
	// Pace counts a request of the fallback against its address and returns how long to wait before it is let through,
	// 0 for not at all.
	Pace func(address string) time.Duration
	// BaseURL is where browsers reach the daemon.
	BaseURL string
	// Host reports whether the daemon answers under a Host header. nil allows
	// every host on a public listener, and on a loopback one only loopback names
	// and that of BaseURL, against DNS rebinding.
	Host func(string) bool
	// DemoSite is the site of the demo page when its address names none; "" is
	// none.
	DemoSite func(context.Context) string
	// Idle closes a socket on which nothing was said for so long; 0 is an hour.
	Idle time.Duration
}

// Handler answers for the widget. It is safe for concurrent use.
type Handler struct {
	desk Desk
	opt  Options

	script, panel, style *file
	languages            languages

	stopping context.Context // ends in Close
	stop     context.CancelFunc
}

// New returns a handler. Close is owed.
func New(desk Desk, o Options) *Handler {
	if o.Idle == 0 {
		o.Idle = time.Hour
	}
	h := &Handler{
		desk: desk, opt: o, languages: readLanguages(),
		script: newFile("text/javascript; charset=utf-8", scriptCode), style: newFile("text/css; charset=utf-8", demoStyle),
		panel: newFile("text/css; charset=utf-8", panelStyle),
	}
	h.stopping, h.stop = context.WithCancel(o.Context)
	return h
}

// Close ends the streams, so that whoever waits for them does not wait long.
// The sockets are ended by who upgraded them.
func (h *Handler) Close() { h.stop() }

// Serve answers a request below one of the prefixes.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	path := string(ctx.Path())
	name, wire := strings.CutPrefix(path, WirePrefix)
	if !wire {
		h.serveFile(ctx, path)
		return
	}
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.Response.Header.Set("X-Content-Type-Options", "nosniff")
	route, ok := map[string]struct {
		method string
		serve  func(*fasthttp.RequestCtx, Site)
	}{
		"ws":     {http.MethodGet, h.serveSocket},
		"events": {http.MethodGet, h.serveEvents},
		"frames": {http.MethodPost, h.serveFrames},
		"config": {http.MethodGet, h.serveConfig},
	}[name]
	switch {
	case !ok:
		refuse(ctx, api.NewError(http.StatusNotFound, api.CodeNotFound, "There is nothing at this address."))
	case string(ctx.Method()) != route.method:
		ctx.Response.Header.Set("Allow", route.method)
		refuse(ctx, api.NewError(http.StatusMethodNotAllowed, api.CodeMethodNotAllowed, "Use %s here.", route.method))
	default:
		site, err := h.admit(ctx)
		if gone := name == "ws" && err != nil && err.Status == http.StatusNotFound; gone {
			h.turnAway(ctx)
		} else if err != nil {
			refuse(ctx, err)
		} else {
			route.serve(ctx, site)
		}
	}
}

// admit makes sure that the request is for this daemon and from a page of the
// site that it names.
func (h *Handler) admit(ctx *fasthttp.RequestCtx) (Site, *api.Error) {
	if !h.hostAllowed(ctx) {
		return Site{}, api.NewError(http.StatusForbidden, api.CodeOriginNotAllowed, "The daemon does not answer under this Host.")
	}
	origin := string(ctx.Request.Header.Peek("Origin"))
	if origin == "" {
		// Browsers leave it out of a GET within one origin. One without it from
		// elsewhere was made by no script that could read the answer.
		switch string(ctx.Request.Header.Peek("Sec-Fetch-Site")) {
		case "":
		case "same-origin":
			origin = h.own(ctx)
		default:
			return Site{}, api.NewError(http.StatusForbidden, api.CodeOriginNotAllowed, "Pages of other origins call with CORS.")
		}
	}
	site, err := h.desk.Admit(h.opt.Context, string(ctx.QueryArgs().Peek("site")), origin)
	if err != nil {
		return Site{}, refusal(err)
	}
	if given := ctx.Request.Header.Peek("Origin"); len(given) > 0 {
		ctx.Response.Header.SetBytesV("Access-Control-Allow-Origin", given)
	}
	ctx.Response.Header.Set("Vary", "Origin")
	return site, nil
}

// own is the daemon's origin as the browser has it in its address bar.
func (h *Handler) own(ctx *fasthttp.RequestCtx) string {
	scheme := "http"
	if u, err := url.Parse(h.opt.BaseURL); ctx.IsTLS() || err == nil && u.Scheme == "https" {
		scheme = "https"
	}
	return scheme + "://" + strings.ToLower(string(ctx.Host()))
}

func (h *Handler) hostAllowed(ctx *fasthttp.RequestCtx) bool {
	host := string(ctx.Host())
	if h.opt.Host != nil {
		return h.opt.Host(host)
	}
	u, err := url.Parse(h.opt.BaseURL)
	return !loopback(ctx.LocalAddr().String()) || loopback(host) || err == nil && strings.EqualFold(u.Host, host)
}

// loopback takes a host with or without its port.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
