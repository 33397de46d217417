package jobs

import (
	"context"
	"regexp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// followed is how many unfinished jobs are watched at once.
const followed = 8

// markup is HTML tags, also those at the edges of a text that was cut.
var markup = regexp.MustCompile(`^[^<>]{0,40}>|<[^<>]*(>|$)`)

// Screen is the live list of generation jobs beside one of them.
type Screen struct {
	screen.Halves
	api    Service
	all    Feed
	live   *screen.Feed[api.JobEvent] // of all jobs
	list   part.List[api.Job]
	view   part.Scroller
	titles map[string]string // of posts
	text   map[string]string // what is being written, by job
	feeds  map[string]*screen.Feed[api.JobEvent]
	broken map[string]bool // jobs whose stream ended early; the next reading tries again
	loaded bool
}

type loaded struct{ page *api.Page[api.Job] }

type changed struct {
	job  *api.Job
	done string
}

// New returns the screen.
func New(r *screen.Room, work Service, all Feed) *Screen {
	s := &Screen{Halves: screen.Halves{Room: r}, api: work, all: all, list: part.NewList(func(j *api.Job) string { return j.ID }),
		titles: map[string]string{}, text: map[string]string{}, feeds: map[string]*screen.Feed[api.JobEvent]{}, broken: map[string]bool{}}
	s.view.Follow = true
	return s
}

// Name implements screen.Screen.
func (s *Screen) Name() string { return "Jobs" }

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return false }

// Badge implements screen.Screen.
func (s *Screen) Badge() int {
	n := 0
	for i := range s.list.Rows {
		if !s.list.Rows[i].Done() {
			n++
		}
	}
	return n
}

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd {
	cmds := []tea.Cmd{s.Work("list jobs", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, api.JobQuery{PageQuery: api.PageQuery{Limit: screen.PageSize}})
		return loaded{page}, err
	})}
	if s.all != nil && s.live == nil {
		f, cmd := screen.OpenFeed(s.Errands, "jobs", s.all)
		s.live = f
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.PostsRead:
		for i := range msg.Posts {
			s.titles[msg.Posts[i].ID] = msg.Posts[i].Title
		}
	case loaded:
		s.set(msg.page.Data)
		s.loaded = true
		clear(s.broken)
		return s.watch()
	case screen.JobBegun:
		return s.Show()
	case changed:
		s.put(msg.job)
		return tea.Batch(s.watch(), screen.Say(msg.done))
	case screen.Fed[api.JobEvent]:
		if msg.Feed == s.live {
			return s.takeAll(msg)
		}
		return s.take(msg)
	}
	return nil
}

// set shows a list that was read. A job that has become known since, and a state
// that is later, stay.
func (s *Screen) set(rows []api.Job) {
	before := s.list.Rows
	s.list.Set(rows)
	for i := range before {
		if len(rows) == 0 || before[i].ID > rows[0].ID || s.list.Index(before[i].ID) >= 0 {
			s.put(&before[i])
		}
	}
}

// put adds a job, the newest first, or changes it; news reports that. An older
// version than the one shown is an event that was overtaken.
func (s *Screen) put(j *api.Job) (news bool) {
	rows := slices.Clone(s.list.Rows)
	i := s.list.Index(j.ID)
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
	s.list.Set(rows)
	return news
}

// takeAll shows what became of any job.
func (s *Screen) takeAll(batch screen.Fed[api.JobEvent]) tea.Cmd {
	news := false
	for _, e := range batch.Values {
		if e.Job != nil && s.put(e.Job) {
			news = news || e.Job.Done() || s.titles[e.Job.PostID] == ""
			delete(s.broken, e.Job.ID)
		}
	}
	cmds := []tea.Cmd{s.watch()}
	if news {
		cmds = append(cmds, screen.Send(screen.PostsChanged{}))
	}
	switch {
	case !batch.Over:
		cmds = append(cmds, batch.Feed.Next())
	case batch.Err != nil:
		s.live = nil
		cmds = append(cmds, screen.Send(screen.Failure("follow the jobs", batch.Err)))
	default:
		s.live = nil
	}
	return tea.Batch(cmds...)
}

// watch follows the jobs that are not done.
func (s *Screen) watch() tea.Cmd {
	var cmds []tea.Cmd
	for i := range s.list.Rows {
		j := &s.list.Rows[i]
		if j.Done() || s.feeds[j.ID] != nil || s.broken[j.ID] || len(s.feeds) >= followed {
			continue
		}
		id := j.ID
		f, cmd := screen.OpenFeed(s.Errands, id, func(ctx context.Context) screen.Seq[api.JobEvent] { return s.api.Watch(ctx, id) })
		s.feeds[id], s.text[id] = f, "" // the stream begins with all of it
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

func (s *Screen) take(batch screen.Fed[api.JobEvent]) tea.Cmd {
	id := batch.Feed.ID
	if s.feeds[id] != batch.Feed {
		return nil
	}
	for _, e := range batch.Values {
		switch {
		case e.Job != nil:
			s.put(e.Job)
		case e.Type == "reset":
			s.text[id] = ""
		default:
			text := s.text[id] + e.Text
			s.text[id] = text[max(0, len(text)-screen.KeptText):]
		}
	}
	if !batch.Over {
		return batch.Feed.Next()
	}
	delete(s.feeds, id)
	if i := s.list.Index(id); i < 0 || s.list.Rows[i].Done() {
		delete(s.text, id)
	} else {
		s.broken[id] = true
	}
	cmds := []tea.Cmd{screen.Send(screen.PostsChanged{}), s.watch()}
	if batch.Err != nil {
		cmds = append(cmds, screen.Send(screen.Failed{Doing: "follow " + id, Err: batch.Err}))
	}
	return tea.Batch(cmds...)
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []screen.Action {
	return []screen.Action{
		{Key: "enter", Name: "follow", Doc: "Look at the job", Run: func() tea.Cmd { s.Front = true; return nil }},
		{Key: "c", Name: "cancel", Doc: "Cancel the job", Write: true, Run: s.cancel},
		{Key: "R", Name: "retry", Doc: "Queue a failed job again", Write: true, Run: s.retry},
		{Key: "o", Name: "open post", Doc: "Go to the job's post", Run: s.openPost},
		{Key: "esc", Name: "back", Doc: "Back to the list", Silent: true, Run: func() tea.Cmd { s.Front = false; return nil }},
	}
}

func (s *Screen) cancel() tea.Cmd {
	j := s.list.Current()
	if j == nil {
		return nil
	}
	if j.Done() {
		return screen.Refuse("the job is " + j.State + " already")
	}
	id := j.ID
	return s.Work("cancel the job", func(ctx context.Context) (tea.Msg, error) {
		job, err := s.api.Cancel(ctx, api.Ref{ID: id})
		return changed{job, "canceled " + id}, err
	})
}

func (s *Screen) retry() tea.Cmd {
	j := s.list.Current()
	if j == nil {
		return nil
	}
	id := j.ID
	return s.Work("retry the job", func(ctx context.Context) (tea.Msg, error) {
		job, err := s.api.Retry(ctx, api.Ref{ID: id})
		return changed{job, "queued " + id + " again"}, err
	})
}

func (s *Screen) openPost() tea.Cmd {
	if j := s.list.Current(); j != nil {
		return s.Tell(screen.GoTo{Screen: "Posts", ID: j.PostID})
	}
	return nil
}

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyMsg) tea.Cmd {
	if s.Alone() {
		s.view.Key(k.String())
	} else if s.list.Key(k.String()) {
		s.view.Resume()
	}
	return nil
}
