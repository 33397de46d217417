package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/sdk/api"
)

// maxLimit is the longest page of a list. Models lose the thread in longer
// ones.
const maxLimit = 50

// input is what a client passes to a tool.
type input struct {
	args           jsontext.Value
	idempotencyKey string
}

// call runs the tool if the caller may. A page that is too long is asked for
// again, shorter, so that its cursor leads on from where the model stops
// reading.
func (t *tool) call(ctx context.Context, v *visit, in input) (jsontext.Value, error) {
	if e := t.refuse(v.choice); e != nil {
		return nil, e
	}
	args, limit, err := t.arguments(in.args)
	if err != nil {
		return nil, err
	}
	for shortened := false; ; shortened = true {
		body, err := t.row(ctx, v.caller, args, in.idempotencyKey)
		if err != nil {
			return nil, err
		}
		if !t.list || shorterPage(body, limit) == 0 {
			return fit(body, shortened), nil
		}
		limit = shorterPage(body, limit)
		if args, err = withMember(args, "limit", fmt.Append(nil, limit)); err != nil {
			return nil, err
		}
	}
}

// row calls the row.
func (t *tool) row(ctx context.Context, who op.Caller, args jsontext.Value, idempotencyKey string) (jsontext.Value, error) {
	res, refused := t.table.Call(ctx, op.Request{Op: t.op, Caller: who, Args: op.Args{Body: args}, IdempotencyKey: idempotencyKey})
	switch {
	case refused != nil:
		return nil, refused
	case res.JSON != nil:
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
func (t *tool) arguments(args jsontext.Value) (_ jsontext.Value, limit int, err error) {
	if string(args) == "null" { // how some clients write none
		args = nil
	}
	if !t.content && !t.list || len(args) == 0 {
		return args, 0, nil
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(args, &members); err != nil {
		return args, 0, nil
	}
	if v := members["limit"]; t.list && v != nil {
		if err := json.Unmarshal(v, &limit); err == nil && limit > maxLimit {
			return nil, 0, api.Invalid("/limit", "too_large", "may be at most %d", maxLimit)
		}
	}
	format, given := members["contentFormat"]
	if !t.content || !given {
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
	if errors.Is(err, safehtml.ErrDense) {
		return nil, api.Invalid("/content", "too_dense", "has %s; send less, or as html", err)
	}
	if err != nil {
		return nil, fmt.Errorf("convert markdown: %w", err)
	}
	return op.Encode(nil, html)
}

// withMember sets one member of an object.
func withMember(args jsontext.Value, name string, value jsontext.Value) (jsontext.Value, error) {
	members := map[string]jsontext.Value{}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &members); err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
	}
	members[name] = value
	return json.Marshal(members, json.Deterministic(true))
}
