package jobs

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// Click implements screen.Screen.
func (s *Screen) Click(x, y int) tea.Cmd {
	if lw, _ := s.Split(s.W / 2); x < lw {
		s.list.Click(y - 1)
	}
	return nil
}

// Wheel implements screen.Screen.
func (s *Screen) Wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.Split(s.W / 2); x < lw {
		s.list.Move(by)
	} else {
		s.view.Move(by)
	}
	return nil
}

// Picked implements screen.Screen.
func (s *Screen) Picked() screen.Subject {
	j := s.list.Current()
	if j == nil {
		return screen.Subject{}
	}
	return screen.Subject{ID: j.ID, Command: "svcctl job watch " + j.ID}
}

// Render draws the screen.
func (s *Screen) Render() string { return s.Join(s.W/2, s.drawList, s.drawJob) }

func (s *Screen) drawList(w int) []string {
	iw, ih := part.Inner(w, s.H)
	p := part.Pane{Title: "Jobs · live", Active: true}
	p.Lines = s.list.Draw(s.Theme, iw, ih, s.row)
	if len(s.list.Rows) == 0 {
		p.Lines = s.Advice(iw, "reading …")
		if s.loaded {
			p.Lines = s.Advice(iw, "No jobs yet.", "g among the posts (1) starts one")
		}
	}
	return p.Draw(s.Theme, w, s.H)
}

// titleOf is the title of a job's post, or the job's id.
func (s *Screen) titleOf(j *api.Job) string {
	return part.Line(part.Or(part.Or(s.titles[j.PostID], j.Title), j.ID))
}

func (s *Screen) row(j *api.Job, picked, marked bool, w int) []string {
	sign, style := s.sign(j.State)
	title, right := s.titleOf(j), ""
	switch j.State {
	case api.JobQueued:
		title = "queued: " + title
	case api.JobRunning:
		right = fmt.Sprintf("%s  %3d%%", part.Clock(s.Now.Sub(j.StartedAt.Time())), j.Progress)
	case api.JobFailed:
		right = "failed"
		if j.Error != nil {
			right = part.Line(j.Error.Code)
			if j.Error.Retryable {
				right += " (retry)"
			}
		}
	case api.JobCanceled:
		right = "canceled"
	default:
		right = part.Clock(j.CompletedAt.Time().Sub(j.StartedAt.Time()))
		if len(j.Warnings) > 0 {
			right = "! " + right
		}
	}
	if !picked {
		sign, right = style.Render(sign), s.Theme.Dim.Render(right)
	}
	return []string{part.Spread(part.CursorMark(picked, marked)+sign+" "+title, right+" ", w)}
}

func (s *Screen) sign(state string) (string, part.Style) {
	switch state {
	case api.JobRunning:
		return s.Spinner(), s.Theme.Live
	case api.JobCompleted:
		return "✓", s.Theme.Good
	case api.JobFailed:
		return "✗", s.Theme.Bad
	case api.JobCanceled, "skipped":
		return "-", s.Theme.Dim
	}
	return "○", s.Theme.Dim
}

func (s *Screen) drawJob(w int) []string {
	iw, ih := part.Inner(w, s.H)
	j := s.list.Current()
	if j == nil {
		return part.Pane{Title: "Job"}.Draw(s.Theme, w, s.H)
	}
	p := part.Pane{Title: shortID(j.ID) + "  " + s.titleOf(j), Active: s.Alone()}
	var lines []string
	for _, text := range append(s.steps(j, iw-2), s.outcome(j, iw-2)...) {
		lines = append(lines, " "+text)
	}
	for _, text := range s.written(j, iw-2) {
		lines = append(lines, " "+text)
	}
	p.Bottom = []string{part.Fit(" "+bar(s.Theme, j.Progress, max(iw-8, 0)), iw)}
	s.view.Set(lines, ih-1)
	p.Lines = s.view.Lines()
	return p.Draw(s.Theme, w, s.H)
}

func shortID(id string) string {
	if kind, rest, ok := strings.Cut(id, "_"); ok && len(rest) > 6 {
		return kind + "_…" + rest[len(rest)-5:]
	}
	return part.Line(id)
}

// steps is the parts of a job, with what it used beside them.
func (s *Screen) steps(j *api.Job, w int) []string {
	used := []string{
		"tokens in  " + fmt.Sprintf("%5s", part.Grouped(j.Usage.InputTokens)),
		"tokens out " + fmt.Sprintf("%5s", part.Grouped(j.Usage.OutputTokens)),
		ansi.Truncate(part.Line(part.Or(j.Provider, "-")+" "+j.Model), 16, "…"),
	}
	var out []string
	for i := range max(len(j.Steps), len(used)) {
		left, right := "", ""
		if i < len(j.Steps) {
			step := &j.Steps[i]
			sign, style := s.sign(step.State)
			left = style.Render(sign) + " " + part.Fit(part.Line(step.Name), 12) + s.Theme.Dim.Render(s.took(step))
		}
		if i < len(used) {
			right = s.Theme.Dim.Render(used[i])
		}
		out = append(out, part.Spread(left, right, w))
	}
	return append(out, "")
}

func (s *Screen) took(step *api.JobStep) string {
	if step.StartedAt == 0 {
		return ""
	}
	end := s.Now
	if step.FinishedAt != 0 {
		end = step.FinishedAt.Time()
	}
	return fmt.Sprintf("%4.1fs", max(end.Sub(step.StartedAt.Time()), 0).Round(100*time.Millisecond).Seconds())
}

// outcome is what went wrong, in whole sentences.
func (s *Screen) outcome(j *api.Job, w int) []string {
	var out []string
	if j.Error != nil {
		out = append(out, part.Paint(s.Theme.Bad, part.Wrap("✗ "+part.Line(j.Error.Message), w))...)
		if j.Error.Retryable {
			out = append(out, s.Theme.Dim.Render(part.Fit("R tries it again", w)))
		}
	}
	for _, warning := range j.Warnings {
		out = append(out, part.Paint(s.Theme.Warn, part.Wrap("! "+part.Line(warning), w))...)
	}
	return out
}

// written is the text so far.
func (s *Screen) written(j *api.Job, w int) []string {
	text := strings.TrimSpace(part.Clean(markup.ReplaceAllString(s.text[j.ID], " ")))
	if text == "" {
		return nil
	}
	var out []string
	for _, part := range part.Wrap(text+"▌", max(w-2, 1)) {
		out = append(out, s.Theme.Live.Render("▎")+ansi.Truncate(strings.TrimSpace(part), w-1, ""))
	}
	return out
}

// bar is progress as a bar and a number.
func bar(t part.Theme, percent, w int) string {
	percent = max(0, min(percent, 100))
	full := w * percent / 100
	return t.Live.Render(strings.Repeat("█", full)) + t.Faint.Render(strings.Repeat("░", w-full)) + fmt.Sprintf(" %3d%%", percent)
}
