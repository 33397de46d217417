package tui

import (
	"context"
	"regexp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/sdk/api"
)

func (s *inbox) actions() []action {
	if s.api == nil {
		return nil
	}
	return []action{
		{key: "i", name: "reply", doc: "Write to the visitor; ctrl-s sends", write: true, run: s.reply},
		{key: "t", name: "take over", doc: "Take the conversation over from the agent", write: true, run: s.takeOver},
		{key: "b", name: "hand back", doc: "Let the agent answer again", write: true, run: s.handBack},
		{key: "c", name: "canned", doc: "Choose a canned response for the reply", write: true, run: s.canned},
		{key: "n", name: "note", doc: "Write a note that only members see", write: true, run: s.note},
		{key: "x", name: "close", doc: "Resolve the conversation, or open it again", write: true, run: s.close},
		{key: "tab", name: "person", doc: "Show who the visitor is", run: s.card},
		{key: "s", name: "pile", doc: "Show the inbox, who waits, what is yours, what is resolved", silent: true, run: s.nextPile},
		{key: "/", name: "filter", doc: "Show the conversations with these words", silent: true, run: func() tea.Cmd { s.filling = true; return nil }},
		{key: "enter", name: "open", doc: "Open the conversation", silent: true, run: s.enter},
		{key: "esc", name: "back", doc: "Back to the list", silent: true, run: s.back},
	}
}

func (s *inbox) enter() tea.Cmd {
	if s.talk != nil && (!s.narrow() || s.front) && !s.readOnly {
		return s.reply()
	}
	s.front = true
	return s.look()
}

func (s *inbox) back() tea.Cmd {
	switch {
	case s.talk != nil && s.talk.card:
		s.talk.card = false
	case s.front:
		s.front = false
	case !s.filter.empty():
		s.filter.set("")
		s.arrange()
	}
	return nil
}

func (s *inbox) nextPile() tea.Cmd {
	s.pile = (s.pile + 1) % len(piles)
	s.arrange()
	return s.follow()
}

func (s *inbox) card() tea.Cmd {
	if s.talk != nil {
		s.talk.card = !s.talk.card
		s.front = true
	}
	return s.look()
}

func (s *inbox) write(note bool) tea.Cmd {
	if s.talk == nil {
		return nil
	}
	s.talk.card, s.front = false, true
	d := s.talk.draft
	d.note, d.active = note, true
	return s.look()
}

func (s *inbox) reply() tea.Cmd { return s.write(false) }
func (s *inbox) note() tea.Cmd  { return s.write(true) }

// change makes one change to the conversation under the cursor.
func (s *inbox) change(doing, done string, do func(ctx context.Context, id string) (*api.Conversation, error)) tea.Cmd {
	c := s.list.current()
	if c == nil {
		return nil
	}
	id := c.ID
	return s.asMember(doing, func(ctx context.Context) (tea.Msg, error) {
		changed, err := do(ctx, id)
		return conversationChanged{changed, done}, err
	})
}

func (s *inbox) takeOver() tea.Cmd {
	return s.change("take over", "you have the conversation; the agent is quiet", func(ctx context.Context, id string) (*api.Conversation, error) {
		return s.api.TakeOver(ctx, api.Ref{ID: id})
	})
}

func (s *inbox) handBack() tea.Cmd {
	return s.change("hand back", "the agent answers again", func(ctx context.Context, id string) (*api.Conversation, error) {
		return s.api.ReturnToBot(ctx, api.Ref{ID: id})
	})
}

func (s *inbox) close() tea.Cmd {
	c := s.list.current()
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
	field   field
	note    bool
	active  bool
	sending bool
	canned  string // the response that it began with
}

func newDraft() *draft { return &draft{field: field{lines: true}} }

type messageSent struct {
	message *api.Message
	id      string
}

type sendFailed struct {
	id  string
	err error
}

func (s *inbox) typeReply(k tea.KeyMsg) tea.Cmd {
	d := s.talk.draft
	switch k.String() {
	case "esc":
		d.active = false
		return nil
	case "ctrl+s":
		return s.send()
	case "pgup", "pgdown":
		s.talk.view.key(k.String())
		return nil
	case "tab":
		return s.card()
	case "/":
		if d.field.empty() {
			return s.canned()
		}
	}
	if !d.sending {
		d.field.key(k)
	}
	return nil
}

func (s *inbox) send() tea.Cmd {
	d, id := s.talk.draft, s.talk.id
	text := strings.TrimSpace(d.field.value())
	if text == "" || d.sending {
		return nil
	}
	d.sending = true
	note, canned := d.note, d.canned
	return s.errands.do(func(ctx context.Context) tea.Msg {
		m, err := s.post(ctx, id, text, canned, note)
		if err != nil {
			return sendFailed{id, err}
		}
		return messageSent{m, id}
	})
}

func (s *inbox) post(ctx context.Context, id, text, canned string, note bool) (*api.Message, error) {
	if note {
		return s.api.Note(ctx, api.ConversationNote{ID: id, Text: text})
	}
	return s.api.Reply(ctx, api.Reply{ID: id, Text: text, CannedID: canned})
}

func (s *inbox) sent(msg messageSent) tea.Cmd {
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
func (s *inbox) unsent(msg sendFailed) tea.Cmd {
	if d := s.drafts[msg.id]; d != nil {
		d.sending = false
	}
	return send(failure("send; your text is kept", msg.err))
}

type cannedLoaded struct{ page *api.Page[api.CannedResponse] }

type cannedPicked struct{ response api.CannedResponse }

func (s *inbox) canned() tea.Cmd {
	if s.talk == nil || s.saved == nil {
		return nil
	}
	return s.asMember("list canned responses", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.saved.List(ctx, api.CannedQuery{PageQuery: api.PageQuery{Limit: pageSize}})
		return cannedLoaded{page}, err
	})
}

// choose opens a chooser.
type choose struct {
	title   string
	choices []choice
}

func (s *inbox) openCanned(msg cannedLoaded) tea.Cmd {
	if len(msg.page.Data) == 0 {
		return say("there are no canned responses; svcctl canned create makes one")
	}
	var choices []choice
	for _, r := range msg.page.Data {
		choices = append(choices, choice{label: "/" + line(r.Shortcut), note: line(r.Title), then: func() tea.Cmd { return send(cannedPicked{r}) }})
	}
	return s.tell(choose{"Canned responses", choices})
}

var variable = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_.]+)\s*\}\}`)

// insert puts a canned response into the reply, with what is known of the
// visitor.
func (s *inbox) insert(msg cannedPicked) tea.Cmd {
	c := s.list.current()
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
	s.talk.draft.field.insert(text)
	s.talk.draft.canned = msg.response.ID
	if missing != "" {
		return tea.Batch(s.reply(), say("fill in {{"+line(missing)+"}} before you send"))
	}
	return s.reply()
}
