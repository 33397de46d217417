package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/sdk/api"
)

// TestGoldens shows every screen at four sizes, as testdata/*.golden has it.
func TestGoldens(t *testing.T) {
	states := []struct {
		name string
		keys []string
	}{
		{"posts", nil},
		{"posts-preview", []string{"z"}},
		{"posts-filter", []string{"/", "g", "o"}},
		{"jobs", []string{"2"}},
		{"jobs-failed", []string{"2", "down", "down", "enter"}},
		{"inbox", []string{"3"}},
		{"inbox-reply", []string{"3", "enter", "i", "N", "o", ",", " ", "日"}},
		{"inbox-card", []string{"3", "tab"}},
		{"inbox-canned", []string{"3", "i", "/"}},
		{"agents", []string{"4"}},
		{"agents-run", []string{"4", "tab", "tab", "ctrl+r"}},
		{"help", []string{"?"}},
		{"palette", []string{":", "p"}},
		{"archive-many", []string{" ", " ", "a"}},
		{"delete", []string{"down", "down", "down", "down", "D"}},
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {60, 15}, {39, 9}} {
		for _, state := range states {
			name := fmt.Sprintf("%s-%dx%d", state.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := newWorld(t, size[0], size[1], "recorded.json")
				s.keys(state.keys...)
				golden(t, name, s.view())
			})
		}
	}
}

func TestEmptyGoldens(t *testing.T) {
	for i, name := range []string{"posts", "jobs", "inbox", "agents"} {
		s := newWorld(t, 80, 24, "")
		s.keys(fmt.Sprint(i + 1))
		golden(t, "empty-"+name, s.view())
	}
}

// golden holds a screen to its file; the flag -update, which teatest brings,
// writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	var trimmed []string
	for l := range strings.SplitSeq(got, "\n") {
		trimmed = append(trimmed, strings.TrimRight(l, " "))
	}
	got = strings.Join(trimmed, "\n") + "\n"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestPublishAndArchive(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.keys("p")
	s.sees("▸● Why Go for the edge", "✓ published why-go")
	s.keys(" ", " ", "a")
	s.sees("Archive 2 posts?")
	s.keys("n")
	if len(s.posts.calls) != 1 {
		t.Fatalf("archived without consent: %v", s.posts.calls)
	}
	s.keys("a", "y")
	if diff := cmp.Diff([]string{"ARCHIVED post_01j0000000000000000000000a", "ARCHIVED post_01j0000000000000000000000b"}, s.posts.calls[1:]); diff != "" {
		t.Error(diff)
	}
	s.keys("home", "D")
	s.sees("for good?", "type why-go:")
	s.keys("o", "n", "enter")
	s.sees("that was not it")
	s.keys("D", "w", "h", "y", "-", "g", "o", "enter")
	s.sees("deleted why-go")
	if got := s.posts.calls[len(s.posts.calls)-1]; got != "delete post_01j0000000000000000000000a" {
		t.Errorf("called %s", got)
	}
}

func TestRefusalIsTold(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.posts.refuse = errors.New("slug is taken")
	s.keys("p")
	s.sees("✗ could not publish why-go: slug is taken", "▸○ Why Go for the edge")
}

func TestReadOnly(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.keys("R", "p", "a", "g")
	s.sees("read-only", "nothing is changed")
	s.keys("3", "t", "i", "x")
	if len(s.posts.calls)+len(s.inbox.calls) > 0 || s.m.screen().typing() {
		t.Errorf("changed %v %v", s.posts.calls, s.inbox.calls)
	}
	s.keys("R", "t")
	if len(s.inbox.calls) != 1 {
		t.Errorf("after read-only, %v", s.inbox.calls)
	}
}

