package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestInit(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for _, bad := range [][]string{
		{"--slug", "Not a slug"}, {"--slug", "svc-api"}, {"--email", "nobody"}, {"--team", ""},
	} {
		refuses(t, svcd(append([]string{"init", "--data", data}, bad...)...))
	}
	a := found(t, data, "--team", "Harbour Coffee", "--slug", "harbour", "--email", "you@harbour.example", "--listen", "127.0.0.1:9")
	if a.TeamSlug != "harbour" || a.OwnerEmail != "you@harbour.example" || !strings.HasPrefix(a.TeamID, "team_") ||
		!strings.HasPrefix(a.SignInLink, "http://127.0.0.1:9/sign-in?token=") {
		t.Errorf("%+v", a)
	}
	if said := refuses(t, svcd("init", "--data", data, "--slug", "other")); !strings.Contains(said, "--another") {
		t.Error(said)
	}
	for _, taken := range [][]string{{"--slug", "harbour", "--email", "b@harbour.example"}, {"--slug", "other", "--email", "you@harbour.example"}} {
		refuses(t, svcd(append([]string{"init", "--another", "--data", data}, taken...)...))
	}
	out := does(t, "init", "--another", "--data", data, "--slug", "other", "--email", "b@harbour.example")
	b := shownKey.FindString(out)
	p := serve(t, data)
	for key, slug := range map[string]string{a.Key: "harbour", b: "other"} {
		type me struct{ Team struct{ Slug string } }
		if got := get[me](t, p.URL+api+"/me", key); got.Team.Slug != slug {
			t.Errorf("%+v", got)
		}
	}
	if said := refuses(t, svcd("init", "--another", "--data", data, "--slug", "third", "--email", "c@harbour.example")); !strings.Contains(said, "another process") {
		t.Error(said)
	}
}

// The default configuration, as printed and with every line in force, changes
// nothing.
func TestDefaultConfigIsAConfig(t *testing.T) {
	printed := does(t, "config", "print-default")
	plain := does(t, "config", "show")
	if strings.Count(plain, "\n") < 20 || !strings.Contains(plain, "listen: 127.0.0.1:8080\n") {
		t.Fatal(plain)
	}
	inForce := regexp.MustCompile(`(?m)^#([a-z-]+:)`).ReplaceAllString(printed, "$1")
	if strings.Count(inForce, "\n#") == strings.Count(printed, "\n#") {
		t.Fatal(printed)
	}
	for _, text := range []string{printed, inForce} {
		if got := does(t, "config", "show", "--config", file(t, "svcd.yaml", text)); got != plain {
			t.Errorf("shows\n%s\ninstead of\n%s", got, plain)
		}
	}
}

func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A flag wins over the environment, that over the file, that over the default;
// secrets are masked.
func TestConfigSources(t *testing.T) {
	path := file(t, "svcd.yaml", "drain: 1s\njob-workers: 11\nlog-level: warn\norigins: [https://a.example, https://b.example]\nopenai-api-key: sk-in-the-file\n")
	cmd := svcd("config", "show", "--log-level", "error")
	cmd.Env = append(cmd.Env, "SVCD_CONFIG="+path, "SVCD_JOB_WORKERS=12", "SVCD_LOG_LEVEL=debug", "ANTHROPIC_API_KEY=sk-in-the-environment")
	out, said, status := run(t, cmd)
	if status != 0 || strings.Contains(out+said, "sk-in") {
		t.Errorf("exit %d\n%s%s", status, out, said)
	}
	for _, want := range []string{"drain: 1s", "job-workers: 12", "log-level: error", "origins: https://a.example,https://b.example",
		"openai-api-key: (set)", "anthropic-api-key: (set)", "listen: 127.0.0.1:8080"} {
		if !strings.Contains("\n"+out, "\n"+want+"\n") {
			t.Errorf("lacks %s:\n%s", want, out)
		}
	}
}

