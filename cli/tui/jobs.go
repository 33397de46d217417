package tui

import (
	"context"
	"regexp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

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
	halves
	api    Jobs
	all    JobFeed
	live   *feed[api.JobEvent] // of all jobs
	list   list[api.Job]
	view   scroller
	titles map[string]string // of posts
	text   map[string]string // what is being written, by job
	feeds  map[string]*feed[api.JobEvent]
	broken map[string]bool // jobs whose stream ended early; the next reading tries again
	loaded bool
}

type jobsLoaded struct{ page *api.Page[api.Job] }

type jobChanged struct {
	job  *api.Job
	done string
}

func newJobs(r *room, work Jobs, all JobFeed) *jobs {
	s := &jobs{halves: halves{room: r}, api: work, all: all, list: newList(func(j *api.Job) string { return j.ID }),
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
	cmds := []tea.Cmd{s.work("list jobs", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, api.JobQuery{PageQuery: api.PageQuery{Limit: pageSize}})
		return jobsLoaded{page}, err
	})}
	if s.all != nil && s.live == nil {
		f, cmd := openFeed(s.errands, "jobs", s.all)
		s.live = f
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
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
		s.set(msg.page.Data)
		s.loaded = true
		clear(s.broken)
		return s.watch()
	case jobBegun:
		return s.show()
	case jobChanged:
		s.put(msg.job)
		return tea.Batch(s.watch(), say(msg.done))
	case fed[api.JobEvent]:
		if msg.feed == s.live {
			return s.takeAll(msg)
		}
		return s.take(msg)
	}
	return nil
}

// set shows a list that was read. A job that has become known since, and a state
// that is later, stay.
func (s *jobs) set(rows []api.Job) {
	before := s.list.rows
	s.list.set(rows)
	for i := range before {
		if len(rows) == 0 || before[i].ID > rows[0].ID || s.list.index(before[i].ID) >= 0 {
			s.put(&before[i])
		}
	}
}

// put adds a job, the newest first, or changes it; news reports that. An older
// version than the one shown is an event that was overtaken.
func (s *jobs) put(j *api.Job) (news bool) {
	rows := slices.Clone(s.list.rows)
	i := s.list.index(j.ID)
	switch {
	case i < 0:
		news = true
		i, _ = slices.BinarySearchFunc(rows, j.ID, func(have api.Job, id string) int { return strings.Compare(id, have.ID) })
		rows = slices.Insert(rows, i, *j)
	case rows[i].Version > j.Version:
		return false
	default:
		news = rows[i].Version < j.Version
		rows[i] = *j
	}
	s.list.set(rows)
	return news
}

// takeAll shows what became of any job.
func (s *jobs) takeAll(batch fed[api.JobEvent]) tea.Cmd {
	news := false
	for _, e := range batch.values {
		if e.Job != nil && s.put(e.Job) {
			news = news || e.Job.Done() || s.titles[e.Job.PostID] == ""
			delete(s.broken, e.Job.ID)
		}
	}
	cmds := []tea.Cmd{s.watch()}
	if news {
		cmds = append(cmds, send(postsRefreshed{}))
	}
	switch {
	case !batch.over:
		cmds = append(cmds, batch.feed.next())
	case batch.err != nil:
		s.live = nil
		cmds = append(cmds, send(failure("follow the jobs", batch.err)))
	default:
		s.live = nil
	}
	return tea.Batch(cmds...)
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
			s.put(e.Job)
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
		{key: "enter", name: "follow", doc: "Look at the job", run: func() tea.Cmd { s.front = true; return nil }},
		{key: "c", name: "cancel", doc: "Cancel the job", write: true, run: s.cancel},
		{key: "R", name: "retry", doc: "Queue a failed job again", write: true, run: s.retry},
		{key: "o", name: "open post", doc: "Go to the job's post", run: s.openPost},
		{key: "esc", name: "back", doc: "Back to the list", silent: true, run: func() tea.Cmd { s.front = false; return nil }},
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
		job, err := s.api.Cancel(ctx, api.Ref{ID: id})
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
		job, err := s.api.Retry(ctx, api.Ref{ID: id})
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
	if s.alone() {
		s.view.key(k.String())
	} else if s.list.key(k.String()) {
		s.view.away = false
	}
	return nil
}
