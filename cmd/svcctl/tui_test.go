//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/sdk/svctest"
	"golang.org/x/sys/unix"
)

// TestTerminalIsNotAsked runs svcctl on a terminal that never answers: bubbletea
// would ask it for its colours before main runs, and wait (see cli/tui/internal/quiet).
func TestTerminalIsNotAsked(t *testing.T) {
	program, err := exec.LookPath("svcctl")
	if err != nil {
		t.Fatal(err)
	}
	master, tty := openPTY(t)
	cmd := exec.CommandContext(t.Context(), program, "version")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=", "SVC_CONFIG_DIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	out, err := io.ReadAll(master)
	if err != nil && !errors.Is(err, syscall.EIO) { // all writers have left
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("svcctl")) {
		t.Errorf("no version in %q", out)
	}
	if bytes.ContainsRune(out, '\x1b') {
		t.Errorf("svcctl version writes escape sequences to the terminal: %q", out)
	}
}

// openPTY makes a terminal (pty(7)); the test reads and writes master.
func openPTY(t *testing.T) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return master, tty
}

// screen is svcctl tui in tmux, as a person has it before them.
type screen struct {
	t      *testing.T
	socket string
}

// openScreen starts svcctl tui as the owner in a terminal of 100 by 30.
func openScreen(t *testing.T, server *svctest.Server, args ...string) *screen {
	t.Helper()
	return openScreenBy(t, server.SignInLink, args...)
}

// openScreenBy is openScreen for whoever a sign-in link is for.
func openScreenBy(t *testing.T, link string, args ...string) *screen {
	t.Helper()
	program, err := exec.LookPath("svcctl")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	login := exec.CommandContext(t.Context(), program, "login", link, "--password-stdin", "--insecure-storage")
	login.Env = environment(home)
	login.Stdin = strings.NewReader("correct horse battery\n")
	if out, err := login.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := &screen{t: t, socket: filepath.Join(home, "tmux")}
	run := append([]string{"-f", "/dev/null", "-S", s.socket, "new-session", "-d", "-s", "tui", "-x", "100", "-y", "30", program, "tui"}, args...)
	cmd := exec.CommandContext(t.Context(), "tmux", run...)
	cmd.Env = environment(home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() {
		// The session may have ended with its program already.
		_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run()
	})
	return s
}

func environment(home string) []string {
	return []string{"HOME=" + home, "SVC_CONFIG_DIR=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"TERM=tmux-256color", "SHELL=/bin/sh", "DBUS_SESSION_BUS_ADDRESS=", "TZ=UTC", "SVC_EDITOR=replace One Two"}
}

func (s *screen) keys(keys ...string) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "tmux", append([]string{"-S", s.socket, "send-keys", "-t", "tui"}, keys...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// sees waits until the screen shows all texts.
func (s *screen) sees(texts ...string) {
	s.t.Helper()
	s.waits(fmt.Sprintf("the screen never shows %q", texts), func(shown string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(shown, text) })
	})
}

// misses waits until the screen does not show a text.
func (s *screen) misses(text string) {
	s.t.Helper()
	s.waits("the screen goes on to show "+text, func(shown string) bool { return !strings.Contains(shown, text) })
}

func (s *screen) waits(complaint string, enough func(shown string) bool) {
	s.t.Helper()
	shown := ""
	for range 200 {
		out, err := exec.CommandContext(s.t.Context(), "tmux", "-S", s.socket, "capture-pane", "-p", "-t", "tui").CombinedOutput()
		if err != nil {
			s.t.Fatalf("%v: %s", err, out)
		}
		if shown = string(out); enough(shown) {
			return
		}
		time.Sleep(50 * time.Millisecond) // between two looks
	}
	s.t.Fatalf("%s:\n%s", complaint, shown)
}

