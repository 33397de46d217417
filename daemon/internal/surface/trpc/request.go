package trpc

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/superjson"
)

// early is an error found before there are calls.
func early(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), noPath: true}
}

// plan reads a request in the protocol's order of checks.
func (r *Router) plan(ctx *fasthttp.RequestCtx, path string) (*plan, error) {
	name, err := url.PathUnescape(strings.TrimSuffix(path, "/"))
	if err != nil {
		return nil, early("BAD_REQUEST", "Invalid URL-encoding in path %q", path)
	}
	query := ctx.QueryArgs()
	b := &plan{method: string(ctx.Method()), batch: string(query.Peek("batch")) == "1"}
	isBare := name == "" && ctx.IsPost() && !b.batch
	if err := media(ctx); err != nil {
		return r.noMessage(b, isBare, err)
	}
	if isBare {
		return r.readMessages(ctx, b)
	}
	b.stream = asksLines(ctx)
	if r.Separator != "" {
		name = strings.ReplaceAll(name, r.Separator, ".")
	}
	names := []string{name}
	if b.batch {
		names = strings.Split(name, ",")
	}
	switch {
	case len(names) > max(r.MaxBatch, 1):
		return nil, early("BAD_REQUEST", "Batch call exceeds maximum size")
	case r.mixed(names) != "":
		return nil, early("BAD_REQUEST", "Cannot mix procedure types in call: %s", r.mixed(names))
	}
	if err := connectionParams(query.Peek("connectionParams")); err != nil {
		return nil, err
	}
	switch {
	case b.batch && r.MaxBatch == 0:
		return nil, early("BAD_REQUEST", "Batching is not enabled on the server")
	case b.stream && !b.batch:
		return nil, early("BAD_REQUEST", "Streaming requests must be batched (you can do a batch of 1)")
	}
	r.prepare(ctx, b, names)
	return b, nil
}

func media(ctx *fasthttp.RequestCtx) error {
	given := string(ctx.Request.Header.ContentType())
	kind, _, _ := strings.Cut(given, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case ctx.IsGet() && (kind == "multipart/form-data" || kind == "application/octet-stream"):
		return early("METHOD_NOT_SUPPORTED", "Only POST requests are supported for %s requests", kind)
	case ctx.IsGet(), kind == "application/json":
		return nil
	case given == "":
		return early("UNSUPPORTED_MEDIA_TYPE", "Missing content-type header")
	}
	return early("UNSUPPORTED_MEDIA_TYPE", `Unsupported content-type "%s`, given) // the reference's words
}

func asksLines(ctx *fasthttp.RequestCtx) bool {
	if own := ctx.Request.Header.Peek("trpc-accept"); len(own) > 0 {
		return string(own) == "application/jsonl"
	}
	for part := range strings.SplitSeq(string(ctx.Request.Header.Peek("Accept")), ",") {
		if strings.TrimSpace(part) == "application/jsonl" {
			return true
		}
	}
	return false
}

// mixed names the types of the known procedures when there are several.
func (r *Router) mixed(names []string) string {
	var types []string
	seen := map[Type]bool{}
	for _, name := range names {
		if p := r.Procedures[name]; p != nil && !seen[p.Type] {
			seen[p.Type] = true
			types = append(types, string(p.Type))
		}
	}
	if len(types) < 2 {
		return ""
	}
	return strings.Join(types, ", ")
}

func connectionParams(raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	if !jsontext.Value(raw).IsValid() {
		return early("PARSE_ERROR", "Not JSON-parsable query params")
	}
	var params map[string]string
	if err := json.Unmarshal(raw, &params); err != nil {
		return early("PARSE_ERROR", "Invalid connection params shape")
	}
	return nil
}

