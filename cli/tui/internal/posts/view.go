package posts

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// Click implements screen.Screen.
func (s *Screen) Click(x, y int) tea.Cmd { return s.ClickList(x, y, 1) }

// Picked implements screen.Screen.
func (s *Screen) Picked() screen.Subject {
	p := s.Listed.Current()
	if p == nil {
		return screen.Subject{}
	}
	return screen.Subject{Kind: "post", ID: p.ID, Command: "svcctl post get " + part.Quote(p.Slug), URL: p.CanonicalURL}
}

// Render draws the screen.
func (s *Screen) Render() string { return s.Draw(s.drawList, s.drawPreview) }

func (s *Screen) drawList(w int) []string {
	iw, ih := part.Inner(w, s.H)
	p := part.Pane{Title: s.title(), Active: true}
	ih = s.DrawFilter(&p, iw, ih)
	p.Lines = s.Listed.Draw(s.Theme, iw, ih, s.row)
	if len(s.Listed.Rows) == 0 {
		p.Lines = s.emptyText(iw)
	}
	return p.Draw(s.Theme, w, s.H)
}

func (s *Screen) title() string {
	count := fmt.Sprint(len(s.Listed.Rows))
	if s.more {
		count += "+"
	}
	title := "Posts · " + part.Or(strings.ToLower(s.query.Status), "all") + " · " + count
	if s.order > 0 {
		title += " · by " + orders[s.order].name
	}
	if n := len(s.Listed.Marked); n > 0 {
		title += fmt.Sprintf(" · %d marked", n)
	}
	return title
}

func (s *Screen) emptyText(w int) []string {
	switch {
	case !s.loaded:
		return s.Advice(w, "reading …")
	case s.query.Q != "":
		return s.Advice(w, "No post has these words.", "esc in the filter takes it away")
	case s.query.Status != "":
		return s.Advice(w, "No "+strings.ToLower(s.query.Status)+" posts.", "f shows others")
	}
	return s.Advice(w, "No posts yet.", "n writes one, g has one generated")
}

func (s *Screen) row(p *api.Post, picked, marked bool, w int) []string {
	mark, note := s.mark(p, picked)
	title := part.Line(p.Title)
	if note != "" {
		title += " (" + note + ")"
	}
	tags := ""
	if len(p.Tags) > 0 && w >= 34 {
		tags = part.Line(p.Tags[0])
	}
	right := fmt.Sprintf("%4s  %s", part.Ago(s.Now, p.UpdatedAt), part.Fit(tags, 5))
	if w < 34 {
		right = fmt.Sprintf("%4s", part.Ago(s.Now, p.UpdatedAt))
	}
	if !picked {
		right = s.Theme.Dim.Render(right)
	}
	return []string{part.Spread(part.CursorMark(picked, marked)+mark+" "+title, right, w)}
}

// mark is the state of a post as a sign, and in words where it is out of the
// ordinary. Under the cursor it has the row's colour.
func (s *Screen) mark(p *api.Post, picked bool) (sign, note string) {
	style := s.Theme.Dim
	sign = "○"
	switch p.Status {
	case api.PostPublished:
		sign, style = "●", s.Theme.Good
	case api.PostArchived:
		sign, note = "-", "archived"
	case api.PostDraft:
		if p.PublishAt != 0 {
			sign, style, note = "◷", s.Theme.Live, "scheduled"
		}
	}
	if p.Generation != nil {
		switch p.Generation.State {
		case api.JobQueued, api.JobRunning:
			sign, style, note = s.Spinner(), s.Theme.Live, "writing"
		case api.JobFailed:
			sign, style, note = "✗", s.Theme.Bad, "job failed"
		}
	}
	if picked {
		return sign, note
	}
	return style.Render(sign), note
}

func (s *Screen) drawPreview(w int) []string {
	iw, ih := part.Inner(w, s.H)
	p := part.Pane{Title: "Preview", Active: s.Alone()}
	cur := s.Listed.Current()
	if cur == nil {
		return p.Draw(s.Theme, w, s.H)
	}
	p.Bottom = []string{s.facts(cur, iw)}
	tw := max(iw-2, 1)
	lines := []string{s.Theme.Bold.Render(ansi.Truncate(part.Line(cur.Title), tw, "…"))}
	lines = append(lines, s.Theme.Dim.Render(ansi.Truncate(fmt.Sprintf("/%s · %s · %s · v%d",
		part.Line(cur.Slug), strings.ToLower(cur.Status), part.Plural(cur.WordCount, "word"), cur.Version), tw, "…")), "")
	if full := s.full[cur.ID]; full != nil {
		lines = append(lines, full.lines(s.Theme, tw)...)
	} else {
		lines = append(lines, s.Theme.Dim.Render("reading …"))
	}
	s.View.Set(lines, ih-1)
	for _, text := range s.View.Lines() {
		p.Lines = append(p.Lines, " "+text)
	}
	return p.Draw(s.Theme, w, s.H)
}

// facts is the last line of the preview.
func (s *Screen) facts(p *api.Post, w int) string {
	tags := "no tags"
	if len(p.Tags) > 0 {
		tags = "tags: " + part.Line(strings.Join(p.Tags, ", "))
	}
	n := len([]rune(p.Description))
	seo := s.Theme.Dim.Render(fmt.Sprintf("SEO %d/%d ", n, bestDescription))
	if n > bestDescription || n == 0 {
		seo = s.Theme.Warn.Render(fmt.Sprintf("SEO %d/%d ! ", n, bestDescription))
	}
	return part.Spread(" "+s.Theme.Dim.Render(tags), seo, w)
}
