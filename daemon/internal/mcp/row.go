package mcp

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/sdk/api"
)

// maxLimit is the longest page of a list. Models lose the thread in longer
// ones.
const maxLimit = 50

// row is a table's row that is a tool.
type row struct {
	table   *op.Table
	op      *op.Op
	group   string // its toolset
	content bool   // takes HTML, and so Markdown
	list    bool   // answers with a page
}

// tool describes the row with what tools have beyond it: Markdown wherever
// HTML is taken, and shorter pages.
func (r *row) tool(s schemas) *tool {
	o, in := r.op, s.input(r.op)
	members, _ := in["properties"].(object)
	r.content = members["content"] != nil
	limit, paged := members["limit"].(object)
	r.list = paged && o.ReadOnly()
	if r.content {
		members["contentFormat"] = object{"type": "string", "enum": []string{"html", "markdown"}, "default": "html", "description": "What content is written in."}
	}
	if r.list {
		limit["maximum"] = maxLimit
	}
	return &tool{
		op: o.Name, scope: o.Scope, preset: o.Hints.Default, readOnly: o.ReadOnly(), run: r.run,
		def: define(o, in, s.answer(o)),
	}
}

// define describes a tool. All hints are explicit: the protocol's defaults are
// the dangerous ones.
func define(o *op.Op, in, out object) *mcpsdk.Tool {
	title := o.Hints.Title
	if title == "" {
		title = strings.ToUpper(o.Tool[:1]) + strings.ReplaceAll(o.Tool[1:], "_", " ")
	}
	members, _ := out["properties"].(object)
	if members == nil {
		members = object{}
		out["properties"] = members
	}
	members["truncated"] = object{"type": "boolean"}
	return &mcpsdk.Tool{
		Name: o.Tool, Title: title, Description: o.Doc,
		InputSchema: schemaJSON(in), OutputSchema: schemaJSON(out),
		Annotations: &mcpsdk.ToolAnnotations{
			Title: title, ReadOnlyHint: o.ReadOnly(), IdempotentHint: o.ReadOnly() || o.Hints.Idempotent,
			DestructiveHint: new(o.Hints.Destructive && !o.ReadOnly()), OpenWorldHint: new(o.Hints.OpenWorld),
		},
	}
}

func schemaJSON(s object) stdjson.RawMessage {
	b, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("mcp: schema cannot be written: %v", err))
	}
	return stdjson.RawMessage(b)
}

// run calls the row. A page that is too long is asked for again, shorter, so
// that its cursor leads on from where the model stops reading.
func (r *row) run(ctx context.Context, who op.Caller, in input) (answer, *api.Error) {
	args, limit, err := r.arguments(in.args)
	if err != nil {
		return answer{}, op.Refusal(err)
	}
	for shortened := false; ; shortened = true {
		req := op.Request{Op: r.op, Caller: who, Args: op.Args{Body: args}, IdempotencyKey: in.idempotencyKey}
		res, refused := r.table.Call(ctx, req)
		if refused != nil {
			return answer{}, refused
		}
		body, err := encodeResult(res)
		if err != nil {
			return answer{}, op.Refusal(err)
		}
		shorter := 0
		if r.list {
			shorter = shorterPage(body, limit)
		}
		if shorter == 0 {
			return fit(body, shortened), nil
		}
		limit = shorter
		args = withMember(args, "limit", fmt.Append(nil, limit))
	}
}

func encodeResult(res op.Result) (jsontext.Value, error) {
	if res.JSON != nil {
		return res.JSON, nil
	}
	return op.Encode(nil, res.Value)
}

// shorterPage is the limit at which the page would fit, 0 when it does or when
// it cannot be shorter.
func shorterPage(body []byte, limit int) int {
	size := length(body)
	if size <= maxAnswer {
		return 0
	}
	var page struct {
		Data []jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(body, &page); err != nil || len(page.Data) < 2 {
		return 0
	}
	n := len(page.Data)
	if limit > 0 {
		n = min(n, limit)
	}
	return max(1, min(n-1, n*maxAnswer*9/10/size))
}

// arguments applies what tools have beyond their row: Markdown, and shorter
// pages. Whatever is not as expected is left for the table to refuse.
func (r *row) arguments(args jsontext.Value) (_ jsontext.Value, limit int, err error) {
	if !r.content && !r.list || len(args) == 0 {
		return args, 0, nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(args, &members); err != nil {
		return args, 0, nil
	}
	if v := members["limit"]; r.list && v != nil {
		if err := json.Unmarshal(v, &limit); err == nil && limit > maxLimit {
			return nil, 0, api.Invalid("/limit", "too_large", "may be at most %d", maxLimit)
		}
	}
	format, given := members["contentFormat"]
	if !r.content || !given {
		return args, limit, nil
	}
	delete(members, "contentFormat")
	switch string(format) {
	case `"html"`:
	case `"markdown"`:
		if members["content"], err = fromMarkdown(members["content"]); err != nil {
			return nil, 0, err
		}
	default:
		return nil, 0, api.Invalid("/contentFormat", "enum", "must be one of html, markdown")
	}
	args, err = json.Marshal(members, json.Deterministic(true))
	return args, limit, err
}

func fromMarkdown(content jsontext.Value) (jsontext.Value, error) {
	if content.Kind() != '"' {
		return content, nil
	}
	var src string
	if err := json.Unmarshal(content, &src); err != nil {
		return nil, fmt.Errorf("read content: %w", err)
	}
	html, err := safehtml.Markdown(src)
	if err != nil {
		return nil, fmt.Errorf("convert markdown: %w", err)
	}
	return op.Encode(nil, html)
}

// withMember sets one member of an object.
func withMember(args jsontext.Value, name string, value jsontext.Value) jsontext.Value {
	members := map[string]jsontext.Value{}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &members); err != nil {
			return args
		}
	}
	members[name] = value
	b, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return args
	}
	return b
}
