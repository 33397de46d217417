package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asDaemon makes the test binary be svcd, so that tests can kill a real process.
const asDaemon = "SVCD_TEST_AS_DAEMON"

func TestMain(m *testing.M) {
	if os.Getenv(asDaemon) != "" {
		main()
	}
	os.Exit(m.Run())
}

// process is a running svcd.
type process struct {
	*exec.Cmd
	URL    string
	stderr strings.Builder
	exited chan struct{}
	err    error // of Wait, once exited is closed
}

// command prepares svcd with these arguments.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asDaemon+"=1", "OPENAI_API_KEY=", "ANTHROPIC_API_KEY=")
	return cmd
}

// first makes a team in data and returns its key.
func first(t *testing.T, data string) string {
	t.Helper()
	out, err := command("init", "--json", "--data", data).Output()
	if err != nil {
		t.Fatalf("init: %v %s", err, out)
	}
	var made struct{ Key string }
	if err := json.Unmarshal(out, &made); err != nil {
		t.Fatal(err)
	}
	return made.Key
}

// serve starts svcd on a free port and waits until it answers.
func serve(t *testing.T, data string, args ...string) *process {
	t.Helper()
	limits := "--limits=read=0,write=0,ai=0,mcp=0,login=0"
	p := &process{Cmd: command(append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--admin", "", limits}, args...)...), exited: make(chan struct{})}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stderr = &p.stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), " serves "); ok {
				address <- url
			}
		}
		p.err = p.Wait()
		close(p.exited)
	}()
	select {
	case p.URL = <-address:
	case <-p.exited:
		t.Fatalf("svcd ended: %v\n%s", p.err, p.stderr.String())
	case <-time.After(30 * time.Second):
		t.Fatal("svcd did not start")
	}
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	return p
}

// end sends a signal and waits for the process to be gone.
func (p *process) end(sig syscall.Signal) {
	_ = p.Process.Signal(sig) // it may have ended by itself
	<-p.exited
}

// call makes one request and returns the status and the body; status 0 is no
// answer.
func call(ctx context.Context, method, url, key, body string) (int, []byte) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, b
}

// verify runs svcd check over the data of a daemon that has ended.
func verify(t *testing.T, data string) {
	t.Helper()
	if out, err := command("check", "--data", data).CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
}

func dataFile(data string) string { return filepath.Join(data, "svc.db") }
