package tui_test

import (
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui"
	"edgesvc.dev/svc/cli/tui/internal/tuitest"
	"edgesvc.dev/svc/sdk/api"
)

// TestGoldens shows what stands above all screens at four sizes, as
// testdata/*.golden has it.
func TestGoldens(t *testing.T) {
	tuitest.Goldens(t, tuitest.State{Name: "help", Keys: []string{"?"}}, tuitest.State{Name: "palette", Keys: []string{":", "p"}})
}

func TestReadOnly(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("R", "p", "a", "g")
	s.Sees("read-only", "nothing is changed")
	s.Keys("3", "t", "i", "x")
	s.Misses("leaves the field")
	if len(s.Posts.Calls)+len(s.Inbox.Calls) > 0 {
		t.Errorf("changed %v %v", s.Posts.Calls, s.Inbox.Calls)
	}
	s.Keys("R", "t")
	if len(s.Inbox.Calls) != 1 {
		t.Errorf("after read-only, %v", s.Inbox.Calls)
	}
}

func TestCopies(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("Y")
	s.Sees("copied svcctl post get why-go")
	if !strings.HasPrefix(s.Clip, "\x1b]52;c;") {
		t.Errorf("the clipboard got %q", s.Clip)
	}
}

func TestMouse(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	click := func(x, y int) {
		s.Do(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	}
	s.View()
	click(5, 4)
	s.Sees("▸○ Shipping FAQ", "/shipping ·")
	head, _, _ := strings.Cut(s.View(), "\n")
	click(len([]rune(head[:strings.Index(head, "2 Jobs")])), 0)
	s.Sees("Jobs · live")
	s.Do(tea.MouseMsg{X: 3, Y: 5, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	s.Sees("▸○ queued: Shipping FAQ")
	s.Keys("4")
	s.View()
	click(40, 6)
	s.Sees("▸Weekly digest")
}

// TestLostConnection: the banner comes and goes, and what was missed is read.
func TestLostConnection(t *testing.T) {
	s := tuitest.New(t, 80, 24)
	s.M.Update(tui.Heard(errors.New("connection refused")))
	s.Sees("the daemon does not answer", "Why Go for the edge")
	s.Posts.Page.Data = s.Posts.Page.Data[1:]
	_, cmd := s.M.Update(tui.Heard(nil))
	for _, c := range cmd().(tea.BatchMsg)[1:] { // the first waits for the next call
		s.Settle(c)
	}
	s.Sees("connected again", "▸● Pricing, explained")
	if strings.Contains(s.View(), "does not answer") {
		t.Error("the banner stays")
	}
}

// TestStreamsBeginAgain: a stream that has ended is opened again with the next
// reading.
func TestStreamsBeginAgain(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	jobs, feeds, opened := s.Jobs.Feeds, s.Inbox.Feeds, s.Inbox.Opened
	s.Keys("2", "r", "3", "r")
	if s.Jobs.Feeds == jobs || s.Inbox.Feeds == feeds || s.Inbox.Opened == opened {
		t.Errorf("opened the jobs %d, the inbox %d, the transcript %d times", s.Jobs.Feeds, s.Inbox.Feeds, s.Inbox.Opened)
	}
}

// TestSessionEnds: where members work it is said that the session is over and
// what signs in; what was typed is kept.
func TestSessionEnds(t *testing.T) {
	command := "svcctl login https://svc.example --email you@example.com"
	over := api.NewError(401, api.CodeSessionRequired, "The session has expired.")
	for _, key := range []string{"3", "4"} {
		s := tuitest.New(t, 80, 24, tuitest.Empty, func(s *tuitest.World) { s.Inbox.Refuse, s.Agents.Refuse = over, over })
		s.Keys(key, "r")
		s.Sees("Your session has ended.", command, "There is nothing")
		s.Misses("reading …")
	}
	s := tuitest.New(t, 80, 24)
	s.Inbox.Refuse = over
	s.Keys("3", "i", "H", "i", "ctrl+s")
	s.Sees(command, "> Hi", "your text is kept")
	s.Keys("esc", "1")
	s.Misses(command) // the posts need no session
}

// TestSessionOnlyEnds: where posts go by the session too, its end is said there.
func TestSessionOnlyEnds(t *testing.T) {
	s := tuitest.New(t, 80, 24, func(s *tuitest.World) { s.Config.SessionOnly = true })
	s.Posts.Refuse = api.NewError(401, api.CodeSessionRequired, "The session has expired.")
	s.Keys("r")
	s.Sees("Your session has ended.", "svcctl login https://svc.example --email you@example.com")
}

func TestWithoutSession(t *testing.T) {
	s := tuitest.New(t, 80, 24, func(s *tuitest.World) {
		s.Config.Inbox, s.Config.Canned, s.Config.Agents, s.Config.Tasks = nil, nil, nil, nil
	})
	for _, key := range []string{"3", "4"} {
		s.Keys(key, "t", "i", "enter", "tab", "ctrl+r", "down")
		s.Sees("svcctl login https://svc.example --email you@example.com")
	}
}

// TestHostileText: nothing that a visitor or a post says steers the terminal or
// moves the edges.
func TestHostileText(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 15}, {41, 11}} {
		s := tuitest.New(t, size[0], size[1], hostile)
		for _, keys := range [][]string{{"1"}, {"z"}, {"z", "2"}, {"enter"}, {"3"}, {"enter"}, {"tab"}, {"esc", "4"}, {"tab", "tab", "ctrl+r"}, {":"}, {"esc", "1", "D"}} {
			s.Keys(keys...)
			raw := s.M.View()
			s.View()
			if strings.ContainsAny(raw, "\x07\u009b\u202e\u2066\u200d\u2028\r\t") || strings.Contains(raw, "\x1b]") || strings.Contains(raw, "\x1b[2J") {
				t.Errorf("hostile text reaches the terminal after %v: %q", keys, raw)
			}
		}
	}
}

// hostile puts text into all that others write.
func hostile(s *tuitest.World) {
	text := "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\u2066 👩‍👩‍👧‍👦❤️👍🏽🇩🇪 日本語 e\u0301\u0301\u0301\u0301\u0301 \u200b\u00ad\u2028 a\tb\r\n " + strings.Repeat("長", 300)
	s.Posts.Content = "<p>" + text + "&#27;[31m &#x202e; [x](http://a)</p><table><tr><td>" + text + "</td><td>b</td></tr></table>"
	for i := range s.Posts.Page.Data {
		p := &s.Posts.Page.Data[i]
		p.Version++
		p.Title, p.Slug, p.Description, p.Tags = text, text, text, []string{text}
	}
	s.Jobs.Page.Data[0].Provider, s.Jobs.Page.Data[2].Error.Message = text, text
	s.Jobs.Events[s.Jobs.Page.Data[0].ID][1].Text = text
	for i := range s.Inbox.Page.Data {
		c := &s.Inbox.Page.Data[i]
		c.Visitor.Name, c.Visitor.PageURL, c.Visitor.Locale, c.Tags = text, "https://x/"+text, text, []string{text}
	}
	for i := range s.Inbox.Transcripts["conv_01"] {
		m := &s.Inbox.Transcripts["conv_01"][i]
		m.Text, m.Author.Name = text+"\n\n```\n"+text+"\n```\n> "+text, text
		m.ToolCalls = append(m.ToolCalls, api.ToolCall{Name: text, State: "done", Result: text})
	}
	s.Agents.Page.Data[0].Name, s.Tasks.Page.Data[0].Name = text, text
	s.Tasks.Runs[0].Run.Response.Body, s.Tasks.Runs[0].Run.Request.URL = text, text
}