// TestScreens works in the terminal UI against a real daemon: posts are read
// and published, a job is seen live.
func TestScreens(t *testing.T) {
	server := svctest.NewServer(t)
	c := server.Client()
	ctx := t.Context()
	draft, err := c.Posts.Create(ctx, api.PostCreate{Title: "Why Go", Content: "<h2>Small binaries</h2><p>One <b>file</b>.</p>", Tags: []string{"go"}})
	if err != nil {
		t.Fatal(err)
	}
	s := openScreen(t, server)
	s.sees("1 Posts", "▸○ Why Go", "## Small binaries", "One file.", "/why-go · draft")
	s.keys("p")
	s.sees("✓ published why-go", "▸● Why Go")
	if p, err := c.Posts.Get(ctx, draft.ID); err != nil || p.Status != api.PostPublished {
		t.Fatalf("got %v, %v; want it published", p, err)
	}
	s.keys("e") // the editor has the terminal, and gives it back
	s.sees("✓ saved why-go", "Two file.")

	s.keys("g")
	s.sees("Title of the post to write")
	s.keys("-l", "Edge daemons")
	s.keys("Enter")
	s.sees("a job writes “Edge daemons”")
	s.keys("2")
	s.sees("Jobs · live", "✓ Edge daemons", "✓ content", "100%")
	s.keys("o")
	s.sees("Edge daemons", "Preview")

	s.keys("@")
	s.sees("Calls ·")
	s.keys("-l", "publish") // of the many calls
	s.sees("200", "svcctl api -X POST posts/"+draft.ID+"/publish")
	s.keys("Escape")
	s.misses("Calls ·") // a key right after would be read as Alt and that key
	s.keys(":")
	s.keys("-l", "read-only")
	s.keys("Enter")
	s.sees("read-only")
	s.keys("1", "p")
	s.sees("nothing is changed")
	s.keys("q")
	s.ended()
}

// ended waits until the program has left.
func (s *screen) ended() {
	s.t.Helper()
	for range 100 {
		if exec.Command("tmux", "-S", s.socket, "has-session").Run() != nil {
			return
		}
		time.Sleep(50 * time.Millisecond) // between two looks
	}
	s.t.Fatal("q does not end svcctl tui")
}

// visitor chats on the daemon's own site, over the wire that needs no websocket.
type visitor struct {
	t      *testing.T
	server *svctest.Server
	token  string
	said   int
}

func (v *visitor) says(text string) {
	v.t.Helper()
	v.said++
	body, err := json.Marshal(map[string]any{"visitor": v.token, "frame": api.ChatIn{T: "msg", CID: fmt.Sprint("c", v.said), Text: text}})
	if err != nil {
		v.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.server.URL+"/svc-api/widget/frames?site="+v.server.SiteID, bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "text/plain")
	req.Header.Set("Origin", v.server.URL)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ Frames []api.ChatOut }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		v.t.Fatalf("%d, %v", resp.StatusCode, err)
	}
	for _, f := range answer.Frames {
		if f.T == "ready" {
			v.token = f.Visitor
		}
	}
}

// TestInboxOnScreen: an operator sees a visitor write, takes over, answers, and
// closes, all by stream.
func TestInboxOnScreen(t *testing.T) {
	server := svctest.NewServer(t)
	s := openScreen(t, server, "inbox")
	s.sees("3 Inbox", "No conversations yet.")
	ada := &visitor{t: t, server: server}
	ada.says("Do giraffes yodel? \x1b[31m\u202eevil")
	s.sees("Inbox · 1 unread", "visitor ", "Do giraffes yodel? evil", "🙋", "waits for a person")
	s.keys("t")
	s.sees("you have the conversation", "yours")
	s.keys("i")
	s.keys("-l", "They hum.")
	s.keys("C-s")
	s.sees("They hum.", "> _")
	ada.says("Thank you!")
	s.sees("Thank you!")
	s.keys("Escape")
	s.misses("esc leaves the field")
	s.keys("x")
	s.sees("✓ resolved", "Nothing here.")
	s.keys("4")
	s.sees("respond to chats [x]", "Tasks")
}

