package part

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Pane is a box with a title. Its lines come out exactly w columns wide and h
// rows high, whatever is put into it.
type Pane struct {
	Title   string
	Lines   []string
	Bottom  []string // above the lower edge, such as a field
	Active  bool
	Corners string // ┌┐└┘, or how it meets other panes
	Open    bool   // it has no right edge: the pane beside it has one
}

// Inner is the room inside a pane of a size.
func Inner(w, h int) (int, int) { return max(w-2, 0), max(h-2, 0) }

// Inner is the room inside the pane.
func (p Pane) Inner(w, h int) (int, int) {
	if p.Open {
		w++
	}
	return Inner(w, h)
}

// Draw makes the box.
func (p Pane) Draw(t Theme, w, h int) []string {
	if w < 2 || h < 2 {
		return Blank(w, h)
	}
	edge := t.Faint
	title := t.Dim
	if p.Active {
		edge, title = t.Dim, t.Bold
	}
	iw, ih := p.Inner(w, h)
	corner := []rune(Or(p.Corners, "┌┐└┘"))
	side := edge.Render("│")
	right, topRight, bottomRight := side, string(corner[1]), string(corner[3])
	if p.Open {
		right, topRight, bottomRight = "", "", ""
	}
	top := ""
	if p.Title != "" && iw > 3 {
		top = " " + title.Render(ansi.Truncate(p.Title, iw-2, "…")) + " "
	}
	out := make([]string, 0, h)
	out = append(out, edge.Render(string(corner[0]))+top+edge.Render(strings.Repeat("─", iw-ansi.StringWidth(top))+topRight))
	bottom := p.Bottom[:min(len(p.Bottom), ih)]
	for i := range ih - len(bottom) {
		text := ""
		if i < len(p.Lines) {
			text = p.Lines[i]
		}
		out = append(out, side+Fit(text, iw)+right)
	}
	for _, text := range bottom {
		if text == Rule {
			out = append(out, edge.Render("├"+strings.Repeat("─", iw)+"┤"))
			continue
		}
		out = append(out, side+Fit(text, iw)+right)
	}
	return append(out, edge.Render(string(corner[2])+strings.Repeat("─", iw)+bottomRight))
}

// Rule is a line of a pane that is drawn from edge to edge.
const Rule = "\x00rule"

// Blank is h lines of w spaces.
func Blank(w, h int) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		out[i] = strings.Repeat(" ", max(w, 0))
	}
	return out
}

// Beside puts two blocks of the same height next to each other.
func Beside(left, right []string) []string {
	out := make([]string, len(left))
	for i := range left {
		out[i] = left[i] + right[i]
	}
	return out
}

// Over lays a block onto the middle of another, w columns wide.
func Over(back, front []string, w int) []string {
	if len(front) == 0 {
		return back
	}
	fw := ansi.StringWidth(front[0])
	x, y := max(0, (w-fw)/2), max(0, (len(back)-len(front))/2)
	out := append([]string(nil), back...)
	for i, text := range front {
		if y+i >= len(out) {
			break
		}
		under := out[y+i]
		out[y+i] = Fit(ansi.Truncate(under, x, ""), x) + text + Fit(ansi.TruncateLeft(under, x+fw, ""), w-x-fw)
	}
	return out
}
