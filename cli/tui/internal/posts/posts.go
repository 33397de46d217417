package posts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/part/prose"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

const (
	// maxPreview bounds what of a post is rendered.
	maxPreview = 64 << 10
	// bestDescription is how long a description may be before search engines
	// cut it.
	bestDescription = 160
)

// statuses are what the list of posts shows, in turn.
var statuses = []string{"", api.PostDraft, api.PostPublished, api.PostArchived}

// Screen is the list of posts beside a preview.
type Screen struct {
	screen.Browser[api.Post]
	api Service

	query   api.PostQuery
	all     []api.Post // as they were read
	found   *api.Post  // what was looked for and is not among them
	cursor  string     // of the next page
	more    bool
	loaded  bool
	reading bool // the first page
	stale   bool // something changed meanwhile
	order   int  // one of orders
	full    map[string]*article
}

// orders are those of the list, in turn.
var orders = []struct {
	name    string
	compare func(a, b *api.Post) int // nil leaves the daemon's: the newest first
}{
	{"newest", nil},
	{"updated", func(a, b *api.Post) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) }},
	{"title", func(a, b *api.Post) int { return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) }},
	{"words", func(a, b *api.Post) int { return cmp.Compare(b.WordCount, a.WordCount) }},
}

// article is a post as the preview shows it. What was drawn is kept while it
// would come out the same.
type article struct {
	version  int
	markdown string
	w        int
	theme    string
	drawn    []string
}

func (a *article) lines(t part.Theme, w int) []string {
	if a.drawn == nil || a.w != w || a.theme != t.Name {
		a.w, a.theme, a.drawn = w, t.Name, prose.Lines(part.Clean(a.markdown), w, t.Prose)
	}
	return a.drawn
}

type pageLoaded struct {
	query api.PostQuery
	page  *api.Page[api.Post]
	fresh bool // the first page, once more: what was read of the others stays
	err   error
}

// again has the first page read once more.
type again struct{}

type postFound struct{ post *api.Post }

type postLoaded struct {
	post     *api.Post
	markdown string
}

type postChanged struct {
	post *api.Post
	done string
}

type postGone struct{ id, slug string }

// New returns the screen.
func New(r *screen.Room, posted Service) *Screen {
	s := &Screen{Browser: screen.NewBrowser(r, func(p *api.Post) string { return p.ID }), api: posted, full: map[string]*article{}}
	s.Moved, s.Filtered = s.moved, s.filtered
	return s
}

// Name implements screen.Screen.
func (s *Screen) Name() string { return "Posts" }

// Badge implements screen.Screen.
func (s *Screen) Badge() int { return 0 }

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd { return s.refresh() }

// load reads the first page of what q asks for.
func (s *Screen) load(q api.PostQuery) tea.Cmd {
	q.Limit, q.Cursor = screen.PageSize, ""
	s.query, s.found = q, nil
	return s.page(q, false)
}

// refresh reads the first page once more.
func (s *Screen) refresh() tea.Cmd {
	if s.reading {
		s.stale = true
		return nil
	}
	s.query.Limit = screen.PageSize
	return s.page(s.query, true)
}

func (s *Screen) page(q api.PostQuery, fresh bool) tea.Cmd {
	s.reading = s.reading || q.Cursor == ""
	return s.Errands.Do(func(ctx context.Context) tea.Msg {
		page, err := s.api.List(ctx, q)
		return pageLoaded{q, page, fresh, err}
	})
}

// preview reads the post under the cursor when it is not there yet.
func (s *Screen) preview() tea.Cmd {
	p := s.Listed.Current()
	if p == nil {
		return nil
	}
	if have := s.full[p.ID]; have != nil && have.version == p.Version {
		return nil
	}
	return s.read(p.ID)
}

func (s *Screen) read(id string) tea.Cmd {
	return s.Work("read the post", func(ctx context.Context) (tea.Msg, error) {
		post, err := s.api.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		content := post.Content
		if len(content) > maxPreview {
			content = strings.ToValidUTF8(content[:maxPreview], "")
		}
		markdown, err := postfile.Markdown(content)
		return postLoaded{post, markdown}, err
	})
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pageLoaded:
		return s.take(msg)
	case again:
		return s.refresh()
	case screen.Changed:
		if s.loaded && msg.Has("post.") {
			return s.changed(msg)
		}
	case postFound:
		s.found = msg.post
		s.arrange()
		s.Listed.Cursor = max(s.Listed.Index(msg.post.ID), 0)
		return s.preview()
	case postLoaded:
		s.Tell(screen.PostsRead{Posts: []api.Post{*msg.post}})
		s.full[msg.post.ID] = &article{version: msg.post.Version, markdown: msg.markdown}
		s.put(msg.post)
	case postChanged:
		s.put(msg.post)
		return tea.Batch(s.preview(), screen.Say(msg.done))
	case postGone:
		s.drop(msg.id)
		return tea.Batch(s.preview(), screen.Say("deleted "+part.Line(msg.slug)))
	case screen.PostsChanged:
		return s.refresh()
	}
	return nil
}

