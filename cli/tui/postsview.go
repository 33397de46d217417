package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/sdk/api"
)

func (s *posts) click(x, y int) tea.Cmd {
	if lw, _ := s.split(s.w / 2); x < lw && !s.zoomed && s.list.click(y-1) {
		return s.moved()
	}
	return nil
}

func (s *posts) wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.split(s.w / 2); x < lw && !s.zoomed {
		s.list.move(by)
		return s.moved()
	}
	s.view.move(by)
	return nil
}

func (s *posts) picked() subject {
	p := s.list.current()
	if p == nil {
		return subject{}
	}
	return subject{id: p.ID, command: "svcctl post get " + quote(p.Slug), url: p.CanonicalURL}
}

// Render draws the screen.
func (s *posts) Render() string { return s.join(s.w/2, s.drawList, s.drawPreview) }

func (s *posts) drawList(w int) []string {
	iw, ih := inner(w, s.h)
	p := pane{title: s.title(), active: true}
	if s.filling || !s.filter.empty() {
		p.bottom = []string{fit(" /"+s.filter.draw(s.theme, max(iw-3, 1), 1, s.filling)[0], iw)}
		ih--
	}
	p.lines = s.list.draw(s.theme, iw, ih, s.row)
	if len(s.list.rows) == 0 {
		p.lines = s.emptyText(iw)
	}
	return p.draw(s.theme, w, s.h)
}

func (s *posts) title() string {
	count := fmt.Sprint(len(s.list.rows))
	if s.more {
		count += "+"
	}
	title := "Posts · " + or(strings.ToLower(s.query.Status), "all") + " · " + count
	if n := len(s.list.marked); n > 0 {
		title += fmt.Sprintf(" · %d marked", n)
	}
	return title
}

func (s *posts) emptyText(w int) []string {
	switch {
	case !s.loaded:
		return s.advice(w, "reading …")
	case s.query.Q != "":
		return s.advice(w, "No post has these words.", "esc in the filter takes it away")
	case s.query.Status != "":
		return s.advice(w, "No "+strings.ToLower(s.query.Status)+" posts.", "s shows others")
	}
	return s.advice(w, "No posts yet.", "n writes one, g has one generated")
}

// advice is what an empty list says: that it is empty, and what to do.
func (r *room) advice(w int, lines ...string) []string {
	out := []string{""}
	for i, text := range lines {
		for _, part := range wrap(text, w-2) {
			if i > 0 {
				part = r.theme.dim.Render(part)
			}
			out = append(out, " "+part)
		}
	}
	return out
}

func (s *posts) row(p *api.Post, picked, marked bool, w int) []string {
	mark, note := s.mark(p, picked)
	title := line(p.Title)
	if note != "" {
		title += " (" + note + ")"
	}
	tags := ""
	if len(p.Tags) > 0 && w >= 34 {
		tags = line(p.Tags[0])
	}
	right := fmt.Sprintf("%4s  %s", ago(s.now, p.UpdatedAt), fit(tags, 5))
	if w < 34 {
		right = fmt.Sprintf("%4s", ago(s.now, p.UpdatedAt))
	}
	if !picked {
		right = s.theme.dim.Render(right)
	}
	return []string{spread(cursorMark(picked, marked)+mark+" "+title, right, w)}
}

// mark is the state of a post as a sign, and in words where it is out of the
// ordinary. Under the cursor it has the row's colour.
func (s *posts) mark(p *api.Post, picked bool) (sign, note string) {
	style := s.theme.dim
	sign = "○"
	switch p.Status {
	case api.PostPublished:
		sign, style = "●", s.theme.good
	case api.PostArchived:
		sign, note = "-", "archived"
	}
	if p.Generation != nil {
		switch p.Generation.State {
		case api.JobQueued, api.JobRunning:
			sign, style, note = s.spinner(), s.theme.live, "writing"
		case api.JobFailed:
			sign, style, note = "✗", s.theme.bad, "job failed"
		}
	}
	if picked {
		return sign, note
	}
	return style.Render(sign), note
}

func (s *posts) drawPreview(w int) []string {
	iw, ih := inner(w, s.h)
	p := pane{title: "Preview", active: s.alone()}
	cur := s.list.current()
	if cur == nil {
		return p.draw(s.theme, w, s.h)
	}
	p.bottom = []string{s.facts(cur, iw)}
	tw := max(iw-2, 1)
	lines := []string{s.theme.bold.Render(ansi.Truncate(line(cur.Title), tw, "…"))}
	lines = append(lines, s.theme.dim.Render(ansi.Truncate(fmt.Sprintf("/%s · %s · %s · v%d",
		line(cur.Slug), strings.ToLower(cur.Status), plural(cur.WordCount, "word"), cur.Version), tw, "…")), "")
	if full := s.full[cur.ID]; full != nil {
		lines = append(lines, full.lines(s.theme, tw)...)
	} else {
		lines = append(lines, s.theme.dim.Render("reading …"))
	}
	s.view.set(lines, ih-1)
	for _, text := range s.view.lines() {
		p.lines = append(p.lines, " "+text)
	}
	return p.draw(s.theme, w, s.h)
}

// facts is the last line of the preview.
func (s *posts) facts(p *api.Post, w int) string {
	tags := "no tags"
	if len(p.Tags) > 0 {
		tags = "tags: " + line(strings.Join(p.Tags, ", "))
	}
	n := len([]rune(p.Description))
	seo := s.theme.dim.Render(fmt.Sprintf("SEO %d/%d ", n, bestDescription))
	if n > bestDescription || n == 0 {
		seo = s.theme.warn.Render(fmt.Sprintf("SEO %d/%d ! ", n, bestDescription))
	}
	return spread(" "+s.theme.dim.Render(tags), seo, w)
}