func TestReply(t *testing.T) {
	s := newWorld(t, 100, 30, "recorded.json")
	s.keys("3", "i", "H", "i", "enter", "q", "1", "esc")
	s.keys("down", "up") // a draft waits for its conversation
	s.inbox.refuse = errors.New("the daemon is away")
	s.keys("i", "ctrl+s")
	s.sees("your text is kept", "> Hi")
	s.inbox.refuse = nil
	s.keys("ctrl+s")
	s.sees("you   Hi")
	if !s.m.screen().typing() {
		t.Error("a reply ends the writing")
	}
	s.keys("esc")
	want := "reply conv_01 Hi\nq1"
	if diff := cmp.Diff([]string{want, want}, s.inbox.calls); diff != "" {
		t.Error(diff)
	}
	s.keys("n", "s", "o", "ctrl+s")
	if got := s.inbox.calls[len(s.inbox.calls)-1]; got != "note conv_01 so" {
		t.Errorf("the note became %q", got)
	}
	s.keys("i", "/", "h", "e", "l", "l", "o", "enter")
	s.sees("> Hi Ada Lovelace, how can I help?")
	s.keys("esc", "t")
	s.sees("yours", "you have the conversation")
	s.keys("b")
	s.sees("agent answers")
	s.keys("x")
	s.sees("✓ resolved")
}

func TestAgents(t *testing.T) {
	s := newWorld(t, 100, 30, "recorded.json")
	s.keys("4", "tab", "right", " ")
	s.sees("create_post [x]", "Nova: create_post on")
	s.keys("esc", "down", "A")
	s.sees("▸★ Draft", "Draft · gpt-6-luna · ACTIVE")
	if strings.Count(s.view(), "★") != 1 {
		t.Errorf("more than one agent is active:\n%s", s.view())
	}
	s.keys("tab", "tab", "p", "ctrl+r")
	s.sees("POST https://api.x.io/enrich", "< 200 OK", "312 ms", "nothing fills {{person.city}}")
	if diff := cmp.Diff([]string{"activate agent_2", "render task_1", "live task_1"}, append(s.agents.calls, s.tasks.calls...)); diff != "" {
		t.Error(diff)
	}
}

func TestCopies(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.keys("Y")
	s.sees("copied svcctl post get why-go")
	if !strings.HasPrefix(s.clip, "\x1b]52;c;") {
		t.Errorf("the clipboard got %q", s.clip)
	}
}

