package rest

import (
	"bytes"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
)

func (h *Handler) serveContract(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() && !ctx.IsHead() {
		ctx.Response.Header.Set("Allow", "GET, HEAD")
		edge.Refuse(ctx, api.NewError(405, api.CodeMethodNotAllowed, "This path allows GET, HEAD."))
		return
	}
	ctx.Response.Header.SetContentType("application/vnd.oai.openapi+json;version=3.1")
	ctx.Response.Header.Set("Cache-Control", "public, max-age=300")
	ctx.Response.Header.Set("Access-Control-Allow-Origin", "*")
	ctx.Response.SetBody(h.docs())
}

// Contract returns the OpenAPI document as indented JSON.
func (h *Handler) Contract() []byte { return h.docs() }

// documentOnce renders the OpenAPI 3.1 document when it is first asked for: it
// is no work for the start.
func documentOnce(table *op.Table, extra []Route, o Options) func() []byte {
	return sync.OnceValue(func() []byte {
		doc := contract(table, extra, o)
		prune(doc)
		return render(doc)
	})
}

func render(doc *huma.OpenAPI) []byte {
	b, err := json.Marshal(doc, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		slog.Error("contract cannot be rendered", "err", err)
	}
	return b
}

// prune drops the schemas that nothing refers to: those of inputs whose members
// stand in the path or the query.
func prune(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	text := render(doc)
	for name := range schemas {
		if !bytes.Contains(text, []byte(`"#/components/schemas/`+name+`"`)) {
			delete(schemas, name)
		}
	}
}

func contract(table *op.Table, extra []Route, o Options) *huma.OpenAPI {
	reg := op.NewRegistry()
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "svc", Version: o.Version,
			Description: "Publishing, audience, commerce and live chat. Keys begin with svc_ and name the team that requests act on.",
			License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: strings.TrimSuffix(o.BaseURL, "/") + Prefix}},
		Components: &huma.Components{
			Schemas:         reg,
			Responses:       map[string]*huma.Response{},
			SecuritySchemes: map[string]*huma.SecurityScheme{"key": {Type: "http", Scheme: "bearer", Description: "A team API key, svc_…"}},
		},
		Security: []map[string][]string{{"key": {}}},
		Paths:    map[string]*huma.PathItem{},
	}
	tags := map[string]bool{}
	register(reg, table, extra)
	for _, row := range table.Ops {
		if row.Method != "" {
			o := describeRow(reg, row)
			refuse(doc, o, row)
			doc.AddOperation(o)
			tags[noun(row.Name)] = true
		}
	}
	for i := range extra {
		o := describeRoute(reg, &extra[i])
		refuse(doc, o, extra[i].asRow())
		doc.AddOperation(o)
		tags[noun(extra[i].Name)] = true
	}
	op.MarkNull(reg, "#/components/schemas/")
	for tag := range tags {
		doc.Tags = append(doc.Tags, &huma.Tag{Name: tag, Description: "Operations on " + tag + "."})
	}
	slices.SortFunc(doc.Tags, func(a, b *huma.Tag) int { return strings.Compare(a.Name, b.Name) })
	return doc
}

// register adds the schemas of all rows, so that what is said of them is
// where they are copied too.
func register(reg huma.Registry, table *op.Table, extra []Route) {
	for _, row := range table.Ops {
		if row.Method != "" {
			op.InputSchema(reg, row.InputType())
			op.OutputSchema(reg, row.OutputType())
		}
	}
	for i := range extra {
		if extra[i].Output != nil {
			op.OutputSchema(reg, extra[i].Output)
		}
	}
	op.MarkForms(reg, "#/components/schemas/")
}

func noun(name string) string {
	tag, _, _ := strings.Cut(name, ".")
	return tag
}

func describeRow(reg huma.Registry, row *op.Op) *huma.Operation {
	in := op.InputSchema(reg, row.InputType())
	o := operation(row.Name, row.Method, row.Path, row.Doc, row.Scope)
	body := *in
	body.Properties, body.Required = map[string]*huma.Schema{}, nil
	for _, name := range slices.Sorted(maps.Keys(in.Properties)) { // a map's own order differs from run to run
		s, required := in.Properties[name], slices.Contains(in.Required, name)
		switch {
		case strings.Contains(row.Path, "{"+name+"}"):
			p := parameter(name, "path", true, s)
			p.Description = row.Named(p.Description)
			p.Schema.Description = p.Description
			o.Parameters = append(o.Parameters, p)
		case !row.TakesBody():
			if name != "ifMatch" {
				o.Parameters = append(o.Parameters, parameter(name, "query", required, s))
			}
		case name == "ifMatch":
		default:
			body.Properties[name] = s
			if required {
				body.Required = append(body.Required, name)
			}
		}
	}
	slices.SortFunc(o.Parameters, func(a, b *huma.Param) int { return strings.Compare(a.In+a.Name, b.In+b.Name) })
	if !row.ReadOnly() {
		o.Parameters = append(o.Parameters, writeHeaders(row)...)
	}
	switch len(body.Properties) {
	case 0:
	case len(in.Properties):
		o.RequestBody = &huma.RequestBody{Required: true, Content: content("application/json", reg.Schema(row.InputType(), true, ""))}
	default:
		o.RequestBody = &huma.RequestBody{Required: true, Content: content("application/json", &body)}
	}
	answers(reg, o, row)
	return o
}

