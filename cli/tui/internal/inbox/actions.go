package inbox

import (
	"context"
	"regexp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// Actions implements screen.Screen.
func (s *Screen) Actions() []screen.Action {
	if s.api == nil {
		return nil
	}
	return []screen.Action{
		{Key: "i", Name: "reply", Doc: "Write to the visitor; ctrl-s sends", Write: true, Run: s.reply},
		{Key: "t", Name: "take over", Doc: "Take the conversation over from the agent", Write: true, Run: s.takeOver},
		{Key: "b", Name: "hand back", Doc: "Let the agent answer again", Write: true, Run: s.handBack},
		{Key: "c", Name: "canned", Doc: "Choose a canned response for the reply", Write: true, Run: s.canned},
		{Key: "n", Name: "note", Doc: "Write a note that only members see", Write: true, Run: s.note},
		{Key: "x", Name: "close", Doc: "Resolve the conversation, or open it again", Write: true, Run: s.close},
		{Key: "tab", Name: "person", Doc: "Show who the visitor is", Run: s.card},
		{Key: "s", Name: "pile", Doc: "Show the inbox, who waits, what is yours, what is resolved", Silent: true, Run: s.nextPile},
		{Key: "/", Name: "filter", Doc: "Show the conversations with these words", Silent: true, Run: func() tea.Cmd { s.filling = true; return nil }},
		{Key: "enter", Name: "open", Doc: "Open the conversation", Silent: true, Run: s.enter},
		{Key: "esc", Name: "back", Doc: "Back to the list", Silent: true, Run: s.back},
	}
}

func (s *Screen) enter() tea.Cmd {
	if s.talk != nil && (!s.Narrow() || s.Front) && !s.ReadOnly {
		return s.reply()
	}
	s.Front = true
	return s.look()
}

func (s *Screen) back() tea.Cmd {
	switch {
	case s.talk != nil && s.talk.card:
		s.talk.card = false
	case s.Front:
		s.Front = false
	case !s.filter.Empty():
		s.filter.Set("")
		s.arrange()
	}
	return nil
}

func (s *Screen) nextPile() tea.Cmd {
	s.pile = (s.pile + 1) % len(piles)
	s.arrange()
	return s.follow()
}

func (s *Screen) card() tea.Cmd {
	if s.talk != nil {
		s.talk.card = !s.talk.card
		s.Front = true
	}
	return s.look()
}

func (s *Screen) write(note bool) tea.Cmd {
	if s.talk == nil {
		return nil
	}
	s.talk.card, s.Front = false, true
	d := s.talk.draft
	d.note, d.active = note, true
	return s.look()
}

func (s *Screen) reply() tea.Cmd { return s.write(false) }
func (s *Screen) note() tea.Cmd  { return s.write(true) }

// change makes one change to the conversation under the cursor.
func (s *Screen) change(doing, done string, do func(ctx context.Context, id string) (*api.Conversation, error)) tea.Cmd {
	c := s.list.Current()
	if c == nil {
		return nil
	}
	id := c.ID
	return s.AsMember(doing, func(ctx context.Context) (tea.Msg, error) {
		changed, err := do(ctx, id)
		return conversationChanged{changed, done}, err
	})
}

func (s *Screen) takeOver() tea.Cmd {
	return s.change("take over", "you have the conversation; the agent is quiet", func(ctx context.Context, id string) (*api.Conversation, error) {
		return s.api.TakeOver(ctx, api.Ref{ID: id})
	})
}

func (s *Screen) handBack() tea.Cmd {
	return s.change("hand back", "the agent answers again", func(ctx context.Context, id string) (*api.Conversation, error) {
		return s.api.ReturnToBot(ctx, api.Ref{ID: id})
	})
}

func (s *Screen) close() tea.Cmd {
	c := s.list.Current()
	if c == nil {
		return nil
	}
	state, done := api.ConversationResolved, "resolved"
	if c.State == api.ConversationResolved {
		state, done = api.ConversationOpen, "open again"
	}
	return s.change("close", done, func(ctx context.Context, id string) (*api.Conversation, error) {
		return s.api.SetState(ctx, api.ConversationSetState{ID: id, State: state})
	})
}

// draft is a reply or a note that is being written. Each conversation keeps
// its own.
type draft struct {
	field   part.Field
	note    bool
	active  bool
	sending bool
	canned  string // the response that it began with
}

func newDraft() *draft { return &draft{field: part.Field{Lines: true}} }

type messageSent struct {
	message *api.Message
	id      string
}

type sendFailed struct {
	id  string
	err error
}

func (s *Screen) typeReply(k tea.KeyMsg) tea.Cmd {
	d := s.talk.draft
	switch k.String() {
	case "esc":
		d.active = false
		return nil
	case "ctrl+s":
		return s.send()
	case "pgup", "pgdown":
		s.talk.view.Key(k.String())
		return nil
	case "tab":
		return s.card()
	case "/":
		if d.field.Empty() {
			return s.canned()
		}
	}
	if !d.sending {
		d.field.Key(k)
	}
	return nil
}

func (s *Screen) send() tea.Cmd {
	d, id := s.talk.draft, s.talk.id
	text := strings.TrimSpace(d.field.Value())
	if text == "" || d.sending {
		return nil
	}
	d.sending = true
	note, canned := d.note, d.canned
	return s.Errands.Do(func(ctx context.Context) tea.Msg {
		m, err := s.post(ctx, id, text, canned, note)
		if err != nil {
			return sendFailed{id, err}
		}
		return messageSent{m, id}
	})
}

func (s *Screen) post(ctx context.Context, id, text, canned string, note bool) (*api.Message, error) {
	if note {
		return s.api.Note(ctx, api.ConversationNote{ID: id, Text: text})
	}
	return s.api.Reply(ctx, api.Reply{ID: id, Text: text, CannedID: canned})
}

func (s *Screen) sent(msg messageSent) tea.Cmd {
	if d := s.drafts[msg.id]; d != nil {
		goesOn := d.active && !d.note // a chat goes on; a note is kept and done
		*d = *newDraft()
		d.active = goesOn
	}
	if s.talk != nil && s.talk.id == msg.id {
		s.talk.put(msg.message)
	}
	return nil
}

// unsent keeps the text: it can be sent again.
func (s *Screen) unsent(msg sendFailed) tea.Cmd {
	if d := s.drafts[msg.id]; d != nil {
		d.sending = false
	}
	return screen.Send(screen.Failure("send; your text is kept", msg.err))
}

type cannedLoaded struct{ page *api.Page[api.CannedResponse] }

type cannedPicked struct{ response api.CannedResponse }

func (s *Screen) canned() tea.Cmd {
	if s.talk == nil || s.saved == nil {
		return nil
	}
	return s.AsMember("list canned responses", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.saved.List(ctx, api.CannedQuery{PageQuery: api.PageQuery{Limit: screen.PageSize}})
		return cannedLoaded{page}, err
	})
}

