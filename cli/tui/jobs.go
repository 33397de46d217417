package tui

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/sdk/api"
)

const (
	// followed is how many unfinished jobs are watched at once.
	followed = 8
	// keptText bounds the text of a job that is being written.
	keptText = 32 << 10
)

// markup is HTML tags, also those at the edges of a text that was cut.
var markup = regexp.MustCompile(`^[^<>]{0,40}>|<[^<>]*(>|$)`)

// jobs is the live list of generation jobs beside one of them.
type jobs struct {
	*room
	api    Jobs
	list   list[api.Job]
	view   scroller
	titles map[string]string // of posts
	text   map[string]string // what is being written, by job
	feeds  map[string]*feed[api.JobEvent]
	broken map[string]bool // jobs whose stream ended early; the next reading tries again
	loaded bool
	open   bool
	w, h   int
}

type jobsLoaded struct{ page *api.Page[api.Job] }

type jobChanged struct {
	job  *api.Job
	done string
}

func newJobs(r *room, work Jobs) *jobs {
	s := &jobs{room: r, api: work, list: newList(func(j *api.Job) string { return j.ID }),
		titles: map[string]string{}, text: map[string]string{}, feeds: map[string]*feed[api.JobEvent]{}, broken: map[string]bool{}}
	s.view.follow = true
	return s
}

func (s *jobs) name() string { return "Jobs" }
func (s *jobs) typing() bool { return false }

func (s *jobs) badge() int {
	n := 0
	for i := range s.list.rows {
		if !s.list.rows[i].Done() {
			n++
		}
	}
	return n
}

func (s *jobs) show() tea.Cmd {
	return s.work("list jobs", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, api.JobQuery{PageQuery: api.PageQuery{Limit: pageSize}})
		return jobsLoaded{page}, err
	})
}

func (s *jobs) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case postsLoaded:
		for i := range msg.page.Data {
			s.titles[msg.page.Data[i].ID] = msg.page.Data[i].Title
		}
	case postLoaded:
		s.titles[msg.post.ID] = msg.post.Title
	case jobsLoaded:
		s.list.set(msg.page.Data)
		s.loaded = true
		clear(s.broken)
		return s.watch()
	case jobBegun:
		return s.show()
	case jobChanged:
		s.list.replace(*msg.job)
		return tea.Batch(s.watch(), say(msg.done))
	case fed[api.JobEvent]:
		return s.take(msg)
	}
	return nil
}

// watch follows the jobs that are not done.
func (s *jobs) watch() tea.Cmd {
	var cmds []tea.Cmd
	for i := range s.list.rows {
		j := &s.list.rows[i]
		if j.Done() || s.feeds[j.ID] != nil || s.broken[j.ID] || len(s.feeds) >= followed {
			continue
		}
		id := j.ID
		f, cmd := openFeed(s.errands, id, func(ctx context.Context) seq[api.JobEvent] { return s.api.Watch(ctx, id) })
		s.feeds[id], s.text[id] = f, "" // the stream begins with all of it
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

func (s *jobs) take(batch fed[api.JobEvent]) tea.Cmd {
	id := batch.feed.id
	if s.feeds[id] != batch.feed {
		return nil
	}
	for _, e := range batch.values {
		switch {
		case e.Job != nil:
			s.list.replace(*e.Job)
		case e.Type == "reset":
			s.text[id] = ""
		default:
			text := s.text[id] + e.Text
			s.text[id] = text[max(0, len(text)-keptText):]
		}
	}
	if !batch.over {
		return batch.feed.next()
	}
	delete(s.feeds, id)
	if i := s.list.index(id); i < 0 || s.list.rows[i].Done() {
		delete(s.text, id)
	} else {
		s.broken[id] = true
	}
	cmds := []tea.Cmd{send(postsRefreshed{}), s.watch()}
	if batch.err != nil {
		cmds = append(cmds, send(failed{"follow " + id, batch.err}))
	}
	return tea.Batch(cmds...)
}

func (s *jobs) actions() []action {
	return []action{
		{key: "enter", name: "follow", doc: "Look at the job", run: func() tea.Cmd { s.open = true; return nil }},
		{key: "c", name: "cancel", doc: "Cancel the job", write: true, run: s.cancel},
		{key: "R", name: "retry", doc: "Queue a failed job again", write: true, run: s.retry},
		{key: "o", name: "open post", doc: "Go to the job's post", run: s.openPost},
		{key: "esc", name: "back", doc: "Back to the list", silent: true, run: func() tea.Cmd { s.open = false; return nil }},
	}
}

func (s *jobs) cancel() tea.Cmd {
	j := s.list.current()
	if j == nil {
		return nil
	}
	if j.Done() {
		return say("the job is " + j.State + " already")
	}
	id := j.ID
	return s.work("cancel the job", func(ctx context.Context) (tea.Msg, error) {
		job, err := s.api.Cancel(ctx, id)
		return jobChanged{job, "canceled " + id}, err
	})
}

func (s *jobs) retry() tea.Cmd {
	j := s.list.current()
	if j == nil {
		return nil
	}
	id := j.ID
	return s.work("retry the job", func(ctx context.Context) (tea.Msg, error) {
		job, err := s.api.Retry(ctx, id)
		return jobChanged{job, "queued " + id + " again"}, err
	})
}

// goTo brings a screen to the front with its cursor on a thing.
type goTo struct{ screen, id string }

func (s *jobs) openPost() tea.Cmd {
	if j := s.list.current(); j != nil {
		return s.tell(goTo{"Posts", j.PostID})
	}
	return nil
}

func (s *jobs) key(k tea.KeyMsg) tea.Cmd {
	if s.zoomed || s.narrow() && s.open {
		s.view.key(k.String())
	} else if s.list.key(k.String()) {
		s.view.away = false
	}
	return nil
}

func (s *jobs) click(x, y int) tea.Cmd {
	if lw, _ := s.split(); x < lw {
		s.list.click(y - 1)
	}
	return nil
}

func (s *jobs) wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.split(); x < lw {
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

// SetSize gives the screen its room.
func (s *jobs) SetSize(w, h int) { s.w, s.h = w, h }

func (s *jobs) narrow() bool { return s.w < narrow || s.h < low }

func (s *jobs) split() (int, int) {
	switch {
	case s.zoomed || s.narrow() && s.open:
		return 0, s.w
	case s.narrow():
		return s.w, 0
	}
	return s.w / 2, s.w - s.w/2
}

// Render draws the screen.
func (s *jobs) Render() string {
	lw, rw := s.split()
	out := blank(0, s.h)
	if lw > 0 {
		out = beside(out, s.drawList(lw))
	}
	if rw > 0 {
		out = beside(out, s.drawJob(rw))
	}
	return strings.Join(out, "\n")
}

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
	p := pane{title: shortID(j.ID) + "  " + s.titleOf(j), active: s.zoomed || s.narrow()}
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
