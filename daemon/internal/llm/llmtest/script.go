// Package llmtest fakes the two vendors for tests: local servers that speak
// the real wire formats, refuse what the vendors refuse, and follow a script.
package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/llm"
)

// Keys that the fakes accept.
const (
	OpenAIKey    = "sk-test-openai-3f9a1c7e5b2d"
	AnthropicKey = "sk-ant-test-8d2b6f4a1e9c"
)

// Usage that the fakes report for every complete answer.
const (
	InputTokens  = 21
	OutputTokens = 34
)

// Step is what a server does with one request. Make it with the functions of
// this package.
type Step struct {
	deltas  []string
	tools   []llm.ToolCall
	stop    llm.StopReason
	thought string
	status  int
	header  http.Header
	message string
	code    string
	cut     bool
	hang    hang
	midway  bool // the error comes inside the stream
	image   []byte
	await   <-chan struct{}
}

type hang int

const (
	hangNever hang = iota
	hangBeforeHeader
	hangAfterDeltas
)

// Text answers with the deltas, one event each.
func Text(deltas ...string) Step { return Step{deltas: deltas, stop: llm.StopEnd} }

// Gated is Text that waits for release after its first delta, so that a test
// can look at an unfinished answer.
func Gated(release <-chan struct{}, deltas ...string) Step {
	return Step{deltas: deltas, stop: llm.StopEnd, await: release}
}

// Cropped is Text that ran into the limit of tokens.
func Cropped(deltas ...string) Step { return Step{deltas: deltas, stop: llm.StopMaxTokens} }

// Refusal is the model declining.
func Refusal(deltas ...string) Step { return Step{deltas: deltas, stop: llm.StopRefusal} }

// Tools answers with text and calls; the arguments are sent in pieces and need
// not be valid JSON.
func Tools(text string, calls ...llm.ToolCall) Step {
	s := Step{tools: calls, stop: llm.StopToolCalls}
	if text != "" {
		s.deltas = []string{text}
	}
	return s
}

// Call is a tool call for Tools.
func Call(id, name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

// Thinking is Tools with a signed thought before it, which Anthropic's fake
// wants back in the next turn.
func Thinking(thought string, calls ...llm.ToolCall) Step {
	return Step{thought: thought, tools: calls, stop: llm.StopToolCalls}
}

// RateLimit refuses with 429; retryAfter is the header's value, none if empty.
func RateLimit(retryAfter string) Step {
	h := http.Header{}
	if retryAfter != "" {
		h.Set("Retry-After", retryAfter)
	}
	return Step{status: http.StatusTooManyRequests, header: h, message: "Rate limit reached", code: "rate_limit_exceeded"}
}

// Quota refuses with 429 because the account is empty.
func Quota() Step {
	return Step{status: http.StatusTooManyRequests, message: "You exceeded your current quota", code: "insufficient_quota"}
}

// Fail answers with an HTTP error in the vendor's format.
func Fail(status int, message string) Step { return Step{status: status, message: message} }

// FailMidway sends the deltas and then an error inside the stream.
func FailMidway(deltas ...string) Step {
	return Step{deltas: deltas, midway: true, message: "Overloaded"}
}

// Cut sends the deltas and closes the connection.
func Cut(deltas ...string) Step { return Step{deltas: deltas, cut: true} }

// Hang never answers.
func Hang() Step { return Step{hang: hangBeforeHeader} }

// Stall sends the deltas and then nothing more.
func Stall(deltas ...string) Step { return Step{deltas: deltas, hang: hangAfterDeltas} }

// Picture answers the images endpoint with these bytes.
func Picture(raw []byte) Step { return Step{image: raw} }

// Request is what a server received.
type Request struct {
	Path   string
	Header http.Header
	Body   map[string]any
	Raw    []byte // Body as it came
}

// Server is a fake vendor.
type Server struct {
	// URL is the address to configure for a compatible server.
	URL string

	t      testing.TB
	flavor flavor

	mu       sync.Mutex // guards what follows
	steps    []Step
	requests []Request
}

// flavor is what differs between the vendors' wire formats.
type flavor interface {
	check(r *http.Request, body map[string]any) (status int, message string)
	fail(w http.ResponseWriter, s Step)
	stream(w *events, s Step, body map[string]any)
}

func start(t testing.TB, f flavor, base string, steps []Step) *Server {
	s := &Server{t: t, flavor: f, steps: steps}
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s.URL = srv.URL + base
	return s
}

// Requests returns what arrived so far, also what was refused.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Vendor returns a client whose requests all end here whatever host they name,
// so that a test can leave the vendor's own address configured.
func (s *Server) Vendor() *http.Client {
	target, err := url.Parse(s.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	return &http.Client{Transport: detour{host: target.Host}}
}

type detour struct{ host string }

func (d detour) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	out.URL.Scheme, out.URL.Host = "http", d.host
	return http.DefaultTransport.RoundTrip(out)
}

// NoWait is an llm.Config.Wait that does not.
func NoWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	body := map[string]any{}
	if err != nil || json.Unmarshal(raw, &body) != nil {
		s.flavor.fail(w, Fail(http.StatusBadRequest, "the body is not JSON"))
		return
	}
	step, ok := s.next(r, raw, body)
	if !ok {
		s.t.Errorf("%s: a request more than the script has steps", r.URL.Path)
		step = Fail(http.StatusTeapot, "the script has ended")
	}
	if status, message := s.flavor.check(r, body); status != 0 {
		s.flavor.fail(w, Fail(status, message))
		return
	}
	s.play(w, r, step, body)
}

func (s *Server) next(r *http.Request, raw []byte, body map[string]any) (Step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, Raw: raw})
	if len(s.steps) == 0 {
		return Step{}, false
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	return step, true
}

func (s *Server) play(w http.ResponseWriter, r *http.Request, step Step, body map[string]any) {
	switch {
	case step.hang == hangBeforeHeader:
		<-r.Context().Done()
	case step.status != 0:
		s.flavor.fail(w, step)
	case step.image != nil:
		writeImage(w, step.image)
	default:
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		s.flavor.stream(&events{w: w, r: r, step: step}, step, body)
	}
}

// events writes server-sent events and plays the step's accidents.
type events struct {
	w    http.ResponseWriter
	r    *http.Request
	step Step
}

func (e *events) send(name string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	e.raw(name, string(raw))
}

func (e *events) raw(name, data string) {
	if name != "" {
		data = fmt.Sprintf("event: %s\ndata: %s", name, data)
	} else {
		data = "data: " + data
	}
	if _, err := io.WriteString(e.w, data+"\n\n"); err != nil {
		panic(http.ErrAbortHandler) // the caller left
	}
	e.w.(http.Flusher).Flush()
}

// gate waits where the step has a gate, after its first delta.
func (e *events) gate(delta int) {
	if e.step.await != nil && delta == 0 {
		select {
		case <-e.step.await:
		case <-e.r.Context().Done():
		}
	}
}

// accident cuts or stalls the stream after its deltas, if the step says so.
// It does not return when the connection is cut.
func (e *events) accident() {
	if e.step.cut {
		panic(http.ErrAbortHandler)
	}
	if e.step.hang == hangAfterDeltas {
		<-e.r.Context().Done()
		panic(http.ErrAbortHandler)
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(http.ErrAbortHandler) // the caller left
	}
}

// halves cuts arguments in two, as the vendors send them in pieces.
func halves(raw json.RawMessage) [2]string {
	return [2]string{string(raw[:len(raw)/2]), string(raw[len(raw)/2:])}
}

func list(v any) []map[string]any {
	items, _ := v.([]any)
	var out []map[string]any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
