package tui

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/sdk/api"
)

func (s *jobs) click(x, y int) tea.Cmd {
	if lw, _ := s.split(s.w / 2); x < lw {
		s.list.click(y - 1)
	}
	return nil
}

func (s *jobs) wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.split(s.w / 2); x < lw {
		s.list.move(by)
	} else {
		s.view.move(by)
	}
	return nil
}

func (s *jobs) picked() subject {
	j := s.list.current()
	if j == nil {
		return subject{}
	}
	return subject{id: j.ID, command: "svcctl job watch " + j.ID}
}

// Render draws the screen.
func (s *jobs) Render() string { return s.join(s.w/2, s.drawList, s.drawJob) }

func (s *jobs) drawList(w int) []string {
	iw, ih := inner(w, s.h)
	p := pane{title: "Jobs · live", active: true}
	p.lines = s.list.draw(s.theme, iw, ih, s.row)
	if len(s.list.rows) == 0 {
		p.lines = s.advice(iw, "reading …")
		if s.loaded {
			p.lines = s.advice(iw, "No jobs yet.", "g among the posts (1) starts one")
		}
	}
	return p.draw(s.theme, w, s.h)
}

// titleOf is the title of a job's post, or the job's id.
func (s *jobs) titleOf(j *api.Job) string { return line(or(s.titles[j.PostID], j.ID)) }

func (s *jobs) row(j *api.Job, picked, marked bool, w int) []string {
	sign, style := s.sign(j.State)
	title, right := s.titleOf(j), ""
	switch j.State {
	case api.JobQueued:
		title = "queued: " + title
	case api.JobRunning:
		right = fmt.Sprintf("%s  %3d%%", clock(s.now.Sub(j.StartedAt.Time())), j.Progress)
	case api.JobFailed:
		right = "failed"
		if j.Error != nil {
			right = line(j.Error.Code)
			if j.Error.Retryable {
				right += " (retry)"
			}
		}
	case api.JobCanceled:
		right = "canceled"
	default:
		right = clock(j.CompletedAt.Time().Sub(j.StartedAt.Time()))
		if len(j.Warnings) > 0 {
			right = "! " + right
		}
	}
	if !picked {
		sign, right = style.Render(sign), s.theme.dim.Render(right)
	}
	return []string{spread(cursorMark(picked, marked)+sign+" "+title, right+" ", w)}
}

func (s *jobs) sign(state string) (string, style) {
	switch state {
	case api.JobRunning:
		return s.spinner(), s.theme.live
	case api.JobCompleted:
		return "✓", s.theme.good
	case api.JobFailed:
		return "✗", s.theme.bad
	case api.JobCanceled, "skipped":
		return "-", s.theme.dim
	}
	return "○", s.theme.dim
}

func (s *jobs) drawJob(w int) []string {
	iw, ih := inner(w, s.h)
	j := s.list.current()
	if j == nil {
		return pane{title: "Job"}.draw(s.theme, w, s.h)
	}
	p := pane{title: shortID(j.ID) + "  " + s.titleOf(j), active: s.alone()}
	var lines []string
	for _, text := range append(s.steps(j, iw-2), s.outcome(j, iw-2)...) {
		lines = append(lines, " "+text)
	}
	for _, text := range s.written(j, iw-2) {
		lines = append(lines, " "+text)
	}
	p.bottom = []string{fit(" "+bar(s.theme, j.Progress, max(iw-8, 0)), iw)}
	s.view.set(lines, ih-1)
	p.lines = s.view.lines()
	return p.draw(s.theme, w, s.h)
}

func shortID(id string) string {
	if kind, rest, ok := strings.Cut(id, "_"); ok && len(rest) > 6 {
		return kind + "_…" + rest[len(rest)-5:]
	}
	return line(id)
}

// steps is the parts of a job, with what it used beside them.
func (s *jobs) steps(j *api.Job, w int) []string {
	used := []string{
		"tokens in  " + fmt.Sprintf("%5s", grouped(j.Usage.InputTokens)),
		"tokens out " + fmt.Sprintf("%5s", grouped(j.Usage.OutputTokens)),
		ansi.Truncate(line(or(j.Provider, "-")+" "+j.Model), 16, "…"),
	}
	var out []string
	for i := range max(len(j.Steps), len(used)) {
		left, right := "", ""
		if i < len(j.Steps) {
			step := &j.Steps[i]
			sign, style := s.sign(step.State)
			left = style.Render(sign) + " " + fit(line(step.Name), 12) + s.theme.dim.Render(s.took(step))
		}
		if i < len(used) {
			right = s.theme.dim.Render(used[i])
		}
		out = append(out, spread(left, right, w))
	}
	return append(out, "")
}

func (s *jobs) took(step *api.JobStep) string {
	if step.StartedAt == 0 {
		return ""
	}
	end := s.now
	if step.FinishedAt != 0 {
		end = step.FinishedAt.Time()
	}
	return fmt.Sprintf("%4.1fs", max(end.Sub(step.StartedAt.Time()), 0).Round(100*time.Millisecond).Seconds())
}

// outcome is what went wrong, in whole sentences.
func (s *jobs) outcome(j *api.Job, w int) []string {
	var out []string
	if j.Error != nil {
		out = append(out, paint(s.theme.bad, wrap("✗ "+line(j.Error.Message), w))...)
		if j.Error.Retryable {
			out = append(out, s.theme.dim.Render(fit("R tries it again", w)))
		}
	}
	for _, warning := range j.Warnings {
		out = append(out, paint(s.theme.warn, wrap("! "+line(warning), w))...)
	}
	return out
}

// written is the text so far.
func (s *jobs) written(j *api.Job, w int) []string {
	text := strings.TrimSpace(clean(markup.ReplaceAllString(s.text[j.ID], " ")))
	if text == "" {
		return nil
	}
	var out []string
	for _, part := range wrap(text+"▌", max(w-2, 1)) {
		out = append(out, s.theme.live.Render("▎")+ansi.Truncate(strings.TrimSpace(part), w-1, ""))
	}
	return out
}

// bar is progress as a bar and a number.
func bar(t theme, percent, w int) string {
	percent = max(0, min(percent, 100))
	full := w * percent / 100
	return t.live.Render(strings.Repeat("█", full)) + t.faint.Render(strings.Repeat("░", w-full)) + fmt.Sprintf(" %3d%%", percent)
}
