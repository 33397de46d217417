package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/tui/internal/prose"
	"edgesvc.dev/svc/sdk/api"
)

const (
	pageSize = 100
	// maxPreview bounds what of a post is rendered.
	maxPreview = 64 << 10
	// bestDescription is how long a description may be before search engines
	// cut it.
	bestDescription = 160
)

// statuses are what the list of posts shows, in turn.
var statuses = []string{"", api.PostDraft, api.PostPublished, api.PostArchived}

// posts is the list of posts beside a preview.
type posts struct {
	halves
	api  Posts
	list list[api.Post]
	view scroller

	query   api.PostQuery
	cursor  string // of the next page
	more    bool
	loaded  bool
	filter  field
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

func (a *article) lines(t theme, w int) []string {
	if a.drawn == nil || a.w != w || a.theme != t.name {
		a.w, a.theme, a.drawn = w, t.name, prose.Lines(clean(a.markdown), w, t.prose)
	}
	return a.drawn
}

type postsLoaded struct {
	query api.PostQuery
	page  *api.Page[api.Post]
}

type postLoaded struct {
	post     *api.Post
	markdown string
}

// postChanged tells every screen of a post that is different now.
type postChanged struct {
	post *api.Post
	done string
}

type postGone struct{ id, slug string }

func newPosts(r *room, posted Posts) *posts {
	return &posts{halves: halves{room: r}, api: posted, list: newList(func(p *api.Post) string { return p.ID }), full: map[string]*article{}}
}

func (s *posts) name() string { return "Posts" }
func (s *posts) badge() int   { return 0 }
func (s *posts) typing() bool { return s.filling }

func (s *posts) show() tea.Cmd { return s.load(s.query) }

// load reads the first page.
func (s *posts) load(q api.PostQuery) tea.Cmd {
	q.Limit, q.Cursor = pageSize, ""
	s.query = q
	return s.page(q)
}

func (s *posts) page(q api.PostQuery) tea.Cmd {
	return s.work("list posts", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, q)
		return postsLoaded{q, page}, err
	})
}

// preview reads the post under the cursor when it is not there yet.
func (s *posts) preview() tea.Cmd {
	p := s.list.current()
	if p == nil {
		return nil
	}
	if have := s.full[p.ID]; have != nil && have.version == p.Version {
		return nil
	}
	id := p.ID
	return s.work("read the post", func(ctx context.Context) (tea.Msg, error) {
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

func (s *posts) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case postsLoaded:
		return s.take(msg)
	case postLoaded:
		s.full[msg.post.ID] = &article{version: msg.post.Version, markdown: msg.markdown}
		s.put(msg.post)
	case postChanged:
		s.put(msg.post)
		return tea.Batch(s.preview(), say(msg.done))
	case postGone:
		s.drop(msg.id)
		return tea.Batch(s.preview(), say("deleted "+line(msg.slug)))
	case postsRefreshed:
		return s.load(s.query)
	}
	return nil
}

// postsRefreshed says that posts changed elsewhere.
type postsRefreshed struct{}

func (s *posts) take(msg postsLoaded) tea.Cmd {
	asked := msg.query
	asked.Cursor = ""
	if asked != s.query {
		return nil // another filter was chosen meanwhile
	}
	rows := msg.page.Data
	if msg.query.Cursor != "" {
		rows = append(s.list.rows, rows...)
	}
	s.list.set(rows)
	s.cursor, s.more, s.loaded = msg.page.NextCursor, msg.page.HasMore, true
	return s.preview()
}

func (s *posts) put(p *api.Post) {
	kept := *p
	kept.Content = ""
	s.list.replace(kept)
}

func (s *posts) drop(id string) {
	var rows []api.Post
	for _, p := range s.list.rows {
		if p.ID != id {
			rows = append(rows, p)
		}
	}
	s.list.set(rows)
}

func (s *posts) key(k tea.KeyMsg) tea.Cmd {
	if s.filling {
		return s.typeFilter(k)
	}
	if s.alone() {
		s.view.key(k.String())
		return nil
	}
	if s.list.key(k.String()) {
		return s.moved()
	}
	return nil
}

// moved reads what the cursor came to, and the next page at the end of this.
func (s *posts) moved() tea.Cmd {
	s.view.home()
	if s.more && s.list.cursor >= len(s.list.rows)-5 {
		s.more = false
		q := s.query
		q.Cursor = s.cursor
		return tea.Batch(s.preview(), s.page(q))
	}
	return s.preview()
}

func (s *posts) typeFilter(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		s.filling = false
	case "esc":
		s.filling = false
		s.filter.set("")
	default:
		s.filter.key(k)
		return nil
	}
	q := s.query
	q.Q = strings.TrimSpace(s.filter.value())
	return s.load(q)
}

// find brings the cursor to a post, of any status.
func (s *posts) find(id string) tea.Cmd {
	if i := s.list.index(id); i >= 0 {
		s.list.cursor = i
		return s.preview()
	}
	s.filter.set("")
	s.list.cursor, s.list.top = 0, 0
	return s.load(api.PostQuery{})
}
