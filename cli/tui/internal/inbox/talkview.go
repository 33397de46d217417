package inbox

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/part/prose"
	"edgesvc.dev/svc/sdk/api"
)

func (s *Screen) drawTalk(w int) []string {
	iw, ih := part.Inner(w, s.H)
	c := s.list.Current()
	if c == nil || s.talk == nil || s.talk.id != c.ID {
		return part.Pane{Title: "Conversation"}.Draw(s.Theme, w, s.H)
	}
	p := part.Pane{Title: s.heading(c), Active: s.Typing() || s.Alone()}
	if s.talk.card {
		p.Lines = s.personCard(c, iw)
		return p.Draw(s.Theme, w, s.H)
	}
	p.Bottom = s.replyBox(iw, ih)
	room := ih - len(p.Bottom)
	s.talk.view.Set(s.transcript(c, iw-2), room)
	for _, text := range s.talk.view.Lines() {
		p.Lines = append(p.Lines, " "+text)
	}
	return p.Draw(s.Theme, w, s.H)
}

// heading is who chats, from where.
func (s *Screen) heading(c *api.Conversation) string {
	parts := []string{visitorName(c)}
	if u, err := url.Parse(c.Visitor.PageURL); err == nil && u.Path != "" {
		parts = append(parts, part.Line(u.Path))
	}
	if c.Visitor.Locale != "" {
		parts = append(parts, region(c.Visitor.Locale))
	}
	if c.Visitor.Verified {
		parts = append(parts, "verified ✓")
	}
	return strings.Join(append(parts, s.stateWords(c)), " · ")
}

// region is the country of a language tag, or the language.
func region(tag string) string {
	parts := strings.Split(part.Line(tag), "-")
	return strings.ToUpper(parts[len(parts)-1])
}

func (s *Screen) stateWords(c *api.Conversation) string {
	switch {
	case c.State == api.ConversationBot:
		return "agent answers"
	case waiting(c):
		return "waits for a person"
	case s.mine(c):
		return "yours"
	case c.State == api.ConversationOpen:
		return "another member's"
	}
	return part.Line(c.State)
}

func (s *Screen) replyBox(w, h int) []string {
	d := s.talk.draft
	prompt, hint := " > ", "ctrl-s send  / canned "
	switch {
	case d.sending:
		hint = s.Spinner() + " sending "
	case d.note:
		prompt, hint = " note > ", "ctrl-s keep, members only "
	case !d.active:
		hint = "i reply  t take over "
	}
	left := ansi.StringWidth(prompt)
	lines := min(max(1, h/4), 5)
	text := d.field.Draw(s.Theme, max(w-left-1, 1), lines, d.active && !d.sending)
	for len(text) > 1 && strings.TrimSpace(ansi.Strip(text[len(text)-1])) == "" {
		text = text[:len(text)-1]
	}
	out := []string{part.Rule}
	for i, l := range text {
		if i > 0 {
			prompt = strings.Repeat(" ", left)
		}
		out = append(out, prompt+l)
	}
	last := out[len(out)-1]
	if ansi.StringWidth(last)+ansi.StringWidth(hint) < w {
		out[len(out)-1] = part.Spread(last, s.Theme.Dim.Render(hint), w)
	}
	return out
}

// transcript is the messages as lines of w columns.
func (s *Screen) transcript(c *api.Conversation, w int) []string {
	t := s.talk
	if !t.loaded {
		return s.Unread(w)
	}
	names := 6
	for i := range t.messages {
		names = max(names, min(ansi.StringWidth(s.author(c, &t.messages[i]))+1, 12))
	}
	var out []string
	if now := (drawn{w, names, s.Theme.Name}); t.as != now {
		t.as, t.drawn = now, map[int][]string{}
	}
	for i := range t.messages {
		m := &t.messages[i]
		if t.drawn[m.Seq] == nil {
			t.drawn[m.Seq] = s.message(c, m, names, w)
		}
		out = append(out, t.drawn[m.Seq]...)
	}
	for _, a := range t.writing {
		out = append(out, s.streaming(c, a, names, w)...)
	}
	if t.types == api.AuthorVisitor {
		out = append(out, s.Theme.Dim.Render(part.Fit("", names)+visitorName(c)+" types…"))
	}
	if len(out) == 0 {
		out = s.Advice(w, "Nothing was said yet.")
	}
	return out
}

// author is the first name of who wrote a message.
func (s *Screen) author(c *api.Conversation, m *api.Message) string {
	name := part.Or(part.Line(m.Author.Name), m.Author.Type)
	switch {
	case m.Author.Type == api.AuthorVisitor:
		name = part.Or(part.Line(m.Author.Name), visitorName(c))
	case s.Me != "" && m.Author.ID == s.Me:
		return "you"
	}
	return strings.FieldsFunc(name+" ", func(r rune) bool { return r == ' ' || r == '@' })[0]
}