// changed reads again what changed: the newest posts, and of the others those that
// are among what was read.
func (s *Screen) changed(msg screen.Changed) tea.Cmd {
	cmds := []tea.Cmd{s.refresh()}
	for _, c := range msg.Changes {
		if i := slices.IndexFunc(s.all, func(p api.Post) bool { return p.ID == c.ID }); i >= screen.PageSize {
			cmds = append(cmds, s.read(c.ID))
		}
	}
	return tea.Batch(cmds...)
}

func (s *Screen) take(msg pageLoaded) tea.Cmd {
	first := msg.query.Cursor == ""
	if first {
		s.reading = false
	}
	if msg.err != nil {
		return screen.Send(s.failure("list posts", msg.err))
	}
	s.Tell(screen.PostsRead{Posts: msg.page.Data})
	asked := msg.query
	asked.Cursor = ""
	if asked != s.query {
		return nil // another filter was chosen meanwhile
	}
	switch rows := msg.page.Data; {
	case !first:
		s.all = append(s.all, rows...)
		s.cursor, s.more = msg.page.NextCursor, msg.page.HasMore
	case msg.fresh && len(s.all) > screen.PageSize && len(rows) > 0:
		last := rows[len(rows)-1].ID // what is older was read before and stays
		s.all = append(slices.Clone(rows), slices.DeleteFunc(s.all, func(p api.Post) bool { return p.ID >= last })...)
	default:
		s.all, s.cursor, s.more = rows, msg.page.NextCursor, msg.page.HasMore
	}
	s.loaded = true
	s.arrange()
	if s.stale && first {
		s.stale = false
		return tea.Batch(s.preview(), tea.Tick(screen.Calm, func(time.Time) tea.Msg { return again{} }))
	}
	return s.preview()
}

func (s *Screen) failure(doing string, err error) tea.Msg {
	if s.SessionOnly {
		return screen.Failure(doing, err)
	}
	return screen.Failed{Doing: doing, Err: err}
}

// arrange shows what was read in the chosen order, and first what was looked for.
func (s *Screen) arrange() {
	rows := slices.Clone(s.all)
	if by := orders[s.order].compare; by != nil {
		slices.SortStableFunc(rows, func(a, b api.Post) int { return by(&a, &b) })
	}
	if s.found != nil && !slices.ContainsFunc(rows, func(p api.Post) bool { return p.ID == s.found.ID }) {
		rows = append([]api.Post{*s.found}, rows...)
	}
	s.Listed.Set(rows)
}

func (s *Screen) put(p *api.Post) {
	kept := *p
	kept.Content = ""
	if i := slices.IndexFunc(s.all, func(have api.Post) bool { return have.ID == p.ID }); i >= 0 {
		s.all[i] = kept
	}
	if s.found != nil && s.found.ID == p.ID {
		s.found = &kept
	}
	s.Listed.Replace(kept)
}

func (s *Screen) drop(id string) {
	s.all = slices.DeleteFunc(s.all, func(p api.Post) bool { return p.ID == id })
	if s.found != nil && s.found.ID == id {
		s.found = nil
	}
	s.arrange()
}

// moved reads what the cursor came to, and the next page at the end of this.
func (s *Screen) moved() tea.Cmd {
	if s.more && s.NearEnd() {
		s.more = false
		q := s.query
		q.Cursor = s.cursor
		return tea.Batch(s.preview(), s.page(q, false))
	}
	return s.preview()
}

// filtered asks the daemon for the posts with the words that were typed.
func (s *Screen) filtered(typed bool) tea.Cmd {
	if !typed {
		return nil
	}
	q := s.query
	q.Q = strings.TrimSpace(s.Filter.Value())
	return s.load(q)
}

// Find brings the cursor to a post, of any status. The filter stays: one that it
// leaves out is shown above the others.
func (s *Screen) Find(id string) tea.Cmd {
	if i := s.Listed.Index(id); i >= 0 {
		s.Listed.Cursor = i
		return s.preview()
	}
	return s.Work("find the post", func(ctx context.Context) (tea.Msg, error) {
		post, err := s.api.Get(ctx, id)
		return postFound{post}, err
	})
}
