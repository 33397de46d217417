package inbox

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// piles are the parts of the inbox, in turn.
var piles = []string{"inbox", "waiting", "mine", "resolved"}

// Screen is the conversations beside the transcript of one.
type Screen struct {
	screen.Halves
	api   Service
	saved Canned

	all     []api.Conversation
	list    part.List[api.Conversation]
	live    *screen.Feed[api.ConversationEvent]
	pile    int
	filter  part.Field
	filling bool
	loaded  bool

	talk   *talk // what is open beside the list
	drafts map[string]*draft
}

type inboxLoaded struct{ page *api.Page[api.Conversation] }

type conversationRead struct{ conversation *api.Conversation }

type conversationChanged struct {
	conversation *api.Conversation
	done         string
}

// New returns the screen.
func New(r *screen.Room, conversations Service, saved Canned) *Screen {
	return &Screen{Halves: screen.Halves{Room: r}, api: conversations, saved: saved, drafts: map[string]*draft{},
		list: part.NewList(func(c *api.Conversation) string { return c.ID })}
}

// Name implements screen.Screen.
func (s *Screen) Name() string { return "Inbox" }

// MembersOnly reports that the screen is for signed-in members.
func (s *Screen) MembersOnly() bool { return true }

// Badge implements screen.Screen.
func (s *Screen) Badge() int {
	n := 0
	for i := range s.all {
		n += min(s.all[i].Unread, 1)
	}
	return n
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.filling || s.talk != nil && s.talk.draft.active }

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd {
	if s.api == nil {
		return nil
	}
	cmds := []tea.Cmd{s.AsMember("list conversations", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, api.ConversationQuery{PageQuery: api.PageQuery{Limit: screen.PageSize}})
		return inboxLoaded{page}, err
	})}
	if s.live == nil {
		f, cmd := screen.OpenFeed(s.Errands, "inbox", s.api.Inbox)
		s.live = f
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case inboxLoaded:
		s.all, s.loaded = msg.page.Data, true
		s.arrange()
		if s.talk != nil && s.talk.live == nil {
			s.talk = nil // its stream has ended: begin again
		}
		return s.follow()
	case conversationRead:
		s.put(msg.conversation)
	case conversationChanged:
		s.put(msg.conversation)
		return screen.Say(msg.done)
	case screen.Fed[api.ConversationEvent]:
		return s.take(msg)
	case talkLoaded:
		if s.talk != nil && s.talk.id == msg.id {
			return s.talk.begin(s, msg)
		}
	case messageSent:
		return s.sent(msg)
	case sendFailed:
		return s.unsent(msg)
	case cannedLoaded:
		return s.openCanned(msg)
	case cannedPicked:
		return s.insert(msg)
	}
	return nil
}

// take shows what a stream brought: that of the inbox, or of the transcript.
func (s *Screen) take(batch screen.Fed[api.ConversationEvent]) tea.Cmd {
	if s.talk != nil && batch.Feed == s.talk.live {
		for i := range batch.Values {
			s.talk.event(&batch.Values[i])
			if c := batch.Values[i].Conversation; c != nil {
				s.put(c)
			}
		}
		return s.goOn(batch, func() { s.talk.live = nil })
	}
	if batch.Feed != s.live {
		return nil
	}
	for i := range batch.Values {
		c := batch.Values[i].Conversation
		switch {
		case c == nil:
		case batch.Values[i].Type == "deleted":
			s.drop(c.ID)
		default:
			s.put(c)
		}
	}
	return tea.Batch(s.goOn(batch, func() { s.live = nil }), s.follow())
}

func (s *Screen) goOn(batch screen.Fed[api.ConversationEvent], forget func()) tea.Cmd {
	if !batch.Over {
		return batch.Feed.Next()
	}
	forget()
	if batch.Err != nil {
		return screen.Send(screen.Failure("follow conversations", batch.Err))
	}
	return nil
}