// Everything that is wrong is said at once, whatever source it is from.
func TestConfigErrors(t *testing.T) {
	path := file(t, "svcd.yaml", "listn: 127.0.0.1:1\njob-workers: many\nlog-level: loud\ntls-cert: only.pem\n")
	cmd := svcd("serve", "--config", path, "--data", t.TempDir(), "--max-size", "big", "--listen", "0.0.0.0:0", "--admin", "0.0.0.0:0")
	cmd.Env = append(cmd.Env, "SVCD_DRAIN=soon", "SVCD_LIMITS=read=lots", "SVCD_SITE_HOSTS=blog.example")
	out, said, status := run(t, cmd)
	if status != 1 || out != "" {
		t.Errorf("exit %d, %q", status, out)
	}
	wants := []string{"no setting listn", path + ": job-workers", "SVCD_DRAIN: drain", "--max-size: max-size", "limits: ", "log-level: ",
		"tls-cert and tls-key", "admin: ", `"blog.example" must be written as name=value`}
	for _, want := range wants {
		if !strings.Contains(said, want) {
			t.Errorf("lacks %q:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "\n"); n != len(wants) {
		t.Errorf("%d lines for %d mistakes:\n%s", n, len(wants), said)
	}
	for _, bad := range []string{"listen: [", "- a list", "listen: &x *x"} {
		refuses(t, svcd("serve", "--config", file(t, "svcd.yaml", bad)))
	}
	refuses(t, svcd("serve", "--config", "/does/not/exist.yaml"))
}

// What the settings of the models may not be is said before anything is asked.
func TestModelSettings(t *testing.T) {
	f := doctor(t, 1, "--data", t.TempDir(), "--openai-dialect", "own", "--anthropic-base-url", "localhost:1", "--image-model", "draw", "--model-silence", "1ms", "--chat-workers", "0")
	for _, want := range []string{`openai-dialect: "own"`, `anthropic-base-url: "localhost:1"`, "image-model: ", "model-silence: ", "chat-workers "} {
		if !strings.Contains(f["configuration"].Text, want) {
			t.Errorf("lacks %q: %s", want, f["configuration"].Text)
		}
	}
	out := does(t, "config", "show", "--chat-workers", "7", "--openai-dialect", "compatible")
	for _, want := range []string{"chat-workers: 7", "openai-dialect: compatible", "model-silence: 15s", "model-calls: 128"} {
		if !strings.Contains("\n"+out, "\n"+want+"\n") {
			t.Errorf("lacks %s:\n%s", want, out)
		}
	}
}

// Keys travel in clear text only where nobody else listens.
func TestPublicAddressNeedsTLS(t *testing.T) {
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80", "localhost.example:80"} {
		said := refuses(t, svcd("serve", "--data", t.TempDir(), "--admin", "", "--listen", address))
		if !strings.Contains(said, "tls-domains") || !strings.Contains(said, "behind-proxy") {
			t.Errorf("%s: %s", address, said)
		}
	}
	data := t.TempDir()
	first(t, data)
	for _, address := range []string{"localhost:0", "[::1]:0"} {
		serve(t, data, "--listen", address).stop(t)
	}
	serve(t, data, "--listen", "0.0.0.0:0", "--behind-proxy")
	said := refuses(t, svcd("serve", "--data", t.TempDir(), "--admin", "", "--listen", "0.0.0.0:0", "--tls-cert", "no.pem", "--tls-key", "no.pem"))
	if !strings.Contains(said, "no.pem") {
		t.Error(said)
	}
}

type finding struct{ Check, State, Text string }

// doctor runs svcd doctor --json and returns what it found by name.
func doctor(t *testing.T, wantStatus int, args ...string) map[string]finding {
	t.Helper()
	out, said, status := run(t, svcd(append([]string{"doctor", "--json"}, args...)...))
	var list []finding
	if err := json.Unmarshal([]byte(out), &list); err != nil || status != wantStatus || said != "" {
		t.Fatalf("exit %d, %v\n%s%s", status, err, out, said)
	}
	found := map[string]finding{}
	for _, f := range list {
		found[f.Check] = f
	}
	return found
}

func TestDoctor(t *testing.T) {
	data := t.TempDir()
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	free := freeAddress(t)
	if f := doctor(t, 0, "--data", filepath.Join(data, "none"), "--listen", free); f["data folder"].State != "note" {
		t.Errorf("%+v", f)
	}
	if f := doctor(t, 0, "--data", data, "--listen", free); f["data file"].State != "note" {
		t.Errorf("%+v", f)
	}
	first(t, data)
	if f := doctor(t, 0, "--data", data, "--listen", free); f["data file"].State != "ok" || f["listen"].State != "ok" || f["models"].State != "note" {
		t.Errorf("%+v", f)
	}
	if out := does(t, "doctor", "--data", data, "--listen", free); strings.Count(out, "✓") < 4 || strings.Contains(out, "✗") {
		t.Error(out)
	}
	p := serve(t, data)
	mine := strings.TrimPrefix(p.URL, "http://")
	if f := doctor(t, 0, "--data", data, "--listen", mine); f["listen"].State != "ok" || !strings.Contains(f["data file"].Text, "running svcd") {
		t.Errorf("%+v", f)
	}
	if f := doctor(t, 1, "--data", filepath.Join(data, "none"), "--listen", mine); f["listen"].State != "fail" {
		t.Errorf("%+v", f)
	}
	p.stop(t)
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	if f := doctor(t, 1, "--data", data, "--listen", free); f["data folder"].State != "fail" || !strings.Contains(f["data folder"].Text, "chmod 700") {
		t.Errorf("%+v", f)
	}
	if f := doctor(t, 1, "--data", data, "--listen", "nowhere", "--log-format", "xml"); !strings.Contains(f["configuration"].Text, "listen") || !strings.Contains(f["configuration"].Text, "log-format") {
		t.Errorf("%+v", f)
	}
	if err := os.WriteFile(dataFile(data), []byte("not a store"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := doctor(t, 1, "--data", data, "--listen", free); f["data file"].State != "fail" {
		t.Errorf("%+v", f)
	}
}

// TestDoctorFindsWhatServeRefuses, and what serve would go on without: folders that
// cannot be made or written, certificates that are not there, names that lead
// nowhere.
func TestDoctorFindsWhatServeRefuses(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	made := found(t, data)
	free := []string{"--listen", freeAddress(t), "--admin", freeAddress(t)}
	broken := func(check, says string, args ...string) {
		t.Helper()
		if f := doctor(t, 1, append(args, free...)...)[check]; f.State != "fail" || !strings.Contains(f.Text, says) {
			t.Errorf("%v: %+v", args, f)
		}
	}
	broken("data folder", "cannot be made", "--data", "/proc/svc/data")
	broken("data folder", "not a directory", "--data", filepath.Join(data, "secret.key", "deeper"))
	broken("tls", "no.pem", "--data", data, "--tls-cert", "no.pem", "--tls-key", "no.pem")
	broken("model-map", "there is no model gpt-7", "--data", data, "--model-map", "gpt-7=llama3")
	broken("site-hosts", "there is no team nobody", "--data", data, "--site-hosts", "a.example="+made.TeamSlug+",b.example=nobody")
	if f := doctor(t, 0, append(free, "--data", data, "--site-hosts", "a.example="+made.TeamSlug)...); f["site-hosts"].State != "ok" {
		t.Errorf("%+v", f)
	}
	p := serve(t, data, "--site-hosts", "b.example=nobody")
	call(t.Context(), "GET", p.URL+"/readyz", "", "")
	broken("site-hosts", "there is no team nobody", "--data", data) // the running daemon's own map
	if f := doctor(t, 1, append(free, "--data", data)...); !strings.Contains(f["daemon"].Text, "serves "+p.URL) {
		t.Errorf("%+v", f["daemon"])
	}
	if !strings.Contains(p.log.String(), "there is no team nobody") {
		t.Errorf("no warning in\n%s", p.log.String())
	}
	p.stop(t)
	if err := os.Remove(filepath.Join(data, "secret.key")); err != nil {
		t.Fatal(err)
	}
	broken("secret key", "copy it from where you keep it", "--data", data)
	if err := os.WriteFile(filepath.Join(data, "secret.key"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken("data file", "secret.key has 5 bytes", "--data", data)
}

// TestCompatibleServer: the address alone is enough. The doctor and the list of
// models say which name is sent where, and what came of it.
func TestCompatibleServer(t *testing.T) {
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Header.Get("Authorization") != "":
			t.Errorf("a key was sent: %s", r.Header.Get("Authorization"))
		case r.URL.Path == "/v1/models":
			io.WriteString(w, `{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"qwen3:8b"}]}`)
		case !strings.Contains(string(body), `"model":"qwen3:8b"`):
			t.Errorf("asked for %s", body)
		case strings.Contains(string(body), "Refuse this"):
			w.Header().Set("X-Request-Id", "req_42")
			http.Error(w, `{"error":{"message":"the secret plan is refused"}}`, http.StatusBadRequest)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, `data: {"id":"1","choices":[{"index":0,"delta":{"content":"<p>Written by Qwen.</p>"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		}
	}))
	defer ollama.Close()
	data := filepath.Join(t.TempDir(), "data")
	key := first(t, data)
	cmd := serving(data)
	cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+ollama.URL+"/v1")
	p := started(t, cmd)
	for _, title := range []string{"Why Go", "Refuse this"} {
		type started struct{ JobID string }
		_, body := call(t.Context(), "POST", p.URL+api+"/posts", key, `{"title":"`+title+`","generateContent":true}`)
		var s started
		if err := json.Unmarshal(body, &s); err != nil || s.JobID == "" {
			t.Fatalf("%s %v", body, err)
		}
		type job struct{ State, Provider string }
		if j := get[job](t, p.URL+api+"/posts/jobs/"+s.JobID+"?wait=30", key); j.Provider != "compatible" || (j.State == "completed") != (title == "Why Go") {
			t.Errorf("%s: %+v", title, j)
		}
	}
	type models struct {
		Data []struct {
			ID, ServedBy, SentAs, Address string
			LastAnswer                    *struct {
				OK        bool
				Status    int
				RequestID string
			}
		}
	}
	list := get[models](t, p.URL+api+"/models", key).Data
	if m := list[0]; m.ServedBy != "compatible" || m.SentAs != "qwen3:8b" || m.Address != ollama.URL+"/v1" || m.LastAnswer == nil || m.LastAnswer.Status != 400 || m.LastAnswer.RequestID != "req_42" {
		t.Errorf("%+v %+v", m, m.LastAnswer)
	}
	log := p.log.String()
	if !strings.Contains(log, "level=WARN") || !strings.Contains(log, "status=400") || !strings.Contains(log, "requestId=req_42") || strings.Contains(log, "secret plan") {
		t.Errorf("the log says\n%s", log)
	}
	out := does(t, "doctor", "--data", data, "--listen", strings.TrimPrefix(p.URL, "http://"), "--admin", "")
	for _, want := range []string{ollama.URL + "/v1 answered, with 2 models; it is asked as compatible", "covers are drawn by svcd itself", "gpt-6-luna is asked of " + ollama.URL + "/v1 as qwen3:8b", "claude-haiku-5-5 is answered offline"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	ollama.Close()
	if out, _, status := run(t, svcd("doctor", "--data", data, "--listen", strings.TrimPrefix(p.URL, "http://"), "--admin", "")); status != 1 || !strings.Contains(out, ollama.URL+"/v1 did not answer: connection refused") {
		t.Errorf("exit %d\n%s", status, out)
	}
}

// freeAddress is one that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	return ln.Addr().String()
}

func TestVersionAndMistakes(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if out := does(t, args...); !regexp.MustCompile(`^svcd \S+\n$`).MatchString(out) {
			t.Errorf("%v: %q", args, out)
		}
	}
	for _, args := range [][]string{{"serve", "--no-such-flag"}, {"serve", "extra"}, {"backup"}, {"restore", "a", "b"}, {"debug", "get", "post"}, {"config", "nothing"}, {"debug", "nothing"}} {
		refuses(t, svcd(args...))
	}
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"help", "backup"}} {
		if out := does(t, args...); !strings.Contains(out, "Usage:") {
			t.Errorf("%v: %s", args, out)
		}
	}
}

func TestDebugGet(t *testing.T) {
	data := t.TempDir()
	team := found(t, data)
	p := serve(t, data)
	id, _, _ := p.write(t.Context(), team.Key, "A title to find", "<p>x</p>")
	if said := refuses(t, svcd("debug", "get", "post", id, "--data", data)); !strings.Contains(said, "another process has the file open") {
		t.Error(said)
	}
	p.stop(t)
	var got struct {
		Team   string
		Record map[string]any
	}
	out := does(t, "debug", "get", "post", id, "--data", data)
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Team != team.TeamID || len(got.Record) == 0 {
		t.Errorf("%v\n%s", err, out)
	}
	if said := refuses(t, svcd("debug", "get", "post", "post_none", "--data", data)); !strings.Contains(said, "not found") {
		t.Error(said)
	}
	empty := t.TempDir()
	refuses(t, svcd("debug", "get", "post", id, "--data", empty))
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("looking made %v, %v", left, err)
	}
}
