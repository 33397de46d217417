package trpc

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fasthttp"
)

// message is one envelope of a POST to the bare path, as tRPC's own sockets
// use it.
type message struct {
	ID      json.RawMessage `json:"id"`
	Version json.RawMessage `json:"jsonrpc"`
	Method  json.RawMessage `json:"method"`
	Params  struct {
		Path  json.RawMessage `json:"path"`
		Input json.RawMessage `json:"input"`
	} `json:"params"`

	err error
}

// noMessage makes err the answer to a request that has no messages.
func (r *Router) noMessage(b *plan, isBare bool, err error) (*plan, error) {
	if !isBare {
		return nil, err
	}
	b.messages, b.single = []message{{err: err}}, true
	return b, nil
}

func (r *Router) readMessages(ctx *fasthttp.RequestCtx, b *plan) (*plan, error) {
	body := append([]byte(nil), ctx.PostBody()...)
	switch {
	case len(body) > r.MaxBody:
		return r.noMessage(b, true, early("PAYLOAD_TOO_LARGE", ""))
	case !jsontext.Value(body).IsValid():
		return r.noMessage(b, true, early("PARSE_ERROR", "body is not JSON"))
	}
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil || list == nil {
		b.single, list = true, []json.RawMessage{body}
	}
	switch {
	case len(list) == 0:
		return r.noMessage(b, true, early("BAD_REQUEST", "empty batch"))
	case len(list) > max(r.MaxBatch, 1):
		return r.noMessage(b, true, early("BAD_REQUEST", "Batch call exceeds maximum size"))
	}
	b.messages = make([]message, len(list))
	methods := 0
	for i, raw := range list {
		m := &b.messages[i]
		if err := json.Unmarshal(raw, m); err != nil {
			m.err = early("BAD_REQUEST", "a message must be an object with params")
		}
		if m.Method != nil {
			methods++
		}
	}
	if methods == 0 {
		return r.noMessage(b, true, notFound(""))
	}
	session, failed := r.Session(ctx)
	b.calls = make([]planned, len(list))
	for i := range b.messages {
		r.address(&b.messages[i], &b.calls[i], failed)
		b.calls[i].Session, b.calls[i].Alone = session, len(list) == 1
	}
	return b, nil
}

// address finds the procedure that m calls.
func (r *Router) address(m *message, c *planned, failed error) {
	var method string
	switch {
	case m.err != nil:
	case len(m.ID) == 0 || m.ID[0] != '"' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9'):
		m.ID, m.err = nil, early("BAD_REQUEST", "id must be a string or a number")
	case m.Version != nil && string(m.Version) != `"2.0"`:
		m.Version, m.err = nil, early("BAD_REQUEST", `jsonrpc must be "2.0"`)
	case json.Unmarshal(m.Method, &method) != nil || method != "query" && method != "mutation" && method != "subscription":
		m.err = early("BAD_REQUEST", `method must be "query" or "mutation"`)
	case m.Params.Path == nil || m.Params.Path[0] != '"' || json.Unmarshal(m.Params.Path, &c.Path) != nil:
		m.err = early("BAD_REQUEST", "params.path must be a string")
	case method == "subscription":
		m.err = &Error{Code: "METHOD_NOT_SUPPORTED", Message: "Subscriptions need a GET request", Allow: "GET"}
	default:
		c.input.raw = m.Params.Input
		if c.proc = r.Procedures[c.Path]; c.proc == nil || c.proc.Type != Type(method) {
			c.proc = nil
			m.err = &Error{Code: "NOT_FOUND", Message: `No "` + method + `"-procedure on path "` + c.Path + `"`}
		} else {
			m.err = failed
		}
	}
	c.err = m.err
}

func (r *Router) serveMessages(ctx *fasthttp.RequestCtx, b *plan) {
	var body []byte
	status := 0
	for i := range b.messages {
		m := &b.messages[i]
		body = m.head(append(body, ','))
		path, err := "", m.err
		if len(b.calls) > 0 {
			path = b.calls[i].Path
			body, err = r.answer(ctx, &b.calls[i], body, `"result":{"type":"data","data":`)
		}
		if err != nil {
			body = append(append(append(body, `"error":{"json":`...), failure(err).shape(path)...), "}}"...)
		} else {
			body = append(body, "}}"...)
		}
		status = common(status, statusOf(err))
	}
	if b.single {
		body = body[1:]
	} else {
		body[0] = '['
		body = append(body, ']')
	}
	ctx.SetStatusCode(status)
	ctx.Response.SetBodyRaw(body)
}

// head begins the answer to m.
func (m *message) head(dst []byte) []byte {
	id := m.ID
	if id == nil {
		id = json.RawMessage("null")
	}
	dst = append(append(append(dst, `{"id":`...), id...), ',')
	if m.Version != nil {
		dst = append(dst, `"jsonrpc":"2.0",`...)
	}
	return dst
}
