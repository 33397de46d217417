package daemon

import (
	"net/netip"
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/sdk/api"
)

// client is the address that a request comes from. Behind a proxy it is the last
// value of the last X-Forwarded-For line: the one that our own proxy wrote,
// whether it adds to the client's line or a line of its own. A request that came
// past the proxy, such as a health check, has none and is the connection's.
func (d *Daemon) client(ctx *fasthttp.RequestCtx) (netip.Addr, error) {
	if d.cfg.BehindProxy {
		if lines := ctx.Request.Header.PeekAll(fasthttp.HeaderXForwardedFor); len(lines) > 0 {
			last := string(lines[len(lines)-1])
			return netaddr.Parse(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:]))
		}
	}
	return netaddr.Of(ctx.RemoteAddr()), nil
}

// address is client as text, for a request that route let in.
func (d *Daemon) address(ctx *fasthttp.RequestCtx) string {
	a, err := d.client(ctx)
	if err != nil {
		return ""
	}
	return a.String()
}

func unknownClient() *api.Error {
	return api.NewError(fasthttp.StatusBadRequest, api.CodeInvalidRequest,
		"The last value of X-Forwarded-For is not an IP address. The proxy in front of svcd must write the client's address there.")
}
