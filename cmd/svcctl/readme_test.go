package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// readmePatience is how long one command of the README may take: make build with a
// cold cache on a busy machine.
const readmePatience = 8 * time.Minute

// notRun are the commands of the README that the test does not run, by how they
// begin, and why.
var notRun = map[string]string{
	"brew install":        "it installs from the network",
	"gh release download": "it downloads from the network",
	"go install":          "it installs from the network",
	"git clone":           "the sources are those of this checkout",
	"make test":           "it runs this test",
}

// TestREADME runs every command of the README's blocks, one after the other, in a
// copy of the sources: what a reader types after git clone. Only what stands for
// the reader's own is replaced.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("builds both programs")
	}
	for _, program := range []string{"git", "make", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			skip(t, "the README needs "+program)
		}
	}
	r := newReader(t)
	commands := readmeCommands(t)
	if len(commands) < 25 {
		t.Fatalf("only %d commands were found: %q", len(commands), commands)
	}
	for _, command := range commands {
		if why := whyNot(command); why != "" {
			t.Logf("skipped: %s (%s)", command, why)
			continue
		}
		r.types(command)
	}
}

func whyNot(command string) string {
	for begin, why := range notRun {
		if strings.HasPrefix(command, begin) {
			return why
		}
	}
	if _, err := exec.LookPath("script"); err != nil && strings.HasPrefix(command, "svcctl tui") {
		return "there is no program script to give it a terminal"
	}
	return ""
}

var (
	shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	comment    = regexp.MustCompile(`(^|\s+)# .*$`)
)

// readmeCommands are the lines of the README's shell blocks, without comments.
func readmeCommands(t *testing.T) (commands []string) {
	t.Helper()
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range shellBlock.FindAllStringSubmatch(string(b), -1) {
		for line := range strings.Lines(block[1]) {
			if command := strings.TrimSpace(comment.ReplaceAllString(strings.TrimSpace(line), "")); command != "" {
				commands = append(commands, command)
			}
		}
	}
	return commands
}

// reader is who follows the README: a folder, a shell's variables, and a daemon in
// another terminal.
type reader struct {
	t      *testing.T
	home   string // everything is below it
	dir    string // where the shell is
	path   string // its PATH
	link   string // that the first start printed
	daemon *exec.Cmd
}

func newReader(t *testing.T) *reader {
	home := t.TempDir()
	r := &reader{t: t, home: home, dir: home, path: filepath.Join(home, "browser") + ":" + os.Getenv("PATH")}
	copySources(t, filepath.Join(home, "svc"))
	for _, dir := range []string{"browser", "backups"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "browser", "xdg-open"), []byte("#!/bin/sh\necho opened \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.stop)
	return r
}

// skip ends a test that this machine cannot run, which is a failure in CI.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// copySources copies what git keeps, as it is in the working tree.
func copySources(t *testing.T, to string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		skip(t, "the sources are not a git checkout: "+err.Error())
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		from, target := filepath.Join("../..", name), filepath.Join(to, name)
		info, err := os.Stat(from)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed and not committed yet
		}
		b, readErr := os.ReadFile(from)
		if err := errors.Join(err, readErr, os.MkdirAll(filepath.Dir(target), 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, b, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// types runs one command as a shell does, and keeps its folder and PATH.
func (r *reader) types(command string) {
	r.t.Helper()
	typed := strings.NewReplacer(
		"'http://127.0.0.1:8080/sign-in?token=…'", "'"+r.link+"'",
		"you@example.com", "owner@localhost",
		" /backups/", " "+filepath.Join(r.home, "backups")+"/",
	).Replace(command)
	switch {
	case strings.HasPrefix(command, "svcd serve"):
		r.stop()
		r.serve(typed)
		return
	case strings.HasPrefix(command, "svcd check --repair"):
		r.stop()
	case strings.HasPrefix(command, "svcctl tui"):
		typed = "printf q | script -qec '" + typed + "' /dev/null"
	}
	state := filepath.Join(r.home, "state")
	cmd := r.shell(typed + "\ncode=$?; { pwd; echo \"$PATH\"; } >" + state + "; exit $code")
	timer := time.AfterFunc(readmePatience, func() { _ = cmd.Process.Kill() })
	out, err := cmd.CombinedOutput()
	timer.Stop()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	r.t.Logf("$ %s\n%s", command, firstLines(string(out), 3))
	after, err := os.ReadFile(state)
	if err != nil {
		r.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(after)), "\n")
	r.dir, r.path = lines[0], lines[1]
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}

func (r *reader) shell(script string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.WaitDelay = r.dir, time.Second
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "SVC") && name != "PATH" && name != "HOME" && name != "OPENAI_API_KEY" && name != "ANTHROPIC_API_KEY" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // they are below the home that the reader has not got
		if out, err := exec.Command("go", "env", name).Output(); err == nil {
			cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(out)))
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+r.path, "HOME="+r.home, "XDG_CONFIG_HOME="+filepath.Join(r.home, ".config"), "DBUS_SESSION_BUS_ADDRESS=",
		"SVCD_LISTEN=127.0.0.1:0", "SVCD_ADMIN=", "SVC_EDITOR=true", "DEMO_EXIT=1", "TERM=xterm")
	return cmd
}

// serve runs the daemon in a terminal of its own until stop, and reads the link of
// a first start.
func (r *reader) serve(command string) {
	r.t.Helper()
	cmd := r.shell("exec " + command)
	cmd.Stderr = io.Discard
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.daemon = cmd
	first := r.link == ""
	serves := make(chan string, 1)
	go func() {
		defer close(serves)
		var said strings.Builder
		told := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintln(&said, lines.Text())
			if done := strings.Contains(said.String(), "/widget/demo") || !first; done && !told {
				told = true
				serves <- said.String()
			}
		}
	}()
	select {
	case said, ok := <-serves:
		if !ok {
			r.t.Fatalf("%s ended: %v", command, cmd.Wait())
		}
		r.t.Logf("$ %s\n%s", command, firstLines(said, 1))
		if m := linkLine.FindStringSubmatch(said); m != nil {
			r.link = m[1]
		}
	case <-time.After(time.Minute):
		r.t.Fatalf("%s does not say what it serves", command)
	}
}

var linkLine = regexp.MustCompile(`sign-in link +(\S+)`)

// stop ends the daemon as Ctrl-C does.
func (r *reader) stop() {
	if r.daemon == nil {
		return
	}
	_ = r.daemon.Process.Signal(syscall.SIGINT)
	if err := r.daemon.Wait(); err != nil {
		r.t.Errorf("svcd serve: %v", err)
	}
	r.daemon = nil
}
