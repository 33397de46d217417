package tui

import (
	"fmt"
	"net/url"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/sdk/api"
)

func (s *inbox) click(x, y int) tea.Cmd {
	if lw, _ := s.split(s.listWidth()); x < lw {
		if s.list.click(y - 1) {
			return s.look()
		}
		return nil
	}
	if s.talk != nil && y >= s.h-3 {
		return s.reply()
	}
	return nil
}

func (s *inbox) wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.split(s.listWidth()); x < lw {
		s.list.move(by / 3)
		return s.look()
	}
	if s.talk != nil {
		s.talk.view.move(by)
	}
	return nil
}

func (s *inbox) picked() subject {
	c := s.list.current()
	if c == nil {
		return subject{}
	}
	return subject{id: c.ID, command: "svcctl chat open " + c.ID, url: httpOnly(c.Visitor.PageURL)}
}

// httpOnly is an address that a browser may be sent to.
func httpOnly(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return address
}

func (s *inbox) listWidth() int { return max(28, s.w/3) }

// Render draws the screen.
func (s *inbox) Render() string {
	if s.api == nil {
		return strings.Join(s.signInFirst("Inbox", s.place.URL, s.w, s.h), "\n")
	}
	return s.join(s.listWidth(), s.drawList, s.drawTalk)
}

// signInFirst is a screen that needs a member.
func (r *room) signInFirst(title, address string, w, h int) []string {
	lines := r.advice(w-2, "This screen needs a member's session, and there is none for "+line(address)+".",
		signInCommand(address), "signs in; then svcctl tui again.")
	return pane{title: title, lines: lines, active: true}.draw(r.theme, w, h)
}

// unread is what stands for a list that has not come.
func (r *room) unread(w int) []string {
	if r.signedOut {
		return r.advice(w, "There is nothing to see without a session.")
	}
	return r.advice(w, "reading …")
}

func (s *inbox) drawList(w int) []string {
	iw, ih := inner(w, s.h)
	p := pane{title: s.title(), active: !s.typing()}
	p.bottom = []string{fit(" "+s.theme.dim.Render(s.counts()), iw)}
	if s.filling || !s.filter.empty() {
		p.bottom = []string{fit(" /"+s.filter.draw(s.theme, max(iw-3, 1), 1, s.filling)[0], iw)}
	}
	p.lines = s.list.draw(s.theme, iw, ih-1, s.row)
	if len(s.list.rows) == 0 {
		p.lines = s.emptyText(iw)
	}
	return p.draw(s.theme, w, s.h)
}

func (s *inbox) title() string {
	title := "Inbox"
	if s.pile > 0 {
		title += " · " + piles[s.pile]
	}
	if n := s.badge(); n > 0 {
		title += fmt.Sprintf(" · %d unread", n)
	}
	return title
}

func (s *inbox) emptyText(w int) []string {
	switch {
	case !s.loaded:
		return s.unread(w)
	case len(s.all) > 0:
		return s.advice(w, "Nothing here.", "s shows other conversations, / filters")
	}
	return s.advice(w, "No conversations yet.", "svcctl widget snippet prints what to paste into your site; visitors then appear here by themselves")
}

func (s *inbox) counts() string {
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

func (s *inbox) row(c *api.Conversation, picked, marked bool, w int) []string {
	sign := "○"
	if c.Unread > 0 {
		sign = "●"
	}
	right := fmt.Sprintf("%4s %s", ago(s.now, latest(c)), s.state(c))
	if !picked {
		right = s.theme.dim.Render(right)
		if c.Unread > 0 {
			sign = s.theme.live.Render(sign)
		}
	}
	lines := []string{spread(cursorMark(picked, marked)+sign+" "+visitorName(c), right+" ", w)}
	if s.talk != nil && s.talk.id == c.ID && s.talk.types != "" {
		lines = append(lines, "   "+s.theme.live.Render("typing…"))
	}
	return lines
}

// state is a sign of two columns: who has the conversation.
func (s *inbox) state(c *api.Conversation) string {
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
	name := line(or(c.Visitor.Name, c.Visitor.Email))
	return or(name, "visitor "+strings.ToLower(line(id[max(0, len(id)-3):])))
}
