package daemon_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/optest"
)

// instance is a running daemon with two teams.
type instance struct {
	*daemon.Daemon
	URL  string
	Addr string
	A, B daemon.First
	log  *optest.Output
	stop func() error

	sessions map[string]string // token by team
	keys     map[string]string // of team A, by their scopes
}

// start runs a daemon on a free port until the test ends. adjust changes its
// configuration.
func start(t testing.TB, adjust ...func(*daemon.Config)) *instance {
	t.Helper()
	cfg := daemon.DefaultConfig()
	cfg.Data, cfg.Admin = t.TempDir(), ""
	cfg.Limits = strings.Split("read=0,write=0,ai=0,mcp=0,login=0,pages=0,search=0", ",")
	for _, f := range adjust {
		f(cfg)
	}
	log := &optest.Output{}
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(old) })
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	open := daemon.Open
	if os.Getenv("SVC_TEST_STORE") == "twice" {
		open = daemon.OpenTwice
	}
	d, err := open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	d.SetBase(ln.Addr())
	in := &instance{Daemon: d, URL: "http://" + ln.Addr().String(), Addr: ln.Addr().String(), log: log}
	if in.A, err = d.Bootstrap(t.Context(), "Team A", "team-a", "a@example.test"); err != nil {
		t.Fatal(err)
	}
	if in.B, err = d.Bootstrap(t.Context(), "Team B", "team-b", "b@example.test"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.Serve(ctx, ln) }()
	in.stop = sync.OnceValue(func() error {
		cancel()
		err := <-served
		if closeErr := d.Close(); err == nil {
			err = closeErr
		}
		return err
	})
	t.Cleanup(func() {
		if err := in.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return in
}

// answer is a response read whole.
type answer struct {
	*http.Response
	Body []byte
}

// JSON decodes the body into a generic value.
func (a answer) JSON(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatalf("%s %q: %v", a.Status, a.Body, err)
	}
	return v
}

// send makes one request; headers are name, value pairs.
func (in *instance) send(t testing.TB, method, path, key, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, in.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil {
		t.Fatal(err)
	}
	a := answer{res, b}
	in.documented(t, req, a)
	return a
}

// post creates a post for a key and returns its id.
func (in *instance) post(t testing.TB, key, body string) string {
	t.Helper()
	a := in.send(t, "POST", "/svc-api/v1/posts", key, body)
	if a.StatusCode != http.StatusCreated {
		t.Fatalf("create: %s %s", a.Status, a.Body)
	}
	return a.JSON(t)["id"].(string)
}
