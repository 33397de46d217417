package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// View implements tea.Model: exactly as many lines as there are, none too wide.
func (m *model) View() string {
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
		out = over(out, m.layer.draw(m.theme, m.w, len(out)), m.w)
	}
	out = append(out, m.foot())
	return strings.Join(out, "\n")
}

// sentence is all that fits on a very small terminal.
func (m *model) sentence() []string {
	out := blank(m.w, m.h)
	for i, text := range wrap("svc needs 40 columns and 10 rows; q quits.", m.w) {
		if i < len(out) {
			out[i] = fit(text, m.w)
		}
	}
	return out
}

// head is the line of screens, and where each stands.
func (m *model) head() (string, [][2]int) {
	where := ""
	if m.w >= 48 {
		where = " " + m.theme.brand.Render("svc")
	}
	if m.w >= narrow {
		where += m.theme.dim.Render(" ▸ ") + m.theme.bold.Render(ansi.Truncate(line(m.place.String()), 24, "…"))
	}
	if m.readOnly {
		where += m.theme.warn.Render(" read-only")
	}
	out := where + strings.Repeat(" ", min(4, max(1, m.w/30)))
	gap := strings.Repeat(" ", min(2, m.w/24))
	var spots [][2]int
	for i, s := range m.screens {
		label := string(rune('1'+i)) + " " + s.name() + raised(s.badge())
		start := ansi.StringWidth(out)
		style := m.theme.dim
		if i == m.current {
			style = m.theme.tab
		}
		out += style.Render(label)
		spots = append(spots, [2]int{start, start + ansi.StringWidth(label)})
		out += gap
	}
	return fit(out, m.w), spots
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
func (m *model) banner() []string {
	var out []string
	if m.fault != nil {
		text := m.spinner() + " the daemon does not answer; what you see may be old. Trying again …"
		out = append(out, m.theme.warn.Render(fit(" "+text, m.w)))
	}
	if _, needed := m.screen().(interface{ membersOnly() }); needed && m.signedOut {
		says := append(wrap("! Your session has ended. This signs in; then svcctl tui again:", m.w-2), wrap(signInCommand(m.place.URL), m.w-2)...)
		for _, text := range says {
			out = append(out, m.theme.warn.Render(fit(" "+text, m.w)))
		}
	}
	return out
}

func signInCommand(address string) string {
	return "svcctl login " + line(quote(address)) + " --email you@example.com"
}

// foot is what happened last, or what the keys do.
func (m *model) foot() string {
	if m.notice.text != "" {
		mark, style := "✓ ", m.theme.good
		if m.notice.bad {
			mark, style = "✗ ", m.theme.bad
		}
		text := " " + style.Render(mark+line(m.notice.text))
		if m.notice.hint != "" {
			text += m.theme.dim.Render(" · " + m.notice.hint)
		}
		return fit(text, m.w)
	}
	out := " "
	for _, a := range m.hints() {
		part := m.theme.key.Render(a.key) + " " + m.theme.dim.Render(a.name) + "  "
		if ansi.StringWidth(out)+ansi.StringWidth(part) > m.w-8 {
			break
		}
		out += part
	}
	if m.screen().typing() {
		return fit(out, m.w)
	}
	return spread(out, m.theme.key.Render("?")+m.theme.dim.Render(" help "), m.w)
}

func (m *model) hints() []action {
	out := []action{}
	if m.screen().typing() {
		return []action{{key: "esc", name: "leaves the field"}, {key: "ctrl-p", name: "command"}}
	}
	for _, a := range m.screen().actions() {
		if !a.silent {
			a.key = keyName(a.key)
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return append(out, action{key: ":", name: "command"})
}

// keyName is a key as the footer has it.
func keyName(key string) string {
	switch key {
	case " ":
		return "space"
	}
	return strings.ReplaceAll(key, "ctrl+", "ctrl-")
}