func (s *Screen) openCanned(msg cannedLoaded) tea.Cmd {
	if len(msg.page.Data) == 0 {
		return screen.Refuse("there are no canned responses; svcctl canned create makes one")
	}
	var choices []screen.Choice
	for _, r := range msg.page.Data {
		choices = append(choices, screen.Choice{Label: "/" + part.Line(r.Shortcut), Note: part.Line(r.Title), Then: func() tea.Cmd { return screen.Send(cannedPicked{r}) }})
	}
	return s.Tell(screen.Choose{Title: "Canned responses", Choices: choices})
}

var variable = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_.]+)\s*\}\}`)

// insert puts a canned response into the reply, with what is known of the
// visitor.
func (s *Screen) insert(msg cannedPicked) tea.Cmd {
	c := s.list.Current()
	if s.talk == nil || c == nil {
		return nil
	}
	missing := ""
	text := variable.ReplaceAllStringFunc(msg.response.Body, func(found string) string {
		known := map[string]string{"name": c.Visitor.Name, "email": c.Visitor.Email}
		name := variable.FindStringSubmatch(found)[1]
		if known[name] == "" {
			missing = name
			return found
		}
		return known[name]
	})
	s.talk.draft.field.Insert(text)
	s.talk.draft.canned = msg.response.ID
	if missing != "" {
		return tea.Batch(s.reply(), screen.Refuse("fill in {{"+part.Line(missing)+"}} before you send"))
	}
	return s.reply()
}
