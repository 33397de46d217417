package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// pane is a box with a title. Its lines come out exactly w columns wide and h
// rows high, whatever is put into it.
type pane struct {
	title   string
	lines   []string
	bottom  []string // above the lower edge, such as a field
	active  bool
	corners string // ┌┐└┘, or how it meets other panes
	open    bool   // it has no right edge: the pane beside it has one
}

// inner is the room inside a pane of a size.
func inner(w, h int) (int, int) { return max(w-2, 0), max(h-2, 0) }

// inner is the room inside the pane.
func (p pane) inner(w, h int) (int, int) {
	if p.open {
		w++
	}
	return inner(w, h)
}

func (p pane) draw(t theme, w, h int) []string {
	if w < 2 || h < 2 {
		return blank(w, h)
	}
	edge := t.faint
	title := t.dim
	if p.active {
		edge, title = t.dim, t.bold
	}
	iw, ih := p.inner(w, h)
	corner := []rune(or(p.corners, "┌┐└┘"))
	side := edge.Render("│")
	right, topRight, bottomRight := side, string(corner[1]), string(corner[3])
	if p.open {
		right, topRight, bottomRight = "", "", ""
	}
	top := ""
	if p.title != "" && iw > 3 {
		top = " " + title.Render(ansi.Truncate(p.title, iw-2, "…")) + " "
	}
	out := make([]string, 0, h)
	out = append(out, edge.Render(string(corner[0]))+top+edge.Render(strings.Repeat("─", iw-ansi.StringWidth(top))+topRight))
	bottom := p.bottom[:min(len(p.bottom), ih)]
	for i := range ih - len(bottom) {
		text := ""
		if i < len(p.lines) {
			text = p.lines[i]
		}
		out = append(out, side+fit(text, iw)+right)
	}
	for _, text := range bottom {
		if text == rule {
			out = append(out, edge.Render("├"+strings.Repeat("─", iw)+"┤"))
			continue
		}
		out = append(out, side+fit(text, iw)+right)
	}
	return append(out, edge.Render(string(corner[2])+strings.Repeat("─", iw)+bottomRight))
}

// rule is a line of a pane that is drawn from edge to edge.
const rule = "\x00rule"

func blank(w, h int) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		out[i] = strings.Repeat(" ", max(w, 0))
	}
	return out
}

// beside puts two blocks of the same height next to each other.
func beside(left, right []string) []string {
	out := make([]string, len(left))
	for i := range left {
		out[i] = left[i] + right[i]
	}
	return out
}

// over lays a block onto the middle of another, w columns wide.
func over(back, front []string, w int) []string {
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
		out[y+i] = fit(ansi.Truncate(under, x, ""), x) + text + fit(ansi.TruncateLeft(under, x+fw, ""), w-x-fw)
	}
	return out
}
