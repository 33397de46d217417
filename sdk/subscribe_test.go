package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// answered is the answer of a procedure.
func answered(v any) http.HandlerFunc {
	return ok(map[string]any{"result": map[string]any{"data": map[string]any{"json": v}}})
}

// failed is the shape of a refusal; problem may be none.
func failed(status int, retryable bool, code api.Code) string {
	return fmt.Sprintf(`{"json":{"message":"No.","code":-32600,"data":{"code":"BAD_REQUEST","httpStatus":%d,"retryAfter":3,`+
		`"problem":{"status":%[1]d,"code":%q,"detail":"No.","retryable":%t,"errors":[{"pointer":"/name","code":"required","message":"is needed"}]}}}}`, status, code, retryable)
}

// sse sends what is given as events, and breaks the connection after it where
// asked.
func sse(broken bool, sent ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: connected\ndata: {}\n\nevent: ping\ndata: \n\n")
		for _, s := range sent {
			fmt.Fprint(w, s)
		}
		if broken {
			w.(http.Flusher).Flush()
			cut(w, r)
		}
	}
}

func state(id, state string) string {
	return fmt.Sprintf("data: {\"json\":{\"type\":\"job\",\"job\":{\"id\":\"job_1\",\"state\":%q,\"createdAt\":\"2026-01-02T15:04:05.000Z\",\"usage\":{\"inputTokens\":\"9007199254740993\"}}},"+
		"\"meta\":{\"values\":{\"job.createdAt\":[\"Date\"],\"job.usage.inputTokens\":[\"bigint\"]},\"v\":1}}\nid: %s\n\n", state, id)
}

const (
	returned = "event: return\ndata: \n\n"
	tooMuch  = "event: serialized-error\ndata: "
)

func dashboard(w *wire) *sdk.Client {
	return sdk.New(w.URL, sdk.WithSession("sess_0123456789abcdef"), sdk.WithSleep(w.sleep))
}

func TestSubscribe(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers []http.HandlerFunc
		states  []string
		ids     []string // that the requests resume from
		code    api.Code
	}{
		{"to the end", []http.HandlerFunc{sse(false, state("1", "queued"), state("2", "completed"), returned)}, []string{"queued", "completed"}, []string{""}, ""},
		{"broken in between", []http.HandlerFunc{sse(true, state("1", "queued")), sse(false, state("2", "completed"), returned)}, []string{"queued", "completed"}, []string{"", "1"}, ""},
		{"closed in between", []http.HandlerFunc{sse(false, state("4", "queued")), sse(false, returned)}, []string{"queued"}, []string{"", "4"}, ""},
		{"six bad connections", []http.HandlerFunc{cut, cut, cut, cut, cut, cut, sse(false, state("1", "failed"), returned)}, []string{"failed"}, []string{"", "", "", "", "", "", ""}, ""},
		{"busy at first", []http.HandlerFunc{raw(429, "application/json", `{"error":`+failed(429, true, "rate_limited")+`}`), refuse(503, "overloaded", ""), sse(false, returned)}, nil, []string{"", "", ""}, ""},
		{"an error that passes", []http.HandlerFunc{sse(false, state("7", "running"), tooMuch+failed(500, true, "internal")+"\n\n"), sse(false, returned)}, []string{"running"}, []string{"", "7"}, ""},
		{"an error that stays", []http.HandlerFunc{sse(false, state("7", "running"), tooMuch+failed(404, false, "not_found")+"\n\n")}, []string{"running"}, []string{""}, "not_found"},
		{"no such procedure", []http.HandlerFunc{raw(404, "application/json", `{"error":`+failed(404, false, "route_not_found")+`}`)}, nil, []string{""}, "route_not_found"},
		{"another program", []http.HandlerFunc{raw(200, "text/html", "<h1>")}, nil, []string{""}, sdk.CodeUnexpectedResponse},
		{"a damaged value", []http.HandlerFunc{sse(false, "data: {\"json\":[1]}\n\n")}, nil, []string{""}, sdk.CodeUnexpectedResponse},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t, test.answers...)
			var states []string
			var refused *api.Error
			for e, err := range dashboard(w).Jobs.Watch(t.Context(), "job_1") {
				if err != nil {
					refused, _ = errors.AsType[*api.Error](err)
					continue
				}
				states = append(states, e.Job.State)
				if e.Job.Usage.InputTokens != 9007199254740993 || e.Job.CreatedAt.String() != "2026-01-02T15:04:05.000Z" {
					t.Errorf("job %+v", e.Job)
				}
			}
			if !slices.Equal(states, test.states) || (refused != nil) != (test.code != "") || refused != nil && refused.Code != test.code {
				t.Errorf("states %v, error %v", states, refused)
			}
			for i, r := range w.sent(t, len(test.ids)) {
				if got := r.Header.Get("Last-Event-Id"); got != test.ids[i] || r.Path != "/svc-api/trpc/jobs.watch?input=%7B%22json%22%3A%7B%22id%22%3A%22job_1%22%7D%7D" {
					t.Errorf("request %d resumes from %q at %s", i, got, r.Path)
				}
			}
		})
	}
}

func TestSubscribeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := make(chan struct{})
	w := newWire(t, func(w http.ResponseWriter, r *http.Request) {
		sse(false, state("1", "running"))(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	var last error
	for _, err := range dashboard(w).Jobs.Watch(ctx, "job_1") {
		cancel()
		last = err
	}
	<-left
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v", last)
	}
}

func TestProcedureRefused(t *testing.T) {
	w := newWire(t, raw(422, "application/json", `{"error":`+failed(422, false, "validation_failed")+`}`), raw(200, "application/json", `{"error":{"code":1}}`))
	_, err := dashboard(w).Keys.Create(t.Context(), api.KeyCreate{})
	e, ok := errors.AsType[*api.Error](err)
	if !ok || e.Code != api.CodeValidationFailed || e.Pointer() != "/name" || e.Status != 422 || e.RetryAfter != 3 {
		t.Errorf("refused with %#v", err)
	}
	if _, err := dashboard(w).Keys.Create(t.Context(), api.KeyCreate{}); err == nil {
		t.Error("an answer of another program was taken")
	}
}