func parameter(name, in string, required bool, s *huma.Schema) *huma.Param {
	plain := *s
	return &huma.Param{Name: name, In: in, Required: required, Description: plain.Description, Schema: &plain}
}

func writeHeaders(row *op.Op) []*huma.Param {
	var ps []*huma.Param
	if row.Method == http.MethodPost && row.KeepsAnswer() {
		ps = append(ps, idempotencyKey())
	}
	if row.Takes("ifMatch") {
		ps = append(ps, &huma.Param{Name: "If-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "ETag of the version that the change is meant for."})
	}
	return ps
}

func idempotencyKey() *huma.Param {
	return &huma.Param{Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "Repeats within 24 hours answer as the first request did."}
}

func operation(name, method, path, doc string, scope op.Scope) *huma.Operation {
	summary, _, _ := strings.Cut(doc, ". ")
	o := &huma.Operation{
		OperationID: name, Method: method, Path: path, Tags: []string{noun(name)},
		Summary: strings.TrimSuffix(summary, "."), Description: doc,
		Responses: map[string]*huma.Response{},
	}
	if scope != 0 {
		o.Description += " Needs the scope " + scope.String() + "."
	}
	return o
}

func content(media string, s *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{media: {Schema: s}}
}

type (
	withStatus  interface{ HTTPStatus() int }
	withVersion interface{ ETagVersion() int }
)

// answers documents success. Each alternative of an answer that has several
// comes with its own status, the row's unless its type says another.
func answers(reg huma.Registry, o *huma.Operation, row *op.Op) {
	t := row.OutputType()
	s := op.OutputSchema(reg, t)
	if len(s.OneOf) == 0 {
		document(o, statusOf(t, row.Status), s)
	}
	for i, one := range s.OneOf {
		document(o, statusOf(t.Field(i).Type.Elem(), row.Status), one)
	}
	if _, ok := reflect.Zero(t).Interface().(withVersion); ok && row.Method == http.MethodGet {
		o.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "It has the version that If-None-Match names."}
		o.Parameters = append(o.Parameters, &huma.Param{Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "ETag of the version at hand: an answer without a body says that it is the current one."})
	}
}

func statusOf(t reflect.Type, status int) int {
	if v, ok := reflect.Zero(t).Interface().(withStatus); ok {
		return v.HTTPStatus()
	}
	return status
}

func document(o *huma.Operation, status int, s *huma.Schema) {
	o.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: content("application/json", s)}
}

func describeRoute(reg huma.Registry, r *Route) *huma.Operation {
	o := operation(r.Name, r.Method, r.Path, r.Doc, r.Scope)
	for seg := range strings.SplitSeq(r.Path, "/") {
		if strings.HasPrefix(seg, "{") {
			o.Parameters = append(o.Parameters, parameter(seg[1:len(seg)-1], "path", true, &huma.Schema{Type: huma.TypeString, Pattern: op.Form(seg[1 : len(seg)-1])}))
		}
	}
	for _, q := range r.Query {
		o.Parameters = append(o.Parameters, parameter(q, "query", false, &huma.Schema{Type: huma.TypeString}))
	}
	if r.Change != nil {
		o.Parameters = append(o.Parameters, idempotencyKey())
	}
	status := strconv.Itoa(http.StatusOK)
	if r.Body != "" {
		o.RequestBody = &huma.RequestBody{Required: true, Content: content(r.Body, &huma.Schema{Type: huma.TypeString, Format: "binary"})}
		status = strconv.Itoa(http.StatusCreated)
	}
	s := &huma.Schema{Type: huma.TypeString}
	if r.Output != nil {
		s = op.OutputSchema(reg, r.Output)
	}
	o.Responses[status] = &huma.Response{Description: "Success", Content: content(r.Answer, s)}
	return o
}
