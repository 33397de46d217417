package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/sdk/api"
)

// trial is a test-run as it goes on.
type trial struct {
	run  *api.TaskRun
	text string // what a model has written so far
	live *feed[api.TaskEvent]
	err  error
}

// test runs the task under the cursor.
func (s *agents) test(mode string) tea.Cmd {
	t := s.tasks.current()
	if t == nil {
		return say("there is no task to run")
	}
	in := api.TaskTest{ID: t.ID, Mode: mode}
	if err := fill(&in, s.variables[t.ID]); err != nil {
		return send(failed{"run the task", err})
	}
	if old := s.runs[t.ID]; old != nil {
		old.live.close()
	}
	f, cmd := openFeed(s.errands, t.ID, func(ctx context.Context) seq[api.TaskEvent] { return s.tried.TestRun(ctx, in) })
	s.runs[t.ID] = &trial{live: f}
	s.view.home()
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

func (s *agents) askVariables() tea.Cmd {
	t := s.tasks.current()
	if t == nil {
		return nil
	}
	id := t.ID
	return s.tell(ask{question: "Variables, as JSON", text: or(s.variables[id], `{"person":{},"context":{}}`), then: func(text string) tea.Cmd {
		s.variables[id] = text
		return s.test("render")
	}})
}

func (s *agents) take(batch fed[api.TaskEvent]) tea.Cmd {
	r := s.runs[batch.feed.id]
	if r == nil || r.live != batch.feed {
		return nil
	}
	for _, e := range batch.values {
		if e.Run != nil {
			r.run = e.Run
		}
		r.text += e.Text
		r.text = r.text[max(0, len(r.text)-keptText):]
	}
	if !batch.over {
		return batch.feed.next()
	}
	r.live, r.err = nil, batch.err
	if batch.err != nil {
		return send(failure("run the task", batch.err))
	}
	return nil
}

// trialLines is a test-run: what was sent, what came back.
func (s *agents) trialLines(t *api.Task, w int) []string {
	r := s.runs[t.ID]
	if r == nil {
		return s.advice(w, "p shows what it would send, ctrl-r runs it for real, v sets its variables.")
	}
	var out []string
	if run := r.run; run != nil {
		out = append(out, s.sentLines(run, w)...)
		out = append(out, s.answerLines(run, w)...)
	}
	if r.text != "" && (r.run == nil || r.run.Output == "") {
		out = append(out, wrap(clean(r.text)+"▌", w)...)
	}
	switch {
	case r.live != nil:
		out = append(out, s.theme.live.Render(s.spinner()+" running"))
	case r.err != nil:
		out = append(out, paint(s.theme.bad, wrap("✗ "+line(r.err.Error()), w))...)
	}
	return out
}

func (s *agents) sentLines(run *api.TaskRun, w int) []string {
	var out []string
	if q := run.Request; q != nil {
		out = append(out, wrap(s.theme.bold.Render(line(q.Method))+" "+line(q.URL), w)...)
		for _, h := range q.Headers {
			out = append(out, paint(s.theme.dim, wrap("> "+line(h.Name)+": "+line(h.Value), w))...)
		}
		if q.Body != "" {
			out = append(out, wrap("> body "+line(q.Body), w)...)
		}
	}
	if run.Prompt != "" {
		out = append(out, paint(s.theme.dim, wrap("> "+clean(run.Prompt), w))...)
	}
	for _, name := range run.MissingPlaceholders {
		out = append(out, paint(s.theme.warn, wrap("! nothing fills {{"+line(name)+"}}; v sets it", w))...)
	}
	for _, text := range run.Warnings {
		out = append(out, paint(s.theme.warn, wrap("! "+line(text), w))...)
	}
	return out
}

func (s *agents) answerLines(run *api.TaskRun, w int) []string {
	var out []string
	if p := run.Response; p != nil {
		style := s.theme.good
		if p.Status >= http.StatusBadRequest {
			style = s.theme.bad
		}
		out = append(out, fmt.Sprintf("%s  %d ms  %s", style.Render(fmt.Sprintf("< %d %s", p.Status, http.StatusText(p.Status))), run.DurationMs, bytesOf(p.Bytes)))
		out = append(out, wrap(pretty(p.Body), w)...)
	}
	if run.Output != "" {
		out = append(out, wrap(pretty(run.Output), w)...)
		out = append(out, s.theme.dim.Render(fmt.Sprintf("tokens %s in, %s out", grouped(run.Usage.InputTokens), grouped(run.Usage.OutputTokens))))
	}
	switch {
	case run.Error != nil:
		out = append(out, paint(s.theme.bad, wrap("✗ "+line(run.Error.Code)+": "+line(run.Error.Message), w))...)
	case run.State == api.RunCompleted && run.Mode == "render":
		out = append(out, s.theme.good.Render("✓ preview; nothing was sent"))
	case run.State == api.RunCompleted:
		out = append(out, s.theme.good.Render("✓ completed"))
	}
	return out
}

// pretty is JSON with indents, and anything else as it is.
func pretty(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") == nil {
		body = b.String()
	}
	return clean(body)
}

func bytesOf(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f kB", float64(n)/1000)
}