// prepare finds the procedures and their inputs. An unknown name and a wrong
// method are told before a missing session is.
func (r *Router) prepare(ctx *fasthttp.RequestCtx, b *plan, names []string) {
	session, failed := r.Session(ctx)
	inputs := r.inputs(ctx, b, len(names))
	b.calls = make([]planned, len(names))
	for i, name := range names {
		c := &b.calls[i]
		c.Path, c.Session, c.Alone, c.input = name, session, len(names) == 1, inputs[i]
		if c.proc = r.Procedures[name]; c.proc == nil {
			c.err = notFound(name)
		} else if c.err = r.accepts(c.proc, b, name); c.err == nil {
			c.err = failed
		}
	}
	if len(b.calls) == 1 && !b.batch && b.calls[0].proc != nil && b.calls[0].proc.Type == Subscription {
		b.lastID = lastEventID(ctx)
		b.calls[0].input.lastID = b.lastID
	}
}

func notFound(name string) *Error {
	return &Error{Code: "NOT_FOUND", Message: `No procedure found on path "` + name + `"`}
}

func (r *Router) accepts(p *Procedure, b *plan, name string) error {
	allow := []string{"GET"}
	switch {
	case p.Type == Mutation:
		allow = []string{"POST"}
	case r.Posted:
		allow = []string{"GET", "POST"}
	}
	if !slices.Contains(allow, b.method) {
		return &Error{
			Code: "METHOD_NOT_SUPPORTED", Allow: strings.Join(allow, ", "),
			Message: fmt.Sprintf("Unsupported %s-request to %s procedure at path %q", b.method, p.Type, name),
		}
	}
	if p.Type == Subscription && b.batch {
		return bad("Cannot batch subscription calls")
	}
	return nil
}

func lastEventID(ctx *fasthttp.RequestCtx) string {
	for _, id := range [][]byte{
		ctx.Request.Header.Peek("Last-Event-Id"), ctx.QueryArgs().Peek("lastEventId"), ctx.QueryArgs().Peek("Last-Event-Id"),
	} {
		if len(id) > 0 {
			return string(id)
		}
	}
	return ""
}

// input is what a call was sent. Reading it fails with err, or with what is
// wrong with any input of the batch.
type input struct {
	raw    []byte
	err    error
	lastID string
	batch  func() error // what is wrong with any input of the batch
}

func (in *input) check() error {
	if in.err != nil || in.batch == nil {
		return in.err
	}
	return in.batch()
}

// checkAll refuses when any of raws is no payload.
func checkAll(raws []input) error {
	for _, in := range raws {
		if len(in.raw) == 0 || superjson.Bare(in.raw) {
			continue
		}
		if _, err := superjson.Decode(in.raw); err != nil {
			return badInput(err)
		}
	}
	return nil
}

// resumed puts the id of the last seen event into v.
func (in *input) resumed(v *superjson.Value) *superjson.Value {
	switch {
	case in.lastID == "":
	case v.Kind == superjson.Undefined, v.Kind == superjson.Null:
		return (&superjson.Value{Kind: superjson.Object}).With("lastEventId", superjson.Text(in.lastID))
	case v.Kind == superjson.Object:
		return v.With("lastEventId", superjson.Text(in.lastID))
	}
	return v
}

func (r *Router) inputs(ctx *fasthttp.RequestCtx, b *plan, n int) []input {
	raw := ctx.QueryArgs().Peek("input")
	if !ctx.IsGet() {
		raw = ctx.PostBody()
	}
	all := make([]input, n)
	fail := func(err error) []input {
		for i := range all {
			all[i].err = err
		}
		return all
	}
	if len(raw) > r.MaxBody && !ctx.IsGet() {
		return fail(&Error{Code: "PAYLOAD_TOO_LARGE"})
	}
	raw = append([]byte(nil), raw...)
	if !b.batch {
		all[0].raw = raw
		return all
	}
	if len(raw) == 0 {
		return all
	}
	var keyed map[string]jsontext.Value
	err := json.Unmarshal(raw, &keyed)
	if _, malformed := errors.AsType[*jsontext.SyntacticError](err); malformed {
		return fail(bad("The input is not valid JSON"))
	}
	if err != nil || keyed == nil {
		return fail(bad(`"input" needs to be an object when doing a batch call`))
	}
	if len(keyed) > r.MaxBatch {
		return fail(bad("Batch call exceeds maximum size"))
	}
	for i := range all {
		all[i].raw = keyed[strconv.Itoa(i)]
	}
	whole := sync.OnceValue(func() error { return checkAll(all) })
	for i := range all {
		all[i].batch = whole
	}
	return all
}
