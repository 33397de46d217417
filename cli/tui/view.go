package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

// View implements tea.Model: exactly as many lines as there are, none too wide.
func (m *Model) View() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	if m.w < tiny || m.h < flat {
		return strings.Join(m.sentence(), "\n")
	}
	head, _ := m.head()
	out := append([]string{head}, m.banner()...)
	body := m.h - len(out) - 1
	m.screen().SetSize(m.w, body)
	out = append(out, strings.Split(m.screen().Render(), "\n")...)
	if m.layer != nil {
		out = part.Over(out, m.layer.draw(m.Theme, m.w, len(out)), m.w)
	}
	out = append(out, m.foot())
	return strings.Join(out, "\n")
}

// sentence is all that fits on a very small terminal.
func (m *Model) sentence() []string {
	out := part.Blank(m.w, m.h)
	for i, text := range part.Wrap("svc needs 40 columns and 10 rows; q quits.", m.w) {
		if i < len(out) {
			out[i] = part.Fit(text, m.w)
		}
	}
	return out
}

// head is the line of screens, and where each is.
func (m *Model) head() (string, [][2]int) {
	where := ""
	if m.w >= 48 {
		where = " " + m.Theme.Brand.Render("svc")
	}
	if m.w >= screen.Narrow {
		where += m.Theme.Dim.Render(" ▸ ") + m.Theme.Bold.Render(ansi.Truncate(part.Line(m.place.String()), 24, "…"))
	}
	if m.ReadOnly {
		where += m.Theme.Warn.Render(" read-only")
	}
	out := where + strings.Repeat(" ", min(4, max(1, m.w/30)))
	gap := strings.Repeat(" ", min(2, m.w/24))
	var spots [][2]int
	for i, s := range m.screens {
		label := string(rune('1'+i)) + " " + s.Name() + raised(s.Badge())
		if byName(s) {
			if label = ":" + s.Name(); i != m.current {
				spots = append(spots, [2]int{})
				continue
			}
		}
		start := ansi.StringWidth(out)
		style := m.Theme.Dim
		if i == m.current {
			style = m.Theme.Tab
		}
		out += style.Render(label)
		spots = append(spots, [2]int{start, start + ansi.StringWidth(label)})
		out += gap
	}
	return part.Fit(out, m.w), spots
}

// raised is a small number above the line.
func raised(n int) string {
	if n <= 0 {
		return ""
	}
	if n > 99 {
		return "⁹⁹⁺"
	}
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	out := ""
	for ; n > 0; n /= 10 {
		out = string(digits[n%10]) + out
	}
	return out
}

// banner says calmly that the daemon does not answer, or whom it does not know
// any more.
func (m *Model) banner() []string {
	var out []string
	if m.fault != nil {
		text := m.Spinner() + " the daemon does not answer; what you see may be old. Trying again …"
		out = append(out, m.Theme.Warn.Render(part.Fit(" "+text, m.w)))
	}
	if m.SignedOut && (m.SessionOnly || membersOnly(m.screen())) {
		says := append(part.Wrap("! Your session has ended. This signs in; then svcctl tui again:", m.w-2), part.Wrap(screen.SignInCommand(m.Address), m.w-2)...)
		for _, text := range says {
			out = append(out, m.Theme.Warn.Render(part.Fit(" "+text, m.w)))
		}
	}
	return out
}

func membersOnly(s screen.Screen) bool {
	of, ok := s.(interface{ MembersOnly() bool })
	return ok && of.MembersOnly()
}

// foot is what happened last, or what the keys do.
func (m *Model) foot() string {
	if m.notice.text != "" {
		mark, style := "✓ ", m.Theme.Good
		switch {
		case m.notice.bad:
			mark, style = "✗ ", m.Theme.Bad
		case m.notice.refused:
			mark, style = "! ", m.Theme.Warn
		}
		text := " " + style.Render(mark+part.Line(m.notice.text))
		if m.notice.hint != "" {
			text += m.Theme.Dim.Render(" · " + m.notice.hint)
		}
		return part.Fit(text, m.w)
	}
	out := " "
	for _, a := range m.hints() {
		hint := m.Theme.Key.Render(a.Key) + " " + m.Theme.Dim.Render(a.Name) + "  "
		if ansi.StringWidth(out)+ansi.StringWidth(hint) > m.w-8 {
			break
		}
		out += hint
	}
	if m.screen().Typing() {
		return part.Fit(out, m.w)
	}
	return part.Spread(out, m.Theme.Key.Render("?")+m.Theme.Dim.Render(" help "), m.w)
}

func (m *Model) hints() []screen.Action {
	out := []screen.Action{}
	if m.screen().Typing() {
		return []screen.Action{{Key: "esc", Name: "leaves the field"}, {Key: "ctrl-p", Name: "command"}}
	}
	for _, a := range m.screen().Actions() {
		if !a.Silent {
			a.Key = keyName(a.Key)
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return append(out, screen.Action{Key: ":", Name: "command"})
}

// keyName is a key as the footer has it.
func keyName(key string) string {
	switch key {
	case " ":
		return "space"
	}
	return strings.ReplaceAll(key, "ctrl+", "ctrl-")
}
