package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/sdk/api"
)

// The resources. Those of one object end with its id or slug.
const (
	brandURI      = "svc://brand"
	eventTypesURI = "svc://event-types"
	postURI       = "svc://posts/"
	articleURI    = "svc://helpdesk/"
)

// offered returns the row behind a resource or prompt, nil when there is none
// or the caller may not call it.
func (h *Handler) offered(name string, c choice) *op.Op {
	o := h.table.Lookup(name)
	if o == nil || o.Session > 0 || o.Scope&^c.scopes != 0 {
		return nil
	}
	return o
}

func (h *Handler) addResources(s *mcpsdk.Server, c choice) {
	if o := h.offered("brand.get", c); o != nil {
		s.AddResource(&mcpsdk.Resource{
			URI: brandURI, Name: "brand", Title: "Brand facts", MIMEType: "application/json",
			Description: "What generated content may say about the team, and how it writes.",
		}, h.readJSON(o))
	}
	if o := h.offered("events.types", c); o != nil {
		s.AddResource(&mcpsdk.Resource{
			URI: eventTypesURI, Name: "event-types", Title: "Event types", MIMEType: "application/json",
			Description: "The types of the team's event log, each with the schema of its object.",
		}, h.readJSON(o))
	}
	if o := h.offered("posts.get", c); o != nil {
		s.AddResourceTemplate(&mcpsdk.ResourceTemplate{
			URITemplate: postURI + "{id}", Name: "post", Title: "Post", MIMEType: "text/markdown",
			Description: "A post whole: its content as Markdown, then its other fields as JSON.",
		}, h.readDocument(o, postURI, "id"))
	}
	if o := h.offered("helpdesk.articles.getBySlug", c); o != nil {
		s.AddResourceTemplate(&mcpsdk.ResourceTemplate{
			URITemplate: articleURI + "{slug}", Name: "article", Title: "Help article", MIMEType: "text/markdown",
			Description: "A help article whole: its content as Markdown, then its other fields as JSON.",
		}, h.readDocument(o, articleURI, "slug"))
	}
}

func (h *Handler) readJSON(o *op.Op) mcpsdk.ResourceHandler {
	return func(ctx context.Context, req *mcpsdk.ReadResourceRequest) (*mcpsdk.ReadResourceResult, error) {
		uri := req.Params.URI
		value, err := h.read(ctx, o, nil)
		if err != nil {
			return nil, resourceError(ctx, uri, err)
		}
		body, err := op.Encode(nil, value)
		if err != nil {
			return nil, resourceError(ctx, uri, err)
		}
		return contents(data(uri, "application/json", string(body))), nil
	}
}

// readDocument answers with what has HTML content: the row o finds it by the
// part of its address behind prefix.
func (h *Handler) readDocument(o *op.Op, prefix, param string) mcpsdk.ResourceHandler {
	return func(ctx context.Context, req *mcpsdk.ReadResourceRequest) (*mcpsdk.ReadResourceResult, error) {
		uri := req.Params.URI
		name := strings.TrimPrefix(uri, prefix)
		if name == "" {
			return nil, mcpsdk.ResourceNotFoundError(uri)
		}
		value, err := h.read(ctx, o, map[string]string{param: name})
		if err != nil {
			return nil, resourceError(ctx, uri, err)
		}
		markdown, fields, err := renderDocument(value)
		if err != nil {
			return nil, resourceError(ctx, uri, err)
		}
		return contents(data(uri, "text/markdown", markdown), data(uri, "application/json", fields)), nil
	}
}

func renderDocument(value any) (markdown, fields string, err error) {
	var content string
	switch v := value.(type) {
	case api.Post:
		content, v.Content = v.Content, ""
		value = v
	case api.Article:
		content, v.Content = v.Content, ""
		value = v
	default:
		return "", "", fmt.Errorf("render: %T has no content", value)
	}
	markdown, err = safehtml.ToMarkdown(content)
	if errors.Is(err, safehtml.ErrDense) {
		markdown, err = safehtml.Sanitize(content), nil // HTML is Markdown too
	}
	if err != nil {
		return "", "", fmt.Errorf("render as Markdown: %w", err)
	}
	b, err := op.Encode(nil, value)
	if err != nil {
		return "", "", fmt.Errorf("encode the other fields: %w", err)
	}
	return markdown, string(b), nil
}

// read calls the row behind a resource or prompt.
func (h *Handler) read(ctx context.Context, o *op.Op, args map[string]string) (any, error) {
	v := visitOf(ctx)
	ctx, release := v.bound(ctx)
	defer release()
	body, err := op.Encode(nil, args)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	res, refused := h.table.Call(ctx, op.Request{Op: o, Caller: v.caller, Args: op.Args{Body: body}})
	if refused != nil {
		return nil, refused
	}
	return o.Answer(res)
}

func resourceError(ctx context.Context, uri string, err error) error {
	if e, ok := errors.AsType[*api.Error](err); ok && e.Status == http.StatusNotFound {
		return mcpsdk.ResourceNotFoundError(uri)
	}
	return rpcRefusal(ctx, err)
}

func contents(c ...*mcpsdk.ResourceContents) *mcpsdk.ReadResourceResult {
	return &mcpsdk.ReadResourceResult{Contents: c}
}

// data is content of the team's, marked as such.
func data(uri, mime, text string) *mcpsdk.ResourceContents {
	return &mcpsdk.ResourceContents{URI: uri, MIMEType: mime, Text: text, Meta: mcpsdk.Meta{untrusted: true}}
}