// TestDaemonComesBack: the daemon ends and starts again under an operator. What
// they had before them stays, what they wrote is sent once, and everything is
// live again by itself.
func TestDaemonComesBack(t *testing.T) {
	server := svctest.NewServer(t)
	c := server.Client()
	s := openScreen(t, server, "inbox")
	ada := &visitor{t: t, server: server}
	ada.says("Do giraffes yodel?")
	s.sees("Do giraffes yodel?", "🙋")
	s.keys("t")
	s.sees("you have the conversation", "yours")
	s.keys("i")
	s.keys("-l", "They hum.")
	s.sees("> They hum._")

	server.Stop()
	s.sees("the daemon does not answer", "Do giraffes yodel?", "> They hum._")
	s.keys("C-s")
	s.sees("your text is kept", "> They hum._")

	server.Start()
	ada.says("Are you there?") // before the screens have noticed, or after
	s.sees("connected again", "Are you there?", "Do giraffes yodel?", "> They hum._")
	s.misses("does not answer")
	ada.says("Hello?") // while nothing is pressed
	s.sees("Hello?")
	s.keys("C-s")
	s.sees("> _", "They hum.")
	conversations, err := c.Conversations.List(t.Context(), api.ConversationQuery{})
	if err != nil || len(conversations.Data) != 1 {
		t.Fatalf("conversations %v, error %v", conversations, err)
	}
	list, err := c.Conversations.Messages(t.Context(), api.MessageQuery{ID: conversations.Data[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range list.Data {
		if m.Author.Type == api.AuthorVisitor || m.Author.Type == api.AuthorUser {
			said = append(said, m.Text)
		}
	}
	if want := []string{"Do giraffes yodel?", "Are you there?", "Hello?", "They hum."}; !slices.Equal(said, want) {
		t.Errorf("the conversation holds %q, want %q", said, want)
	}

	s.keys("Escape")
	s.misses("esc leaves the field")
	s.keys("2")
	s.sees("No jobs yet.")
	if _, err := c.Posts.Generate(t.Context(), api.PostCreate{Title: "Begun elsewhere", GenerateContent: true}); err != nil {
		t.Fatal(err)
	}
	s.sees("✓ Begun elsewhere", "100%")
}

// TestSessionRevoked: an operator whose sessions a changed password has ended is
// told, with the command that signs in.
func TestSessionRevoked(t *testing.T) {
	server := svctest.NewServer(t)
	s := openScreen(t, server, "inbox")
	s.sees("No conversations yet.")
	member, err := sdk.Login(t.Context(), server.URL, "owner@localhost", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if err := member.Auth.ChangePassword(t.Context(), api.PasswordChange{Current: "correct horse battery", New: "staple of horses"}); err != nil {
		t.Fatal(err)
	}
	s.keys("r") // a quiet stream is ended at its next heartbeat, seconds from now
	s.sees("Your session has ended.", "svcctl login "+server.URL+" --email you@example.com")
	s.keys("4")
	s.sees("Your session has ended.")
}

// TestScreensBySession: a member who may not make an API key works on posts and
// jobs too, and in their editor.
func TestScreensBySession(t *testing.T) {
	server := svctest.NewServer(t)
	ctx := t.Context()
	owner, err := sdk.LoginLink(ctx, server.SignInLink, "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	invited, err := owner.Team.Invite(ctx, api.MemberInvite{Email: "ada@example.com", Role: api.RoleEditor})
	if err != nil {
		t.Fatal(err)
	}
	post, err := owner.Posts.Create(ctx, api.PostCreate{Title: "Why Go", Content: "<p>One file.</p>"})
	if err != nil {
		t.Fatal(err)
	}
	s := openScreenBy(t, string(invited.Link))
	secrets, err := os.ReadFile(filepath.Join(filepath.Dir(s.socket), "secrets.yaml"))
	if err != nil || bytes.Contains(secrets, []byte("svc_")) {
		t.Fatalf("error %v; the editor should have a session and no API key", err)
	}
	s.sees("1 Posts", "▸○ Why Go", "One file.")
	s.keys("p")
	s.sees("✓ published why-go", "▸● Why Go")
	s.keys("e")
	s.sees("✓ saved why-go", "Two file.")
	s.keys("g")
	s.sees("Title of the post to write")
	s.keys("-l", "Edge daemons")
	s.keys("Enter", "2")
	s.sees("Jobs · live", "✓ Edge daemons", "100%")
	if p, err := owner.Posts.Get(ctx, post.ID); err != nil || p.Status != api.PostPublished || !strings.Contains(p.Content, "Two file.") {
		t.Fatalf("the post is %+v, %v", p, err)
	}
}
