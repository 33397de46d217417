package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A second daemon that cannot have what the first one has says so in one line
// and leaves the first alone.
func TestSecondDaemon(t *testing.T) {
	data := t.TempDir()
	key := first(t, data)
	p := serve(t, data)
	id, _, _ := p.write(t.Context(), key, "Before", "<p>x</p>")
	taken := strings.TrimPrefix(p.URL, "http://")
	for _, c := range []struct{ name, data, listen, says string }{
		{"port", t.TempDir(), taken, "listen on " + taken + ": address already in use"},
		{"data", data, "127.0.0.1:0", "another process has the file open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if said := refuses(t, svcd("serve", "--data", c.data, "--listen", c.listen, "--admin", "")); !strings.Contains(said, c.says) {
				t.Error(said)
			}
		})
	}
	if status, _ := call(t.Context(), "GET", p.URL+api+"/posts/"+id, key, ""); status != http.StatusOK {
		t.Errorf("the first daemon answers %d", status)
	}
	if id, status, answer := p.write(t.Context(), key, "After", "<p>x</p>"); id == "" {
		t.Errorf("the first daemon answers %d %s", status, answer)
	}
	does(t, "backup", "--data", data, filepath.Join(t.TempDir(), "b.db")) // its control socket is still its own
	p.stop(t)
	verify(t, data)
}

// A taken admin address costs the figures and is said; the daemon serves.
func TestBusyAdminAddress(t *testing.T) {
	other := serve(t, t.TempDir())
	taken := strings.TrimPrefix(other.URL, "http://")
	p := serve(t, t.TempDir(), "--admin", taken)
	if status, _ := call(t.Context(), "GET", p.URL+"/readyz", "", ""); status != http.StatusOK {
		t.Errorf("/readyz answers %d", status)
	}
	if log := p.log.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "no figures are served") || !strings.Contains(log, taken) {
		t.Errorf("no warning in\n%s", log)
	}
}

var (
	shownKey  = regexp.MustCompile(`svc_[0-9A-Za-z]{20,}`)
	shownLink = regexp.MustCompile(`/sign-in\?token=(\S+[^'\s])`)
)

// The first start shows a key and a link, later ones do not. The link signs in
// once. Nothing of this is in the log.
func TestFirstStart(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new", "data")
	p := serve(t, data, "--log-level", "debug")
	key, token := firstWords(t, p)
	if status, body := call(t.Context(), "GET", p.URL+api+"/me", key, ""); status != http.StatusOK {
		t.Errorf("the key: %d %s", status, body)
	}
	login := func() (int, []byte) {
		return call(t.Context(), "POST", p.URL+"/svc-api/trpc/auth.login", "", `{"json":{"linkToken":"`+token+`"}}`)
	}
	status, body := login()
	session := regexp.MustCompile(`sess_\w+`).FindString(string(body))
	if status != http.StatusOK || session == "" {
		t.Errorf("the link: %d %s", status, body)
	}
	if status, body := login(); status != http.StatusUnauthorized || !strings.Contains(string(body), `"code":"invalid_credentials"`) {
		t.Errorf("the link again: %d %s", status, body)
	}
	sendBroken(t, p, key)
	for range 3 { // wrong ways to use what is secret
		call(t.Context(), "GET", p.URL+api+"/posts?key="+key, key, "")
		call(t.Context(), "POST", p.URL+api+"/posts", key, `{"title":"`+key)
		call(t.Context(), "GET", p.URL+api+"/"+key, session, "")
	}
	p.stop(t)
	if log := p.log.String(); log == "" || strings.Contains(log, key[8:]) || strings.Contains(log, token) || strings.Contains(log, session) {
		t.Errorf("the log is empty or has a secret:\n%s", log)
	}

	if info, err := os.Stat(data); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
	again := serve(t, data)
	again.stop(t)
	for line := range again.lines {
		t.Errorf("the second start says %q", line)
	}
}

// firstWords reads what the first start shows.
func firstWords(t *testing.T, p *process) (key, token string) {
	t.Helper()
	keys, tokens := map[string]bool{}, map[string]bool{}
	for line := range p.lines {
		if k := shownKey.FindString(line); k != "" {
			key, keys[k] = k, true
		}
		if m := shownLink.FindStringSubmatch(line); m != nil {
			token, tokens[m[1]] = m[1], true
		}
		if strings.Contains(line, "open http") {
			break
		}
	}
	if len(keys) != 1 || len(tokens) != 1 {
		t.Fatalf("shows keys %v and tokens %v", keys, tokens)
	}
	return key, token
}

// sendBroken makes a request with the key that is no HTTP, which the server
// logs.
func sendBroken(t *testing.T, p *process, key string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nAuthorization: Bearer %s\r\nno header at all\r\n\r\n", key)
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
		t.Errorf("%q, %v", answer, err)
	}
}

// A file of a newer format is left as it is by every command.
func TestNewerFormat(t *testing.T) {
	data := t.TempDir()
	first(t, data)
	setFormat(t, dataFile(data), "99")
	before := sum(t, dataFile(data))
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--admin", ""}, {"init", "--another"}, {"check"},
		{"backup", filepath.Join(t.TempDir(), "b.db")}, {"debug", "get", "post", "post_1"},
	} {
		said := refuses(t, svcd(append(args, "--data", data)...))
		if !strings.Contains(said, "format 99") || !strings.Contains(said, "use a newer program") {
			t.Errorf("%v: %s", args, said)
		}
		if sum(t, dataFile(data)) != before {
			t.Fatalf("%v changed the file", args)
		}
	}
	empty := t.TempDir()
	if said := refuses(t, svcd("restore", "--data", empty, dataFile(data))); !strings.Contains(said, "format 99") {
		t.Error(said)
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	setFormat(t, dataFile(data), "1") // the format was all that stood in the way
	serve(t, data)
}

func setFormat(t *testing.T, path, format string) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte(format))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func sum(t testing.TB, path string) [sha256.Size]byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(b)
}

// TestNotify plays systemd.
func TestNotify(t *testing.T) {
	data := t.TempDir()
	first(t, data)
	dir, err := os.MkdirTemp("", "n") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	next := func() string {
		b := make([]byte, 100)
		if err := socket.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		n, err := socket.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	cmd := serving(data)
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+filepath.Join(dir, "s"))
	p := started(t, cmd)
	if got := next(); got != "READY=1" {
		t.Error(got)
	}
	if status, body := call(context.Background(), "GET", p.URL+"/readyz", "", ""); status != http.StatusOK {
		t.Errorf("ready, but %d %s", status, body)
	}
	p.stop(t)
	if got := next(); got != "STOPPING=1" {
		t.Error(got)
	}
}
