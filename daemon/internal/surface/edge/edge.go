// Package edge is what all surfaces share about HTTP: who a request comes from,
// which pages may send it, how a refusal looks and what a client may still do. It
// knows neither operations nor the protocols above HTTP.
package edge

import (
	"bytes"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// RequestIDHeader carries the id of a request.
const RequestIDHeader = "X-Request-Id"

// RequestID is the id that the guard gave the request.
func RequestID(ctx *fasthttp.RequestCtx) string {
	return string(ctx.Response.Header.Peek(RequestIDHeader))
}

// Credential is what the Authorization header names, nil without one or in another
// scheme. It is valid as long as h. Two such headers are a confusion that the guard
// refuses before.
func Credential(h *fasthttp.RequestHeader) []byte {
	scheme, credential, _ := bytes.Cut(h.Peek(fasthttp.HeaderAuthorization), []byte(" "))
	credential = bytes.TrimSpace(credential)
	if len(credential) == 0 || !bytes.EqualFold(scheme, []byte("Bearer")) {
		return nil
	}
	return credential
}

// Bearer returns the credential of the Authorization header, or refuses with
// missing_key. The string does not alias the request.
func Bearer(ctx *fasthttp.RequestCtx) (string, error) {
	credential := Credential(&ctx.Request.Header)
	if credential == nil {
		return "", api.NewError(401, api.CodeMissingKey, "Send the credential as Authorization: Bearer ….")
	}
	return string(credential), nil
}

// SameOrigin reports whether a browser's request comes from the daemon's own pages
// or from those of a listed origin, as net/http's CrossOriginProtection decides it.
// A request without a word of its origin is not a browser's.
func SameOrigin(ctx *fasthttp.RequestCtx, listed ...string) bool {
	if len(origin(ctx)) == 0 && len(fetchSite(ctx)) == 0 {
		return true
	}
	return slices.Contains(listed, string(origin(ctx))) || string(fetchSite(ctx)) == "none" || OwnForm(ctx)
}

// OwnForm reports whether a browser says that a page of this host sent the request.
// Every browser says one or the other.
func OwnForm(ctx *fasthttp.RequestCtx) bool {
	switch string(fetchSite(ctx)) {
	case "same-origin":
		return true
	case "":
		return SameHost(string(origin(ctx)), string(ctx.Host()))
	}
	return false
}

func origin(ctx *fasthttp.RequestCtx) []byte { return ctx.Request.Header.Peek(fasthttp.HeaderOrigin) }

func fetchSite(ctx *fasthttp.RequestCtx) []byte { return ctx.Request.Header.Peek("Sec-Fetch-Site") }

// SameHost reports whether an http address, such as an origin, is of a host.
func SameHost(address, host string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

// Loopback reports whether a host, with or without its port, is this machine.
func Loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
