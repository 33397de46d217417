package tui

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"edgesvc.dev/svc/cli/tui/internal/prose"
)

// theme is how things look. Nothing is told by colour alone: each state has a
// mark of its own.
type theme struct {
	name  string
	dim   lipgloss.Style
	faint lipgloss.Style // borders of what is not in use
	bold  lipgloss.Style
	brand lipgloss.Style
	tab   lipgloss.Style
	key   lipgloss.Style
	pick  lipgloss.Style // the row under the cursor
	good  lipgloss.Style
	warn  lipgloss.Style
	bad   lipgloss.Style
	live  lipgloss.Style
	prose prose.Styles
}

// palette is the colours of one theme, as xterm's 256.
type palette struct {
	name                                              string
	dim, faint, brand, key, pick, good, warn, bad, ok lipgloss.Color
	back                                              lipgloss.Color // behind the row under the cursor
}

var palettes = []palette{
	{"dark", "245", "240", "80", "80", "255", "114", "221", "210", "117", "237"},
	{"light", "242", "250", "25", "25", "16", "28", "130", "160", "26", "254"},
	{"plain", "", "", "", "", "", "", "", "", "", ""},
}

// newTheme is the n-th theme for a terminal; one that shows no colours gets
// none.
func newTheme(r *lipgloss.Renderer, n int) theme {
	p := palettes[n%len(palettes)]
	style := func(c lipgloss.Color) lipgloss.Style {
		if c == "" {
			return r.NewStyle()
		}
		return r.NewStyle().Foreground(c)
	}
	t := theme{
		name: p.name, dim: style(p.dim), faint: style(p.faint), bold: r.NewStyle().Bold(true),
		brand: style(p.brand).Bold(true), key: style(p.key), tab: style(p.key).Bold(true).Underline(true),
		pick: style(p.pick).Bold(true), good: style(p.good), warn: style(p.warn), bad: style(p.bad), live: style(p.ok),
	}
	if p.back != "" {
		t.pick = t.pick.Background(p.back)
	}
	t.prose = prose.Styles{
		Heading: t.brand, Bold: t.bold, Italic: r.NewStyle().Italic(true), Code: t.warn,
		Link: t.live.Underline(true), Dim: t.dim,
	}
	return t
}

// newRenderer finds the colours of the terminal behind w from the environment;
// it asks the terminal nothing.
func newRenderer(w io.Writer, colours bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(w)
	r.SetHasDarkBackground(true)
	if !colours {
		r.SetColorProfile(termenv.Ascii)
	}
	return r
}

// style is short for lipgloss's.
type style = lipgloss.Style

// paint renders each line on its own: a style never crosses the end of a line.
func paint(s style, lines []string) []string {
	for i := range lines {
		lines[i] = s.Render(lines[i])
	}
	return lines
}
