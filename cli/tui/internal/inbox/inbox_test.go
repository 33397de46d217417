package inbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/cli/tui/internal/tuitest"
	"edgesvc.dev/svc/sdk/api"
)

// TestGoldens shows the inbox at four sizes, as testdata/*.golden has it.
func TestGoldens(t *testing.T) {
	tuitest.Goldens(t,
		tuitest.State{Name: "inbox", Keys: []string{"3"}},
		tuitest.State{Name: "inbox-reply", Keys: []string{"3", "enter", "i", "N", "o", ",", " ", "日"}},
		tuitest.State{Name: "inbox-card", Keys: []string{"3", "tab"}},
		tuitest.State{Name: "inbox-canned", Keys: []string{"3", "i", "/"}},
	)
}

func TestEmptyGolden(t *testing.T) {
	s := tuitest.New(t, 80, 24, tuitest.Empty)
	s.Keys("3")
	tuitest.Golden(t, "empty-inbox", s.View())
}

func TestReply(t *testing.T) {
	s := tuitest.New(t, 100, 30)
	s.Keys("3", "i", "H", "i", "enter", "q", "1", "esc")
	s.Keys("down", "up") // a draft waits for its conversation
	s.Inbox.Refuse = errors.New("the daemon is away")
	s.Keys("i", "ctrl+s")
	s.Sees("your text is kept", "> Hi")
	s.Inbox.Refuse = nil
	s.Keys("ctrl+s")
	s.Sees("you   Hi")
	s.Sees("leaves the field") // a reply does not end the writing
	s.Keys("esc")
	want := "reply conv_01 Hi\nq1"
	if diff := cmp.Diff([]string{want, want}, s.Inbox.Calls); diff != "" {
		t.Error(diff)
	}
	s.Keys("n", "s", "o", "ctrl+s")
	if got := s.Inbox.Calls[len(s.Inbox.Calls)-1]; got != "note conv_01 so" {
		t.Errorf("the note became %q", got)
	}
	s.Keys("i", "/", "h", "e", "l", "l", "o", "enter")
	s.Sees("> Hi Ada Lovelace, how can I help?")
	s.Keys("esc", "t")
	s.Sees("yours", "you have the conversation")
	s.Keys("b")
	s.Sees("agent answers")
	s.Keys("x")
	s.Sees("✓ resolved")
}

// TestOvertakenEvents: an older state of a conversation changes nothing, and an
// answer that begins again takes back its text.
func TestOvertakenEvents(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	old := s.Inbox.Page.Data[0]
	old.Version, old.Visitor.Name = 1, "Nobody"
	s.Inbox.Events = []api.ConversationEvent{{Type: "conversation", Conversation: &old}}
	s.Inbox.Talks[old.ID] = append(s.Inbox.Talks[old.ID],
		api.ConversationEvent{Type: "start", MessageID: "msg_x"}, api.ConversationEvent{Type: "delta", MessageID: "msg_x", Text: "Anew"})
	s.Keys("3", "r")
	s.Sees("Ada Lovelace", "Anew▌")
	s.Misses("Nobody", "not included")
}

// TestReadByLooking: only what the operator has come to counts as read.
func TestReadByLooking(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	if s.Sees("3 Inbox²"); len(s.Inbox.Read) > 0 {
		t.Fatalf("read %v before anyone looked", s.Inbox.Read)
	}
	s.Keys("3", "down", "down")
	s.Sees("3 Inbox¹")
	if diff := cmp.Diff([]string{"conv_02"}, s.Inbox.Read); diff != "" {
		t.Error(diff)
	}
}

// TestSentOnce: a second ctrl-s while the first is under way sends nothing.
func TestSentOnce(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("3", "i", "H", "i")
	_, first := s.M.Update(tuitest.Key("ctrl+s"))
	_, second := s.M.Update(tuitest.Key("ctrl+s"))
	s.Settle(first)
	s.Settle(second)
	if diff := cmp.Diff([]string{"reply conv_01 Hi"}, s.Inbox.Calls); diff != "" {
		t.Error(diff)
	}
}

// TestOneArticleOnce: an answer that quotes an article twice names it once.
func TestOneArticleOnce(t *testing.T) {
	s := tuitest.New(t, 100, 24, func(s *tuitest.World) {
		id := s.Inbox.Page.Data[0].ID
		s.Inbox.Transcripts[id] = append(s.Inbox.Transcripts[id], api.Message{ID: "msg_q", Seq: 50, Text: "So it is.", Author: api.MessageAuthor{Type: api.AuthorAgent, Name: "Nova"}, CreatedAt: api.TimeOf(tuitest.Noon),
			Citations: []api.Citation{{ArticleID: "art_1", Title: "Duty"}, {ArticleID: "art_2", Title: "Taxes"}, {ArticleID: "art_1", Title: "Duty"}}})
	})
	s.Keys("3")
	s.Sees("▸ Duty (help)   ▸ Taxes (help)")
	if strings.Count(s.View(), "▸ Duty") != 1 {
		t.Errorf("twice:\n%s", s.View())
	}
}

// TestConversationStreams: an answer grows token by token, and is replaced by
// the message that it becomes.
func TestConversationStreams(t *testing.T) {
	live := make(chan api.ConversationEvent)
	p := tuitest.Start(t, func(s *tuitest.World) { s.Inbox.Live = live })
	p.Keys("3")
	p.Shows("Is duty included?")
	live <- api.ConversationEvent{Type: "start", MessageID: "msg_n"}
	for _, word := range []string{"No, ", "duty ", "is extra"} {
		live <- api.ConversationEvent{Type: "delta", MessageID: "msg_n", Text: word}
	}
	p.Shows("No, duty is extra▌", "streaming…")
	live <- api.ConversationEvent{Type: "message", Message: &api.Message{ID: "msg_n", Seq: 5, Text: "No, duty is extra.",
		Author: api.MessageAuthor{Type: api.AuthorAgent, Name: "Nova"}, CreatedAt: api.TimeOf(tuitest.Noon)}}
	p.Shows("No, duty is extra.")
	p.Quit(t)
	if v := p.View(); strings.Contains(v, "streaming…") || strings.Count(v, "duty is extra") != 1 {
		t.Errorf("the answer is there twice, or still being written:\n%s", v)
	}
}
