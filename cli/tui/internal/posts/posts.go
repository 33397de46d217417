package posts

import (
	"context"
	"strings"

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
	screen.Halves
	api  Service
	list part.List[api.Post]
	view part.Scroller

	query   api.PostQuery
	cursor  string // of the next page
	more    bool
	loaded  bool
	filter  part.Field
	filling bool // the filter is being typed
	full    map[string]*article
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
}

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
	return &Screen{Halves: screen.Halves{Room: r}, api: posted, list: part.NewList(func(p *api.Post) string { return p.ID }), full: map[string]*article{}}
}

// Name implements screen.Screen.
func (s *Screen) Name() string { return "Posts" }

// Badge implements screen.Screen.
func (s *Screen) Badge() int { return 0 }

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.filling }

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd { return s.load(s.query) }

// load reads the first page.
func (s *Screen) load(q api.PostQuery) tea.Cmd {
	q.Limit, q.Cursor = screen.PageSize, ""
	s.query = q
	return s.page(q)
}

func (s *Screen) page(q api.PostQuery) tea.Cmd {
	return s.Work("list posts", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, q)
		return pageLoaded{q, page}, err
	})
}

// preview reads the post under the cursor when it is not there yet.
func (s *Screen) preview() tea.Cmd {
	p := s.list.Current()
	if p == nil {
		return nil
	}
	if have := s.full[p.ID]; have != nil && have.version == p.Version {
		return nil
	}
	id := p.ID
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
		s.Tell(screen.PostsRead{Posts: msg.page.Data})
		return s.take(msg)
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
		return s.load(s.query)
	}
	return nil
}

func (s *Screen) take(msg pageLoaded) tea.Cmd {
	asked := msg.query
	asked.Cursor = ""
	if asked != s.query {
		return nil // another filter was chosen meanwhile
	}
	rows := msg.page.Data
	if msg.query.Cursor != "" {
		rows = append(s.list.Rows, rows...)
	}
	s.list.Set(rows)
	s.cursor, s.more, s.loaded = msg.page.NextCursor, msg.page.HasMore, true
	return s.preview()
}

func (s *Screen) put(p *api.Post) {
	kept := *p
	kept.Content = ""
	s.list.Replace(kept)
}

func (s *Screen) drop(id string) {
	var rows []api.Post
	for _, p := range s.list.Rows {
		if p.ID != id {
			rows = append(rows, p)
		}
	}
	s.list.Set(rows)
}

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyMsg) tea.Cmd {
	if s.filling {
		return s.typeFilter(k)
	}
	if s.Alone() {
		s.view.Key(k.String())
		return nil
	}
	if s.list.Key(k.String()) {
		return s.moved()
	}
	return nil
}

// moved reads what the cursor came to, and the next page at the end of this.
func (s *Screen) moved() tea.Cmd {
	s.view.Home()
	if s.more && s.list.Cursor >= len(s.list.Rows)-5 {
		s.more = false
		q := s.query
		q.Cursor = s.cursor
		return tea.Batch(s.preview(), s.page(q))
	}
	return s.preview()
}

func (s *Screen) typeFilter(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		s.filling = false
	case "esc":
		s.filling = false
		s.filter.Set("")
	default:
		s.filter.Key(k)
		return nil
	}
	q := s.query
	q.Q = strings.TrimSpace(s.filter.Value())
	return s.load(q)
}

// Find brings the cursor to a post, of any status.
func (s *Screen) Find(id string) tea.Cmd {
	if i := s.list.Index(id); i >= 0 {
		s.list.Cursor = i
		return s.preview()
	}
	s.filter.Set("")
	s.list.Cursor, s.list.Top = 0, 0
	return s.load(api.PostQuery{})
}
