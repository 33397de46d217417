package rest_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/rest"
)

type question struct {
	ID      string   `json:"id"`
	Metrics []string `json:"metrics" minItems:"1"`
}

type reply struct {
	Metrics []string `json:"metrics"`
}

// serve offers one operation that only reads and is a POST.
func serve(t *testing.T) (url string, h *rest.Handler) {
	t.Helper()
	table := op.NewTable(nil, op.NewLimiter(op.Limits{"write": 1}), []op.Op{{
		Name: "reports.query", Method: "POST", Path: "/reports/{id}/query", Hints: op.Hints{ReadOnly: true}, Doc: "Answers a question.",
		Do: op.Func(func(_ context.Context, _ op.Caller, in question) (reply, error) {
			return reply{in.Metrics}, nil
		}),
	}})
	h = rest.New(table, rest.Options{
		Context: t.Context(), Address: func(*fasthttp.RequestCtx) string { return "127.0.0.1" }, Observe: func(string, int, float64) {},
		Key: func(context.Context, string, string) (op.Caller, error) {
			return op.Caller{Kind: op.Key, Team: "team_a"}, nil
		},
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{Handler: h.Serve, CloseOnShutdown: true}
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := server.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		if err := server.Shutdown(); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		serving.Wait()
	})
	return "http://" + ln.Addr().String() + rest.Prefix, h
}

// An operation that only reads may take a body: the method decides where
// arguments are, and reading is counted as reading.
func TestReadingByPost(t *testing.T) {
	url, h := serve(t)
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/reports/r1/query", `{"metrics":["visitors"]}`, 200, `{"metrics":["visitors"]}`},
		{"/reports/r1/query", `{"metrics":["a","b"]}`, 200, `{"metrics":["a","b"]}`},
		{"/reports/r1/query", `{"metrics":[]}`, 422, `"code":"validation_failed"`},
		{"/reports/r%7B1%7D/query?metrics=visitors", ``, 400, `metrics\" belongs in the body.","instance":"/svc-api/v1/reports/r%7B1%7D/query"`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer svc_x")
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var body json.RawMessage
		if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.status || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %s: %d %s, want %d %s", c.path, c.body, res.StatusCode, body, c.status, c.want)
		}
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody *struct{ Required bool }
		}
	}
	if err := json.Unmarshal(h.Contract(), &doc); err != nil {
		t.Fatal(err)
	}
	o := doc.Paths["/reports/{id}/query"]["post"]
	if o.RequestBody == nil || len(o.Parameters) != 1 || o.Parameters[0].In != "path" {
		t.Errorf("documented as %+v", o)
	}
}
