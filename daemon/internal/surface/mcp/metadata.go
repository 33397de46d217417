package mcp

import (
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// metadata is the part of a protected resource's metadata that is of use here.
type metadata struct {
	Resource      string   `json:"resource"`
	Name          string   `json:"resource_name"`
	Scopes        []string `json:"scopes_supported"`
	BearerMethods []string `json:"bearer_methods_supported"`
}

// ServeMetadata answers a request for MetadataPath (RFC 9728): what this
// resource is and how it wants its keys. No authorization server is named,
// because keys are made by people.
func (h *Handler) ServeMetadata(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() && !ctx.IsHead() {
		ctx.Response.Header.Set("Allow", "GET, HEAD")
		h.refuse(ctx, api.NewError(405, api.CodeMethodNotAllowed, "This path allows GET, HEAD."))
		return
	}
	ctx.SetContentType("application/json")
	ctx.Response.Header.Set("Access-Control-Allow-Origin", "*")
	writeJSON(ctx, metadata{
		Resource: h.baseURL(ctx) + Path, Name: "svc",
		Scopes: op.ScopeNames(), BearerMethods: []string{"header"},
	})
}

func (h *Handler) baseURL(ctx *fasthttp.RequestCtx) string {
	if h.opt.BaseURL != "" {
		return strings.TrimSuffix(h.opt.BaseURL, "/")
	}
	scheme := "http://"
	if ctx.IsTLS() {
		scheme = "https://"
	}
	return scheme + string(ctx.Host())
}