// put adds or changes a conversation. An older version than the one shown is
// an event that was overtaken.
func (s *Screen) put(c *api.Conversation) {
	i := slices.IndexFunc(s.all, func(have api.Conversation) bool { return have.ID == c.ID })
	switch {
	case i < 0:
		s.all = append(s.all, *c)
	case s.all[i].Version > c.Version:
		return
	default:
		s.all[i] = *c
	}
	s.arrange()
}

func (s *Screen) drop(id string) {
	s.all = slices.DeleteFunc(s.all, func(c api.Conversation) bool { return c.ID == id })
	s.arrange()
}

// arrange sorts the inbox, latest first, and keeps the pile that is shown.
func (s *Screen) arrange() {
	slices.SortStableFunc(s.all, func(a, b api.Conversation) int { return int(latest(&b) - latest(&a)) })
	words := strings.ToLower(strings.TrimSpace(s.filter.Value()))
	var rows []api.Conversation
	for _, c := range s.all {
		if s.piled(&c) && (words == "" || strings.Contains(strings.ToLower(about(&c)), words)) {
			rows = append(rows, c)
		}
	}
	s.list.Set(rows)
}

func about(c *api.Conversation) string {
	text := c.Visitor.Name + " " + c.Visitor.Email + " " + strings.Join(c.Tags, " ")
	if c.LastMessage != nil {
		text += " " + c.LastMessage.Text
	}
	return text
}

func latest(c *api.Conversation) api.Time {
	if c.LastMessage != nil {
		return c.LastMessage.At
	}
	return c.UpdatedAt
}

// piled reports whether a conversation is in the pile that is shown.
func (s *Screen) piled(c *api.Conversation) bool {
	switch piles[s.pile] {
	case "waiting":
		return waiting(c)
	case "mine":
		return s.mine(c)
	case "resolved":
		return c.State == api.ConversationResolved
	}
	return c.State != api.ConversationResolved
}

func waiting(c *api.Conversation) bool {
	return c.State == api.ConversationOpen && c.AssigneeID == ""
}

func (s *Screen) mine(c *api.Conversation) bool {
	return s.Me != "" && c.AssigneeID == s.Me && c.State != api.ConversationResolved
}

// follow opens the transcript of the conversation under the cursor.
func (s *Screen) follow() tea.Cmd {
	c := s.list.Current()
	if c == nil {
		return nil
	}
	if s.talk != nil && s.talk.id == c.ID {
		return nil
	}
	if s.talk != nil {
		s.talk.live.Close()
	}
	d := s.drafts[c.ID]
	if d == nil {
		d = newDraft()
		s.drafts[c.ID] = d
	}
	s.talk = newTalk(c.ID, d)
	return s.talk.load(s)
}

// Find implements screen.Finder.
func (s *Screen) Find(id string) tea.Cmd {
	if i := s.list.Index(id); i >= 0 {
		s.list.Cursor = i
	}
	return s.follow()
}

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyMsg) tea.Cmd {
	switch {
	case s.api == nil:
		return nil
	case s.filling:
		return s.typeFilter(k)
	case s.talk != nil && s.talk.draft.active:
		return s.typeReply(k)
	case s.talk != nil && s.Alone():
		s.talk.view.Key(k.String())
		return nil
	}
	if s.talk != nil && (k.String() == "pgup" || k.String() == "pgdown") {
		s.talk.view.Key(k.String())
		return nil
	}
	if s.list.Key(k.String()) {
		return s.look()
	}
	return nil
}

// look is follow by the person's own act: what they see now is read.
func (s *Screen) look() tea.Cmd {
	c := s.list.Current()
	if c == nil {
		return nil
	}
	if c.Unread == 0 || s.ReadOnly {
		return s.follow()
	}
	c.Unread = 0
	id := c.ID
	return tea.Batch(s.follow(), s.AsMember("mark it as read", func(ctx context.Context) (tea.Msg, error) {
		changed, err := s.api.MarkRead(ctx, api.Ref{ID: id})
		return conversationRead{changed}, err
	}))
}

func (s *Screen) typeFilter(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		s.filter.Set("")
		s.filling = false
	case "enter":
		s.filling = false
	default:
		s.filter.Key(k)
	}
	s.arrange()
	return s.follow()
}
