package noun

import (
	"fmt"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/tui/internal/part"
)

// Render draws the screen.
func (s *Screen) Render() string { return s.Draw(s.drawList, s.drawDetail) }

func (s *Screen) title() string {
	count := fmt.Sprint(len(s.Listed.Rows))
	if s.next != "" {
		count += "+"
	}
	title := part.Line(s.noun.Title)
	if s.of != "" {
		title += " " + part.Line(s.of)
	}
	title += " · " + count
	if s.sort >= 0 {
		arrow := "↑"
		if s.down {
			arrow = "↓"
		}
		title += " · by " + s.noun.Columns[s.sort].Name + " " + arrow
	}
	if n := len(s.Listed.Marked); n > 0 {
		title += fmt.Sprintf(" · %d marked", n)
	}
	if s.busy.Load() > 0 {
		title += " · " + s.Spinner()
	}
	if s.noun.Status != nil && s.loaded {
		if text := s.noun.Status(); text != "" {
			title += " · " + part.Line(text)
		}
	}
	return title
}

func (s *Screen) drawList(w int) []string {
	iw, ih := part.Inner(w, s.H)
	p := part.Pane{Title: s.title(), Active: !s.Alone()}
	ih = s.DrawFilter(&p, iw, ih)
	if len(s.Listed.Rows) == 0 {
		p.Lines = s.emptyText(iw)
		return p.Draw(s.Theme, w, s.H)
	}
	widths := s.widths(iw - 2)
	p.Lines = append([]string{s.Theme.Dim.Render(part.Fit("  "+s.heading(widths), iw))},
		s.Listed.Draw(s.Theme, iw, ih-1, func(row *browse.Row, picked, marked bool, w int) []string {
			return []string{part.Fit(part.CursorMark(picked, marked)+" "+cells(row.Cells, widths), w)}
		})...)
	return p.Draw(s.Theme, w, s.H)
}

// widths are those of the columns where there are w in all.
func (s *Screen) widths(w int) []int {
	flex := make([]bool, len(s.noun.Columns))
	for i, c := range s.noun.Columns {
		flex[i] = c.Flex
	}
	return output.Fit(slices.Clone(s.natural), flex, max(w, 1))
}

func (s *Screen) heading(widths []int) string {
	names := make([]string, len(s.noun.Columns))
	for i, c := range s.noun.Columns {
		names[i] = c.Name
	}
	return cells(names, widths)
}

func cells(values []string, widths []int) string {
	var b strings.Builder
	for i, w := range widths {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", output.Gap))
		}
		b.WriteString(part.Fit(part.Line(values[i]), w))
	}
	return b.String()
}

func (s *Screen) emptyText(w int) []string {
	switch {
	case s.noun.Of != "" && s.of == "":
		return s.Advice(w, "Which "+s.noun.Of+"?", ": asks for it")
	case s.failed:
		return s.Advice(w, "This could not be read.", "r tries again")
	case !s.loaded:
		return s.Unread(w)
	case !s.Filter.Empty():
		return s.Advice(w, "Nothing here has these words.", "esc takes the filter away")
	}
	return s.Advice(w, "Nothing here yet.")
}

func (s *Screen) drawDetail(w int) []string {
	iw, ih := part.Inner(w, s.H)
	p := part.Pane{Title: "Detail", Active: s.Alone()}
	if cur := s.Listed.Current(); cur != nil {
		p.Title = part.Line(part.Or(cur.Label, cur.ID))
	}
	s.View.Set(s.lines(max(iw-2, 1)), ih)
	for _, text := range s.View.Lines() {
		p.Lines = append(p.Lines, " "+text)
	}
	return p.Draw(s.Theme, w, s.H)
}