func TestMouse(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	click := func(x, y int) {
		s.do(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	}
	s.view()
	click(5, 4)
	s.sees("▸○ Shipping FAQ", "/shipping ·")
	head, _, _ := strings.Cut(s.view(), "\n")
	click(len([]rune(head[:strings.Index(head, "2 Jobs")])), 0)
	s.sees("Jobs · live")
	s.do(tea.MouseMsg{X: 3, Y: 5, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	s.sees("▸○ queued: Shipping FAQ")
	s.keys("4")
	s.view()
	click(40, 6)
	s.sees("▸Weekly digest")
}

// TestOvertakenEvents: an older state of a conversation changes nothing, and an
// answer that begins again takes back its text.
func TestOvertakenEvents(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.keys("3")
	in := s.m.screen().(*inbox)
	old := s.inbox.page.Data[0]
	old.Version, old.Visitor.Name = 1, "Nobody"
	in.put(&old)
	in.talk.event(&api.ConversationEvent{Type: "start", MessageID: "msg_x"})
	in.talk.event(&api.ConversationEvent{Type: "delta", MessageID: "msg_x", Text: "Anew"})
	s.sees("Ada Lovelace", "Anew▌")
	if v := s.view(); strings.Contains(v, "Nobody") || strings.Contains(v, "not included") {
		t.Errorf("what was overtaken is shown:\n%s", v)
	}
}

// TestReadByLooking: only what the operator has come to counts as read.
func TestReadByLooking(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	if s.sees("3 Inbox²"); len(s.inbox.read) > 0 {
		t.Fatalf("read %v before anyone looked", s.inbox.read)
	}
	s.keys("3", "down", "down")
	s.sees("3 Inbox¹")
	if diff := cmp.Diff([]string{"conv_02"}, s.inbox.read); diff != "" {
		t.Error(diff)
	}
}

// TestLostConnection: the banner comes and goes, and what was missed is read.
func TestLostConnection(t *testing.T) {
	s := newWorld(t, 80, 24, "recorded.json")
	s.m.log = NewCalls(nil)
	fault := called{fault: errors.New("connection refused")}
	s.m.heard(fault)
	s.sees("the daemon does not answer", "Why Go for the edge")
	s.posts.page.Data = s.posts.page.Data[1:]
	cmd := s.m.heard(called{})
	var batch = cmd().(tea.BatchMsg)
	for _, c := range batch[1:] { // the first waits for the next call
		s.settle(c)
	}
	s.sees("connected again", "▸● Pricing, explained")
	if strings.Contains(s.view(), "does not answer") {
		t.Error("the banner stays")
	}
}

// TestStreamsBeginAgain: a stream that has ended is opened again with the next
// reading.
func TestStreamsBeginAgain(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	jobs, feeds, opened := s.jobs.feeds, s.inbox.feeds, s.inbox.opened
	for _, screen := range s.m.screens {
		s.settle(screen.show())
	}
	if s.jobs.feeds == jobs || s.inbox.feeds == feeds || s.inbox.opened == opened {
		t.Errorf("opened the jobs %d, the inbox %d, the transcript %d times", s.jobs.feeds, s.inbox.feeds, s.inbox.opened)
	}
}

// TestFeedEnds: why a stream ended is told behind what it brought, and a closed
// one lets go of its connection.
func TestFeedEnds(t *testing.T) {
	s := newWorld(t, 80, 24, "")
	lost := errors.New("lost")
	_, cmd := openFeed(s.m.errands, "x", func(context.Context) seq[int] {
		return func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, lost) }
	})
	if batch := cmd().(fed[int]); !slices.Equal(batch.values, []int{1}) || !batch.over || batch.err != lost {
		t.Errorf("the stream ended with %+v", batch)
	}
	f, _ := openFeed(s.m.errands, "y", func(ctx context.Context) seq[int] { return received[int](ctx, nil) })
	f.close()
	select {
	case <-f.done:
	default:
		t.Error("a closed stream goes on")
	}
}

// TestSentOnce: a second ctrl-s while the first is under way sends nothing.
func TestSentOnce(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.keys("3", "i", "H", "i")
	in := s.m.screen().(*inbox)
	if first, second := in.send(), in.send(); first == nil || second != nil {
		t.Error("the reply is sent twice, or not at all")
	}
}

// TestJobsReadLate: a list that was read before an event arrived, and comes after
// it, takes nothing back.
func TestJobsReadLate(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.keys("2")
	stale := s.jobs.page
	j := s.m.screen().(*jobs)
	later := stale.Data[0]
	later.State, later.Version = api.JobCanceled, later.Version+1
	j.put(&later)
	j.put(&api.Job{ID: "job_new", State: api.JobQueued, Version: 1})
	s.do(jobsLoaded{&stale})
	s.sees("queued: job_new", "- Why Go for the edge")
}

// TestSessionEnds: where members work it is said that the session is over and
// what signs in; what was typed is kept.
func TestSessionEnds(t *testing.T) {
	command := "svcctl login https://svc.example --email you@example.com"
	over := api.NewError(401, api.CodeSessionRequired, "The session has expired.")
	for _, key := range []string{"3", "4"} {
		s := newWorld(t, 80, 24, "")
		s.inbox.refuse, s.agents.refuse = over, over
		s.m.screens[2] = newInbox(s.m.room, s.inbox, s.canned, s.m.place)
		s.m.screens[3] = newAgents(s.m.room, s.agents, s.tasks, s.m.place)
		s.keys(key, "r")
		s.sees("Your session has ended.", command, "There is nothing")
		if v := s.view(); strings.Contains(v, "reading …") {
			t.Errorf("still waits:\n%s", v)
		}
	}
	s := newWorld(t, 80, 24, "recorded.json")
	s.inbox.refuse = over
	s.keys("3", "i", "H", "i", "ctrl+s")
	s.sees(command, "> Hi", "your text is kept")
	s.keys("esc", "1")
	if v := s.view(); strings.Contains(v, command) {
		t.Errorf("the posts need no session:\n%s", v)
	}
}

// TestOneArticleOnce: an answer that quotes an article twice names it once.
func TestOneArticleOnce(t *testing.T) {
	s := newWorld(t, 100, 24, "recorded.json")
	s.keys("3")
	in := s.m.screen().(*inbox)
	in.talk.put(&api.Message{ID: "msg_q", Seq: 50, Text: "So it is.", Author: api.MessageAuthor{Type: api.AuthorAgent, Name: "Nova"}, CreatedAt: api.TimeOf(noon),
		Citations: []api.Citation{{ArticleID: "art_1", Title: "Duty"}, {ArticleID: "art_2", Title: "Taxes"}, {ArticleID: "art_1", Title: "Duty"}}})
	s.sees("▸ Duty (help)   ▸ Taxes (help)")
	if strings.Count(s.view(), "▸ Duty") != 1 {
		t.Errorf("twice:\n%s", s.view())
	}
}

func TestWithoutSession(t *testing.T) {
	s := newWorld(t, 80, 24, "recorded.json")
	s.m.screens[2] = newInbox(s.m.room, nil, nil, s.m.place)
	s.m.screens[3] = newAgents(s.m.room, nil, nil, s.m.place)
	for _, key := range []string{"3", "4"} {
		s.keys(key, "t", "i", "enter", "tab", "ctrl+r", "down")
		s.sees("svcctl login https://svc.example --email you@example.com")
	}
}

// TestHostileText: nothing that a visitor or a post says steers the terminal or
// moves the edges.
func TestHostileText(t *testing.T) {
	hostile := "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\u2066 👩‍👩‍👧‍👦❤️👍🏽🇩🇪 日本語 e\u0301\u0301\u0301\u0301\u0301 \u200b\u00ad\u2028 a\tb\r\n " + strings.Repeat("長", 300)
	for _, size := range [][2]int{{80, 24}, {60, 15}, {41, 11}} {
		s := newWorld(t, size[0], size[1], "recorded.json")
		s.posts.content = "<p>" + hostile + "&#27;[31m &#x202e; [x](http://a)</p><table><tr><td>" + hostile + "</td><td>b</td></tr></table>"
		for i := range s.posts.page.Data {
			p := &s.posts.page.Data[i]
			p.Version++
			p.Title, p.Slug, p.Description, p.Tags = hostile, hostile, hostile, []string{hostile}
		}
		s.jobs.page.Data[0].Provider, s.jobs.page.Data[2].Error.Message = hostile, hostile
		s.jobs.events[s.jobs.page.Data[0].ID][1].Text = hostile
		for i := range s.inbox.page.Data {
			c := &s.inbox.page.Data[i]
			c.Visitor.Name, c.Visitor.PageURL, c.Visitor.Locale, c.Tags = hostile, "https://x/"+hostile, hostile, []string{hostile}
		}
		for i := range s.inbox.messages["conv_01"] {
			m := &s.inbox.messages["conv_01"][i]
			m.Text, m.Author.Name = hostile+"\n\n```\n"+hostile+"\n```\n> "+hostile, hostile
			m.ToolCalls = append(m.ToolCalls, api.ToolCall{Name: hostile, State: "done", Result: hostile})
		}
		s.agents.page.Data[0].Name, s.tasks.page.Data[0].Name = hostile, hostile
		s.tasks.runs[0].Run.Response.Body, s.tasks.runs[0].Run.Request.URL = hostile, hostile
		for _, screen := range s.m.screens {
			s.settle(screen.show())
		}
		for _, keys := range [][]string{{"1"}, {"z"}, {"z", "2"}, {"enter"}, {"3"}, {"enter"}, {"tab"}, {"esc", "4"}, {"tab", "tab", "ctrl+r"}, {":"}, {"esc", "1", "D"}} {
			s.keys(keys...)
			raw := s.m.View()
			s.view()
			if strings.ContainsAny(raw, "\x07\u009b\u202e\u2066\u200d\u2028\r\t") || strings.Contains(raw, "\x1b]") || strings.Contains(raw, "\x1b[2J") {
				t.Errorf("hostile text reaches the terminal after %v: %q", keys, raw)
			}
		}
	}
}

func TestAgo(t *testing.T) {
	for want, d := range map[string]time.Duration{"now": 5 * time.Second, "2m": 2 * time.Minute, "3h": 3 * time.Hour, "4d": 100 * time.Hour, "1y": 400 * 24 * time.Hour} {
		if got := ago(noon, api.TimeOf(noon.Add(-d))); got != want {
			t.Errorf("%v ago is %q, want %q", d, got, want)
		}
	}
}
