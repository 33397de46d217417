package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// trial is a test-run as it goes on.
type trial struct {
	run  *api.TaskRun
	text string // what a model has written so far
	live *screen.Feed[api.TaskEvent]
	err  error
}

// test runs the task under the cursor.
func (s *Screen) test(mode string) tea.Cmd {
	t := s.tasks.Current()
	if t == nil {
		return screen.Refuse("there is no task to run")
	}
	in := api.TaskTest{ID: t.ID, Mode: mode}
	if err := fill(&in, s.variables[t.ID]); err != nil {
		return screen.Send(screen.Failed{Doing: "run the task", Err: err})
	}
	if old := s.runs[t.ID]; old != nil {
		old.live.Close()
	}
	f, cmd := screen.OpenFeed(s.Errands, t.ID, func(ctx context.Context) screen.Seq[api.TaskEvent] { return s.tried.TestRun(ctx, in) })
	s.runs[t.ID] = &trial{live: f}
	s.view.Home()
	return cmd
}

// fill reads the variables, {"person":{…},"context":{…}}.
func fill(in *api.TaskTest, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var v struct {
		Person  map[string]any `json:"person"`
		Context map[string]any `json:"context"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf(`the variables are not {"person":{…},"context":{…}}: %w`, err)
	}
	in.Person, in.Context = v.Person, v.Context
	return nil
}

func (s *Screen) askVariables() tea.Cmd {
	t := s.tasks.Current()
	if t == nil {
		return nil
	}
	id := t.ID
	return s.Tell(screen.Ask{Question: "Variables, as JSON", Text: part.Or(s.variables[id], `{"person":{},"context":{}}`), Then: func(text string) tea.Cmd {
		s.variables[id] = text
		return s.test("render")
	}})
}

func (s *Screen) take(batch screen.Fed[api.TaskEvent]) tea.Cmd {
	r := s.runs[batch.Feed.ID]
	if r == nil || r.live != batch.Feed {
		return nil
	}
	for _, e := range batch.Values {
		if e.Run != nil {
			r.run = e.Run
		}
		r.text += e.Text
		r.text = r.text[max(0, len(r.text)-screen.KeptText):]
	}
	if !batch.Over {
		return batch.Feed.Next()
	}
	r.live, r.err = nil, batch.Err
	if batch.Err != nil {
		return screen.Send(screen.Failure("run the task", batch.Err))
	}
	return nil
}

// trialLines is a test-run: what was sent, what came back.
func (s *Screen) trialLines(t *api.Task, w int) []string {
	r := s.runs[t.ID]
	if r == nil {
		return s.Advice(w, "p shows what it would send, ctrl-r runs it for real, v sets its variables.")
	}
	var out []string
	if run := r.run; run != nil {
		out = append(out, s.sentLines(run, w)...)
		out = append(out, s.answerLines(run, w)...)
	}
	if r.text != "" && (r.run == nil || r.run.Output == "") {
		out = append(out, part.Wrap(part.Clean(r.text)+"▌", w)...)
	}
	switch {
	case r.live != nil:
		out = append(out, s.Theme.Live.Render(s.Spinner()+" running"))
	case r.err != nil:
		out = append(out, part.Paint(s.Theme.Bad, part.Wrap("✗ "+part.Line(r.err.Error()), w))...)
	}
	return out
}

func (s *Screen) sentLines(run *api.TaskRun, w int) []string {
	var out []string
	if q := run.Request; q != nil {
		out = append(out, part.Wrap(s.Theme.Bold.Render(part.Line(q.Method))+" "+part.Line(q.URL), w)...)
		for _, h := range q.Headers {
			out = append(out, part.Paint(s.Theme.Dim, part.Wrap("> "+part.Line(h.Name)+": "+part.Line(h.Value), w))...)
		}
		if q.Body != "" {
			out = append(out, part.Wrap("> body "+part.Line(q.Body), w)...)
		}
	}
	if run.Prompt != "" {
		out = append(out, part.Paint(s.Theme.Dim, part.Wrap("> "+part.Clean(run.Prompt), w))...)
	}
	for _, name := range run.MissingPlaceholders {
		out = append(out, part.Paint(s.Theme.Warn, part.Wrap("! nothing fills {{"+part.Line(name)+"}}; v sets it", w))...)
	}
	for _, text := range run.Warnings {
		out = append(out, part.Paint(s.Theme.Warn, part.Wrap("! "+part.Line(text), w))...)
	}
	return out
}

func (s *Screen) answerLines(run *api.TaskRun, w int) []string {
	var out []string
	if p := run.Response; p != nil {
		style := s.Theme.Good
		if p.Status >= http.StatusBadRequest {
			style = s.Theme.Bad
		}
		out = append(out, fmt.Sprintf("%s  %d ms  %s", style.Render(fmt.Sprintf("< %d %s", p.Status, http.StatusText(p.Status))), run.DurationMs, bytesOf(p.Bytes)))
		out = append(out, part.Wrap(pretty(p.Body), w)...)
	}
	if run.Output != "" {
		out = append(out, part.Wrap(pretty(run.Output), w)...)
		out = append(out, s.Theme.Dim.Render(fmt.Sprintf("tokens %s in, %s out", part.Grouped(run.Usage.InputTokens), part.Grouped(run.Usage.OutputTokens))))
	}
	switch {
	case run.Error != nil:
		out = append(out, part.Paint(s.Theme.Bad, part.Wrap("✗ "+part.Line(run.Error.Code)+": "+part.Line(run.Error.Message), w))...)
	case run.State == api.RunCompleted && run.Mode == "render":
		out = append(out, s.Theme.Good.Render("✓ preview; nothing was sent"))
	case run.State == api.RunCompleted:
		out = append(out, s.Theme.Good.Render("✓ completed"))
	}
	return out
}

// pretty is JSON with indents, and anything else as it is.
func pretty(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") == nil {
		body = b.String()
	}
	return part.Clean(body)
}

func bytesOf(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1000)
}
