package sdk

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// route is where an operation lives. A {name} of the path takes the input's
// member of that name; the rest of the input is the query of a GET or DELETE
// and the JSON body of all others. member is one that every answer has.
// Procedures have no such path: all of their input is the body.
type route struct {
	method, path, member string
}

// call is one use of a route.
type call struct {
	header http.Header
	meta   *Meta
}

// do calls an operation: the one path that every method of this package takes.
// The credential decides the way: REST for a key, tRPC for a session.
func do[Out any](ctx context.Context, t *transport, name string, in any, options []CallOption) (*Out, error) {
	r := routes[name]
	switch {
	case t.member:
		r = procedure(name, r.member)
	case r.method == "":
		return nil, api.NewError(http.StatusUnauthorized, api.CodeSessionRequired, "%s needs a member's session, not an API key", name)
	default:
		r.path = v1 + r.path
	}
	return answer[Out](ctx, t, r, in, options)
}

// procedure is the route of an operation in a member's session.
func procedure(name, member string) route {
	return route{http.MethodPost, procedures + url.PathEscape(name), member}
}

func answer[Out any](ctx context.Context, t *transport, r route, in any, options []CallOption) (*Out, error) {
	c := call{header: http.Header{"Accept": {"application/json"}}}
	req, err := r.request(in, c.header)
	if err != nil {
		return nil, err
	}
	return finish[Out](ctx, t, r, req, &c, options)
}

// finish applies the options, sends and decodes.
func finish[Out any](ctx context.Context, t *transport, r route, req request, c *call, options []CallOption) (*Out, error) {
	if r.method != http.MethodGet {
		c.header.Set("Idempotency-Key", rand.Text())
	}
	for _, option := range options {
		option(c)
	}
	req.replay = req.replay && c.header.Get("If-Match") == ""
	resp, err := t.send(ctx, req)
	if err != nil {
		return nil, err
	}
	if r.isProcedure() {
		resp = resp.plain()
	}
	c.fill(resp)
	out := new(Out)
	if err := resp.decode(r.member, out); err != nil {
		return nil, err
	}
	return out, nil
}

func (c *call) fill(resp *Response) {
	if c.meta == nil {
		return
	}
	*c.meta = Meta{
		Status:    resp.Status,
		RequestID: resp.Header.Get("X-Request-Id"),
		ETag:      resp.Header.Get("ETag"),
		Replayed:  resp.Header.Get("Idempotency-Replayed") == "true",
		Header:    resp.Header,
	}
}

// request spreads the input over path, query, If-Match and body.
func (r route) request(in any, header http.Header) (request, error) {
	members, err := members(in)
	if err != nil {
		return request{}, fmt.Errorf("encode input: %w", err)
	}
	path, err := r.fillPath(members)
	if err != nil {
		return request{}, err
	}
	if version, ok := members["ifMatch"]; ok && !r.isProcedure() {
		header.Set("If-Match", `"`+string(version)+`"`)
		delete(members, "ifMatch")
	}
	req := request{method: r.method, path: path, header: header, replay: r.replayable()}
	if r.method == http.MethodGet || r.method == http.MethodDelete {
		if query := values(members).Encode(); query != "" {
			req.path += "?" + query
		}
		return req, nil
	}
	header.Set("Content-Type", "application/json")
	if r.isProcedure() {
		req.body, err = wrapped(members)
	} else {
		req.body, err = encode(members)
	}
	return req, err
}

// replayable: the daemon keeps idempotency keys for POST on REST; a merge
// patch comes to the same; a second DELETE would be told that nothing is there.
func (r route) replayable() bool {
	return r.method != http.MethodDelete && !r.isProcedure()
}

func (r route) fillPath(members map[string]json.RawMessage) (string, error) {
	parts := strings.Split(r.path, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		name := strings.Trim(part, "{}")
		value := text(members[name])
		if value == "" || value == "." || value == ".." {
			return "", api.Invalid("/"+name, "required", "%s is needed", name)
		}
		delete(members, name)
		parts[i] = url.PathEscape(value)
	}
	return strings.Join(parts, "/"), nil
}

func members(in any) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if in == nil {
		return members, nil
	}
	b, err := encode(in)
	if err != nil {
		return nil, err
	}
	return members, json.Unmarshal(b, &members)
}

// encode leaves < and > as they are: a post's HTML would grow by half.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func values(members map[string]json.RawMessage) url.Values {
	query := url.Values{}
	for name, value := range members {
		query.Set(name, text(value))
	}
	return query
}

// text is a JSON scalar as it stands in a path or a query.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
