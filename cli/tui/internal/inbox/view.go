package inbox

import (
	"fmt"
	"net/url"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// Click implements screen.Screen.
func (s *Screen) Click(x, y int) tea.Cmd {
	if lw, _ := s.Split(s.listWidth()); x < lw {
		if s.list.Click(y - 1) {
			return s.look()
		}
		return nil
	}
	if s.talk != nil && y >= s.H-3 {
		return s.reply()
	}
	return nil
}

// Wheel implements screen.Screen.
func (s *Screen) Wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.Split(s.listWidth()); x < lw {
		s.list.Move(by / 3)
		return s.look()
	}
	if s.talk != nil {
		s.talk.view.Move(by)
	}
	return nil
}

// Picked implements screen.Screen.
func (s *Screen) Picked() screen.Subject {
	c := s.list.Current()
	if c == nil {
		return screen.Subject{}
	}
	return screen.Subject{ID: c.ID, Command: "svcctl chat open " + c.ID, URL: httpOnly(c.Visitor.PageURL)}
}

// httpOnly is an address that a browser may be sent to.
func httpOnly(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return address
}

func (s *Screen) listWidth() int { return max(28, s.W/3) }

// Render draws the screen.
func (s *Screen) Render() string {
	if s.api == nil {
		return strings.Join(s.SignInFirst("Inbox", s.W, s.H), "\n")
	}
	return s.Join(s.listWidth(), s.drawList, s.drawTalk)
}

func (s *Screen) drawList(w int) []string {
	iw, ih := part.Inner(w, s.H)
	p := part.Pane{Title: s.title(), Active: !s.Typing()}
	p.Bottom = []string{part.Fit(" "+s.Theme.Dim.Render(s.counts()), iw)}
	if s.filling || !s.filter.Empty() {
		p.Bottom = []string{part.Fit(" /"+s.filter.Draw(s.Theme, max(iw-3, 1), 1, s.filling)[0], iw)}
	}
	p.Lines = s.list.Draw(s.Theme, iw, ih-1, s.row)
	if len(s.list.Rows) == 0 {
		p.Lines = s.emptyText(iw)
	}
	return p.Draw(s.Theme, w, s.H)
}

func (s *Screen) title() string {
	title := "Inbox"
	if s.pile > 0 {
		title += " · " + piles[s.pile]
	}
	if n := s.Badge(); n > 0 {
		title += fmt.Sprintf(" · %d unread", n)
	}
	return title
}

func (s *Screen) emptyText(w int) []string {
	switch {
	case !s.loaded:
		return s.Unread(w)
	case len(s.all) > 0:
		return s.Advice(w, "Nothing here.", "s shows other conversations, / filters")
	}
	return s.Advice(w, "No conversations yet.", "svcctl widget snippet prints what to paste into your site; visitors then appear here by themselves")
}

func (s *Screen) counts() string {
	mine, agent, wait := 0, 0, 0
	for i := range s.all {
		c := &s.all[i]
		switch {
		case s.mine(c):
			mine++
		case c.State == api.ConversationBot:
			agent++
		case waiting(c):
			wait++
		}
	}
	return fmt.Sprintf("me %d · agent %d · wait %d", mine, agent, wait)
}

func (s *Screen) row(c *api.Conversation, picked, marked bool, w int) []string {
	sign := "○"
	if c.Unread > 0 {
		sign = "●"
	}
	right := fmt.Sprintf("%4s %s", part.Ago(s.Now, latest(c)), s.state(c))
	if !picked {
		right = s.Theme.Dim.Render(right)
		if c.Unread > 0 {
			sign = s.Theme.Live.Render(sign)
		}
	}
	lines := []string{part.Spread(part.CursorMark(picked, marked)+sign+" "+visitorName(c), right+" ", w)}
	if s.talk != nil && s.talk.id == c.ID && s.talk.types != "" {
		lines = append(lines, "   "+s.Theme.Live.Render("typing…"))
	}
	return lines
}

// state is a sign of two columns: who has the conversation.
func (s *Screen) state(c *api.Conversation) string {
	switch {
	case c.State == api.ConversationResolved:
		return "✓ "
	case c.State == api.ConversationSnoozed:
		return "zz"
	case waiting(c):
		return "🙋"
	case s.mine(c):
		return "me"
	case c.State == api.ConversationBot:
		return "ai"
	}
	return "  "
}

func visitorName(c *api.Conversation) string {
	id := c.Visitor.ID
	if i := strings.LastIndex(id, "_"); i >= 0 {
		id = id[i+1:]
	}
	name := part.Line(part.Or(c.Visitor.Name, c.Visitor.Email))
	return part.Or(name, "visitor "+strings.ToLower(part.Line(id[max(0, len(id)-3):])))
}