func (s *Screen) message(c *api.Conversation, m *api.Message, names, w int) []string {
	at := s.Theme.Dim.Render(m.CreatedAt.Time().In(s.Now.Location()).Format("15:04"))
	textWidth := max(w-names-6, 1)
	if m.Author.Type == api.AuthorSystem {
		lines := part.Paint(s.Theme.Dim, part.Wrap("· "+part.Line(m.Text), textWidth))
		lines[0] = part.Spread(part.Fit("", names)+lines[0], at, w)
		for i := 1; i < len(lines); i++ {
			lines[i] = part.Fit("", names) + lines[i]
		}
		return lines
	}
	var lines []string
	switch {
	case m.Note:
		kind := "note: "
		if m.Suggested {
			kind = "suggested reply: "
		}
		lines = part.Paint(s.Theme.Warn, part.Wrap(kind+part.Clean(m.Text), textWidth))
	case m.Author.Type == api.AuthorVisitor:
		lines = part.Wrap(part.Clean(m.Text), textWidth)
	default:
		lines = prose.Lines(part.Clean(m.Text), textWidth, s.Theme.Prose)
	}
	lines = append(lines, s.sources(m, textWidth)...)
	return s.column(s.author(c, m), s.nameStyle(m.Author.Type), lines, at, names, w)
}

func (s *Screen) nameStyle(kind string) part.Style {
	switch kind {
	case api.AuthorAgent:
		return s.Theme.Brand
	case api.AuthorUser:
		return s.Theme.Good
	}
	return s.Theme.Bold
}

// column puts a name before the first line and the time behind it.
func (s *Screen) column(name string, look part.Style, lines []string, at string, names, w int) []string {
	if len(lines) == 0 {
		lines = []string{""}
	}
	out := make([]string, len(lines))
	for i, text := range lines {
		if i > 0 {
			out[i] = part.Fit("", names) + text
			continue
		}
		out[i] = part.Spread(look.Render(part.Fit(ansi.Truncate(name, names-1, "…"), names))+text, at, w)
	}
	return out
}

// sources is what an answer rests on and what the agent did for it.
func (s *Screen) sources(m *api.Message, w int) []string {
	var parts []string
	for i, c := range m.Citations {
		if slices.ContainsFunc(m.Citations[:i], func(before api.Citation) bool { return before.ArticleID == c.ArticleID }) {
			continue // two quotes of one article
		}
		parts = append(parts, "▸ "+part.Line(c.Title)+" (help)")
	}
	for _, call := range m.ToolCalls {
		parts = append(parts, toolLine(&call))
	}
	if m.Stop != "" {
		parts = append(parts, "stopped: "+part.Line(m.Stop))
	}
	switch m.Rating {
	case 1:
		parts = append(parts, "rated good +1")
	case -1:
		parts = append(parts, "rated bad -1")
	}
	if len(parts) == 0 {
		return nil
	}
	return part.Paint(s.Theme.Dim, part.Wrap(strings.Join(parts, "   "), w))
}

func toolLine(call *api.ToolCall) string {
	out := "tool: " + part.Line(call.Name)
	switch call.State {
	case "running":
		out += " …"
	case "refused", "failed":
		out += " ✗ " + call.State
	default:
		if call.Result != "" {
			out += " ✓ " + part.Line(call.Result)
		}
	}
	return out
}

func (s *Screen) streaming(c *api.Conversation, a *answer, names, w int) []string {
	textWidth := max(w-names-6, 1)
	var lines []string
	if a.text != "" {
		lines = prose.Lines(part.Clean(a.text)+"▌", textWidth, s.Theme.Prose)
	}
	for i := range a.tools {
		lines = append(lines, s.Theme.Dim.Render(ansi.Truncate(toolLine(&a.tools[i]), textWidth, "…")))
	}
	lines = append(lines, s.Theme.Live.Render(ansi.Truncate(s.Spinner()+" streaming… (t to take over)", textWidth, "…")))
	name := "agent"
	for i := range s.talk.messages {
		if s.talk.messages[i].Author.Type == api.AuthorAgent {
			name = s.author(c, &s.talk.messages[i])
		}
	}
	return s.column(name, s.Theme.Brand, lines, "", names, w)
}

// personCard is what is known of the visitor.
func (s *Screen) personCard(c *api.Conversation, w int) []string {
	rating := map[int]string{1: "good", -1: "bad"}[c.Rating]
	verified := "no"
	if c.Visitor.Verified {
		verified = "yes ✓, by the site"
	}
	rows := [][2]string{
		{"name", c.Visitor.Name}, {"e-mail", c.Visitor.Email}, {"verified", verified}, {"person", c.PersonID},
		{"page", c.Visitor.PageTitle}, {"address", c.Visitor.PageURL}, {"language", c.Visitor.Locale},
		{"there now", map[bool]string{true: "yes", false: "no"}[s.talk.here]}, {"state", s.stateWords(c)}, {"handed over", c.HandoffReason}, {"tags", strings.Join(c.Tags, ", ")},
		{"rating", rating}, {"messages", fmt.Sprint(c.LastSeq)}, {"since", part.Ago(s.Now, c.StartedAt)}, {"id", c.ID},
	}
	out := []string{""}
	for _, row := range rows {
		out = append(out, part.Fit(" "+s.Theme.Dim.Render(part.Fit(row[0], 12))+part.Or(part.Line(row[1]), "-"), w))
	}
	return append(out, "", " "+s.Theme.Dim.Render("tab goes back"))
}
