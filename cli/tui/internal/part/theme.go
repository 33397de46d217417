package part

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"edgesvc.dev/svc/cli/tui/internal/part/prose"
)

// Theme is how things look. Nothing is told by colour alone: each state has a
// mark of its own.
type Theme struct {
	Name  string
	Dim   lipgloss.Style
	Faint lipgloss.Style // borders of what is not in use
	Bold  lipgloss.Style
	Brand lipgloss.Style
	Tab   lipgloss.Style
	Key   lipgloss.Style
	Pick  lipgloss.Style // the row under the cursor
	Good  lipgloss.Style
	Warn  lipgloss.Style
	Bad   lipgloss.Style
	Live  lipgloss.Style
	Prose prose.Styles
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

// NewTheme is the n-th theme for a terminal; one that shows no colours gets
// none.
func NewTheme(r *lipgloss.Renderer, n int) Theme {
	p := palettes[n%len(palettes)]
	style := func(c lipgloss.Color) lipgloss.Style {
		if c == "" {
			return r.NewStyle()
		}
		return r.NewStyle().Foreground(c)
	}
	t := Theme{
		Name: p.name, Dim: style(p.dim), Faint: style(p.faint), Bold: r.NewStyle().Bold(true),
		Brand: style(p.brand).Bold(true), Key: style(p.key), Tab: style(p.key).Bold(true).Underline(true),
		Pick: style(p.pick).Bold(true), Good: style(p.good), Warn: style(p.warn), Bad: style(p.bad), Live: style(p.ok),
	}
	if p.back != "" {
		t.Pick = t.Pick.Background(p.back)
	}
	t.Prose = prose.Styles{
		Heading: t.Brand, Bold: t.Bold, Italic: r.NewStyle().Italic(true), Code: t.Warn,
		Link: t.Live.Underline(true), Dim: t.Dim,
	}
	return t
}

// NewRenderer finds the colours of the terminal behind w from the environment;
// it asks the terminal nothing.
func NewRenderer(w io.Writer, colours bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(w)
	r.SetHasDarkBackground(true)
	if !colours {
		r.SetColorProfile(termenv.Ascii)
	}
	return r
}

// Style is short for lipgloss's.
type Style = lipgloss.Style

// Paint renders each line on its own: a style never crosses the end of a line.
func Paint(s Style, lines []string) []string {
	for i := range lines {
		lines[i] = s.Render(lines[i])
	}
	return lines
}
