package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckWithoutCopy has a daemon that runs and cannot give its data: check
// says that, and does not take the daemon for stopped.
func TestCheckWithoutCopy(t *testing.T) {
	data := t.TempDir()
	first(t, data)
	ln, err := net.Listen("unix", filepath.Join(data, "control.sock"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	if err := s.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	s.Listener = ln
	s.Start()
	defer s.Close()
	if said := refuses(t, svcd("check", "--data", data)); !strings.Contains(said, "running daemon") || !strings.Contains(said, "500") {
		t.Error(said)
	}
}

// TestLinkBesideARunningDaemon: the running daemon makes the link, to the address
// that it serves, whatever the configuration of the command says.
func TestLinkBesideARunningDaemon(t *testing.T) {
	data := t.TempDir()
	made := found(t, data)
	address := freeAddress(t)
	p := serve(t, data, "--base-url", "https://svc.example", "--listen", address)
	call(t.Context(), "GET", "http://"+address+"/readyz", "", "") // once it answers, the socket is there
	var link struct{ Link string }
	if out := does(t, "link", "--json", "--data", data, "--email", made.OwnerEmail); json.Unmarshal([]byte(out), &link) != nil || !strings.HasPrefix(link.Link, "https://svc.example/sign-in?token=") {
		t.Fatal(out)
	}
	_, token, _ := strings.Cut(link.Link, "token=")
	if status, body := call(t.Context(), "POST", "http://"+address+"/svc-api/trpc/auth.login", "", `{"json":{"linkToken":"`+token+`"}}`); status != http.StatusOK {
		t.Errorf("the link: %d %s", status, body)
	}
	if said := refuses(t, svcd("link", "--data", data, "--email", "nobody@example.com")); !strings.Contains(said, "nobody@example.com") {
		t.Error(said)
	}
	p.stop(t)
	if out := does(t, "link", "--data", data, "--email", made.OwnerEmail, "--listen", "127.0.0.1:9"); !strings.Contains(out, "http://127.0.0.1:9/sign-in?token=") {
		t.Error(out)
	}
}

// control asks a running daemon over its control socket.
func control(t testing.TB, data, path string) []byte {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", filepath.Join(data, "control.sock"))
	}}}
	res, err := client.Get("http://svcd" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s %v %.200s", res.Status, err, b)
	}
	return b
}

func TestProfilesAreOnTheControlSocket(t *testing.T) {
	data := t.TempDir()
	p := serve(t, data)
	call(t.Context(), "GET", p.URL+"/readyz", "", "") // once it answers, the socket is there
	if got := control(t, data, "/debug/pprof/goroutine?debug=1"); !strings.HasPrefix(string(got), "goroutine profile: total") {
		t.Errorf("%.200s", got)
	}
}

// TestEmptyVariableIsSet turns the admin address off with an empty variable, and
// is told of those that cannot be empty.
func TestEmptyVariableIsSet(t *testing.T) {
	cmd := svcd("config", "show")
	cmd.Env = append(cmd.Env, "SVCD_ADMIN=", "SVCD_ORIGINS=")
	if out, said, status := run(t, cmd); status != 0 || !strings.Contains(out, "\nadmin: \n") {
		t.Errorf("exit %d\n%s%s", status, out, said)
	}
	cmd = svcd("config", "show")
	cmd.Env = append(cmd.Env, "SVCD_DRAIN=", "SVCD_DATA=", "SVCD_JOB_WORKERS=", "SVCD_BEHIND_PROXY=")
	_, said, status := run(t, cmd)
	for _, want := range []string{
		"SVCD_DRAIN: drain is set but empty; remove it for the default (10s)", "data: name a folder",
		"SVCD_JOB_WORKERS: job-workers is set but empty", "SVCD_BEHIND_PROXY: behind-proxy is set but empty",
	} {
		if status != 1 || !strings.Contains(said, want) {
			t.Errorf("exit %d, no %q in\n%s", status, want, said)
		}
	}
}

// TestLargeConfigurationFile names a file of a gigabyte, all of it a hole.
func TestLargeConfigurationFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svcd.yaml")
	if err := os.WriteFile(path, []byte("listen: 127.0.0.1:0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said, status := run(t, svcd("config", "show", "--config", path)); status != 0 {
		t.Errorf("a small one: exit %d\n%s", status, said)
	}
	for name, size := range map[string]int64{"a byte more": 1<<20 + 1, "a gigabyte": 1 << 30} {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if said := refuses(t, svcd("config", "show", "--config", path)); !strings.Contains(said, path+" is larger than 1 MiB") {
			t.Errorf("%s: %s", name, said)
		}
	}
}
