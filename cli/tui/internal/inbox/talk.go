package inbox

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// history is how many messages a transcript begins with.
const history = 200

// talk is the transcript of one conversation, as it goes on.
type talk struct {
	id       string
	messages []api.Message
	writing  []*answer // what agents write now
	types    string    // who types: visitor, or another member
	here     bool      // the visitor has the widget open
	live     *screen.Feed[api.ConversationEvent]
	draft    *draft
	view     part.Scroller
	card     bool // the person card is shown instead
	loaded   bool

	// What was drawn is kept while it would come out the same.
	as    drawn
	drawn map[int][]string // by seq
}

// drawn is what the look of a message hangs on.
type drawn struct {
	w, names int
	theme    string
}

// answer is a message that an agent is still writing.
type answer struct {
	id, text string
	tools    []api.ToolCall
}

type talkLoaded struct {
	id   string
	list *api.MessageList
}

func newTalk(id string, d *draft) *talk {
	return &talk{id: id, draft: d, view: part.Scroller{Follow: true}}
}

func (t *talk) load(s *Screen) tea.Cmd {
	id, since := t.id, 0
	if c := s.list.Current(); c != nil {
		since = max(0, c.LastSeq-history)
	}
	return s.AsMember("read the conversation", func(ctx context.Context) (tea.Msg, error) {
		list, err := s.api.Messages(ctx, api.MessageQuery{ID: id, Since: since, Limit: history})
		return talkLoaded{id, list}, err
	})
}

// begin shows the messages so far and follows those to come.
func (t *talk) begin(s *Screen, msg talkLoaded) tea.Cmd {
	t.loaded = true
	last := 0
	for i := range msg.list.Data {
		t.put(&msg.list.Data[i])
		last = max(last, msg.list.Data[i].Seq)
	}
	if t.live != nil {
		return nil
	}
	f, cmd := screen.OpenFeed(s.Errands, t.id, func(ctx context.Context) screen.Seq[api.ConversationEvent] {
		return s.api.Conversation(ctx, api.ConversationWatch{ID: msg.id, Since: last})
	})
	t.live = f
	return cmd
}

// put adds a message in its place; one that came before is replaced.
func (t *talk) put(m *api.Message) {
	t.writing = slices.DeleteFunc(t.writing, func(a *answer) bool { return a.id == m.ID })
	delete(t.drawn, m.Seq)
	i, found := slices.BinarySearchFunc(t.messages, m.Seq, func(have api.Message, seq int) int { return have.Seq - seq })
	if found {
		t.messages[i] = *m
		return
	}
	t.messages = slices.Insert(t.messages, i, *m)
}

func (t *talk) event(e *api.ConversationEvent) {
	switch e.Type {
	case "message":
		if e.Message != nil {
			t.put(e.Message)
		}
	case "start":
		*t.answer(e.MessageID) = answer{id: e.MessageID}
	case "presence":
		t.here = e.On
	case "delta":
		a := t.answer(e.MessageID)
		a.text += e.Text
	case "tool":
		if e.Tool != nil {
			t.answer(e.MessageID).tool(*e.Tool)
		}
	case "cancel":
		t.writing = slices.DeleteFunc(t.writing, func(a *answer) bool { return a.id == e.MessageID })
	case "typing":
		t.types = ""
		if e.On && e.From != api.AuthorAgent {
			t.types = e.From
		}
	}
}

func (t *talk) answer(id string) *answer {
	for _, a := range t.writing {
		if a.id == id {
			return a
		}
	}
	a := &answer{id: id}
	t.writing = append(t.writing, a)
	return a
}

func (a *answer) tool(call api.ToolCall) {
	i := slices.IndexFunc(a.tools, func(have api.ToolCall) bool { return have.ID == call.ID })
	if i >= 0 {
		a.tools[i] = call
		return
	}
	a.tools = append(a.tools, call)
}
