package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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
	status := m.Run()
	if err := os.RemoveAll(buildFolder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

var buildFolder = filepath.Join(os.TempDir(), fmt.Sprintf("svcd-test-%d", os.Getpid()))

// built is svcd as make build makes it.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(buildFolder, "svcd")
	build := exec.Command("go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build svcd: %w\n%s", err, out)
	}
	return path, nil
})

// api is where the REST surface begins.
const api = "/svc-api/v1"

// patience ends a test that hangs; it is no measure of what is quick.
const patience = time.Minute

// svcd prepares svcd with these arguments and no setting from outside. Under
// the race detector, which makes a start ten times as long, it is a plain build;
// raced undoes that.
func svcd(args ...string) *exec.Cmd {
	program := os.Args[0]
	if raceDetector {
		var err error
		if program, err = built(); err != nil {
			panic(err)
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = []string{asDaemon + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	cmd.WaitDelay = patience
	return cmd
}

// raced makes the command report data races if the test does.
func raced(cmd *exec.Cmd) *exec.Cmd {
	cmd.Path, cmd.Args[0] = os.Args[0], os.Args[0]
	return cmd
}

// run runs a command to its end and returns what it wrote and its exit status.
func run(t testing.TB, cmd *exec.Cmd) (stdout, stderr string, status int) {
	t.Helper()
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

// does runs svcd and returns what it wrote. It must succeed without a word on
// stderr.
func does(t testing.TB, args ...string) string {
	t.Helper()
	out, said, status := run(t, svcd(args...))
	if status != 0 || said != "" {
		t.Fatalf("%v: exit %d\n%s%s", args, status, out, said)
	}
	return out
}

// refuses runs svcd, which must fail with one line on stderr and nothing on
// stdout. It returns the line.
func refuses(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, said, status := run(t, cmd)
	if status != 1 || out != "" || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "svcd: ") {
		t.Errorf("%v: exit %d\nstdout %q\nstderr %q", cmd.Args[1:], status, out, said)
	}
	return said
}

// team is what svcd init prints.
type team struct{ TeamID, TeamSlug, OwnerEmail, Key, SignInLink string }

// found makes a team in data.
func found(t testing.TB, data string, args ...string) (made team) {
	t.Helper()
	out := does(t, append([]string{"init", "--json", "--data", data}, args...)...)
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatal(err)
	}
	return made
}

// first makes a team in data and returns its key.
func first(t testing.TB, data string) string {
	t.Helper()
	return found(t, data).Key
}

// process is a running svcd.
type process struct {
	*exec.Cmd
	URL    string
	lines  chan string // of stdout, after the first
	log    transcript  // stderr
	exited chan struct{}
	err    error // of Wait, once exited is closed
}

// serving prepares svcd serve on a free port, without limits of requests.
func serving(data string, args ...string) *exec.Cmd {
	return svcd(append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--admin", "",
		"--limits=read=0,write=0,ai=0,mcp=0,login=0,pages=0,search=0"}, args...)...)
}

// serve runs svcd until the test ends, after which its log must hold no panic.
func serve(t testing.TB, data string, args ...string) *process {
	t.Helper()
	return started(t, serving(data, args...))
}

func started(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p, err := start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.end(syscall.SIGKILL)
		for _, bad := range []string{"panic", "DATA RACE"} {
			if log := p.log.String(); strings.Contains(log, bad) {
				t.Errorf("the log speaks of a %s:\n%s", bad, log)
			}
		}
	})
	return p
}

// start runs svcd until it says what it serves. The caller ends it.
func start(cmd *exec.Cmd) (*process, error) {
	p := &process{Cmd: cmd, lines: make(chan string, 64), exited: make(chan struct{})}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.Stderr = &p.log
	if err := p.Start(); err != nil {
		return nil, err
	}
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, url, ok := strings.Cut(lines.Text(), " serves "); ok {
				address <- url
			} else {
				p.lines <- lines.Text()
			}
		}
		p.err = p.Wait()
		close(p.lines)
		close(p.exited)
	}()
	select {
	case p.URL = <-address:
		return p, nil
	case <-p.exited:
		return nil, errors.Join(errors.New("svcd ended: "+p.log.String()), p.err)
	case <-time.After(patience):
		p.end(syscall.SIGKILL)
		return nil, errors.New("svcd did not start: " + p.log.String())
	}
}

// end sends a signal and waits for the process to be gone. One that stays is
// made to tell in its log what it waits for.
func (p *process) end(sig syscall.Signal) {
	_ = p.Process.Signal(sig) // it may have ended by itself
	select {
	case <-p.exited:
	case <-time.After(patience):
		_ = p.Process.Signal(syscall.SIGQUIT)
		<-p.exited
	}
}

// stop ends the process as a service manager does, and wants it to end well.
func (p *process) stop(t testing.TB) {
	t.Helper()
	p.end(syscall.SIGTERM)
	if p.err != nil {
		t.Errorf("exit %v\n%s", p.err, p.log.String())
	}
}

// transcript is text that one goroutine writes while others read it.
type transcript struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (w *transcript) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (w *transcript) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// call makes one request and returns the status and the body; status 0 is no
// answer.
func call(ctx context.Context, method, url, key, body string) (int, []byte) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, b
}

// write creates a post with this content; the id is "" when that was refused.
func (p *process) write(ctx context.Context, key, title, content string) (id string, status int, answer []byte) {
	body, err := json.Marshal(map[string]string{"title": title, "content": content})
	if err != nil {
		return "", 0, nil
	}
	status, answer = call(ctx, "POST", p.URL+api+"/posts", key, string(body))
	var made struct{ ID string }
	if status != http.StatusCreated || json.Unmarshal(answer, &made) != nil {
		return "", status, answer
	}
	return made.ID, status, answer
}

// get reads a JSON answer, which must have status 200.
func get[T any](t testing.TB, url, key string) (v T) {
	t.Helper()
	status, body := call(t.Context(), "GET", url, key, "")
	if err := json.Unmarshal(body, &v); err != nil || status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", url, status, body)
	}
	return v
}

// code is the error code of an answer.
func code(body []byte) string {
	var e struct{ Code string }
	if json.Unmarshal(body, &e) != nil {
		return "no JSON: " + string(body)
	}
	return e.Code
}

// verify runs svcd check over the data of a daemon that has ended.
func verify(t testing.TB, data string) {
	t.Helper()
	if out, said, status := run(t, svcd("check", "--data", data)); status != 0 {
		t.Errorf("check: exit %d\n%s%s", status, out, said)
	}
}

func dataFile(data string) string { return filepath.Join(data, "svc.db") }
