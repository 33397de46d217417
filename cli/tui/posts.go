package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

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
	*room
	api  Posts
	list list[api.Post]
	view scroller

	query   api.PostQuery
	cursor  string // of the next page
	more    bool
	loaded  bool
	filter  field
	filling bool // the filter is being typed
	open    bool // the preview is in front, where there is room for one pane
	full    map[string]*article
	w, h    int
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
	return &posts{room: r, api: posted, list: newList(func(p *api.Post) string { return p.ID }), full: map[string]*article{}}
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
	if s.open && s.narrow() || s.zoomed {
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

func (s *posts) click(x, y int) tea.Cmd {
	if lw, _ := s.split(); x < lw && !s.zoomed && s.list.click(y-1) {
		return s.moved()
	}
	return nil
}

func (s *posts) wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.split(); x < lw && !s.zoomed {
		s.list.move(by)
		return s.moved()
	}
	s.view.move(by)
	return nil
}

func (s *posts) picked() subject {
	p := s.list.current()
	if p == nil {
		return subject{}
	}
	return subject{id: p.ID, command: "svcctl post get " + quote(p.Slug), url: p.CanonicalURL}
}

// SetSize gives the screen its room.
func (s *posts) SetSize(w, h int) { s.w, s.h = w, h }

func (s *posts) narrow() bool { return s.w < narrow || s.h < low }

// split is the widths of list and preview.
func (s *posts) split() (int, int) {
	switch {
	case s.zoomed || s.narrow() && s.open:
		return 0, s.w
	case s.narrow():
		return s.w, 0
	}
	return s.w / 2, s.w - s.w/2
}

// Render draws the screen.
func (s *posts) Render() string {
	lw, rw := s.split()
	out := blank(0, s.h)
	if lw > 0 {
		out = beside(out, s.drawList(lw))
	}
	if rw > 0 {
		out = beside(out, s.drawPreview(rw))
	}
	return strings.Join(out, "\n")
}

func (s *posts) drawList(w int) []string {
	iw, ih := inner(w, s.h)
	p := pane{title: s.title(), active: true}
	if s.filling || !s.filter.empty() {
		p.bottom = []string{fit(" /"+s.filter.draw(s.theme, max(iw-3, 1), 1, s.filling)[0], iw)}
		ih--
	}
	p.lines = s.list.draw(s.theme, iw, ih, s.row)
	if len(s.list.rows) == 0 {
		p.lines = s.emptyText(iw)
	}
	return p.draw(s.theme, w, s.h)
}

func (s *posts) title() string {
	count := fmt.Sprint(len(s.list.rows))
	if s.more {
		count += "+"
	}
	title := "Posts · " + or(strings.ToLower(s.query.Status), "all") + " · " + count
	if n := len(s.list.marked); n > 0 {
		title += fmt.Sprintf(" · %d marked", n)
	}
	return title
}

func (s *posts) emptyText(w int) []string {
	switch {
	case !s.loaded:
		return s.advice(w, "reading …")
	case s.query.Q != "":
		return s.advice(w, "No post has these words.", "esc in the filter takes it away")
	case s.query.Status != "":
		return s.advice(w, "No "+strings.ToLower(s.query.Status)+" posts.", "s shows others")
	}
	return s.advice(w, "No posts yet.", "n writes one, g has one generated")
}

// advice is what an empty list says: that it is empty, and what to do.
func (r *room) advice(w int, lines ...string) []string {
	out := []string{""}
	for i, text := range lines {
		for _, part := range wrap(text, w-2) {
			if i > 0 {
				part = r.theme.dim.Render(part)
			}
			out = append(out, " "+part)
		}
	}
	return out
}

func (s *posts) row(p *api.Post, picked, marked bool, w int) []string {
	mark, note := s.mark(p, picked)
	title := line(p.Title)
	if note != "" {
		title += " (" + note + ")"
	}
	tags := ""
	if len(p.Tags) > 0 && w >= 34 {
		tags = line(p.Tags[0])
	}
	right := fmt.Sprintf("%4s  %s", ago(s.now, p.UpdatedAt), fit(tags, 5))
	if w < 34 {
		right = fmt.Sprintf("%4s", ago(s.now, p.UpdatedAt))
	}
	if !picked {
		right = s.theme.dim.Render(right)
	}
	return []string{spread(cursorMark(picked, marked)+mark+" "+title, right, w)}
}

// mark is the state of a post as a sign, and in words where it is out of the
// ordinary. Under the cursor it has the row's colour.
func (s *posts) mark(p *api.Post, picked bool) (sign, note string) {
	style := s.theme.dim
	sign = "○"
	switch p.Status {
	case api.PostPublished:
		sign, style = "●", s.theme.good
	case api.PostArchived:
		sign, note = "-", "archived"
	}
	if p.Generation != nil {
		switch p.Generation.State {
		case api.JobQueued, api.JobRunning:
			sign, style, note = s.spinner(), s.theme.live, "writing"
		case api.JobFailed:
			sign, style, note = "✗", s.theme.bad, "job failed"
		}
	}
	if picked {
		return sign, note
	}
	return style.Render(sign), note
}

func (s *posts) drawPreview(w int) []string {
	iw, ih := inner(w, s.h)
	p := pane{title: "Preview", active: s.zoomed || s.narrow()}
	cur := s.list.current()
	if cur == nil {
		return p.draw(s.theme, w, s.h)
	}
	p.bottom = []string{s.facts(cur, iw)}
	tw := max(iw-2, 1)
	lines := []string{s.theme.bold.Render(ansi.Truncate(line(cur.Title), tw, "…"))}
	lines = append(lines, s.theme.dim.Render(ansi.Truncate(fmt.Sprintf("/%s · %s · %s words · v%d",
		line(cur.Slug), strings.ToLower(cur.Status), grouped(cur.WordCount), cur.Version), tw, "…")), "")
	if full := s.full[cur.ID]; full != nil {
		lines = append(lines, full.lines(s.theme, tw)...)
	} else {
		lines = append(lines, s.theme.dim.Render("reading …"))
	}
	s.view.set(lines, ih-1)
	for _, text := range s.view.lines() {
		p.lines = append(p.lines, " "+text)
	}
	return p.draw(s.theme, w, s.h)
}

// facts is the last line of the preview.
func (s *posts) facts(p *api.Post, w int) string {
	tags := "no tags"
	if len(p.Tags) > 0 {
		tags = "tags: " + line(strings.Join(p.Tags, ", "))
	}
	n := len([]rune(p.Description))
	seo := s.theme.dim.Render(fmt.Sprintf("SEO %d/%d ", n, bestDescription))
	if n > bestDescription || n == 0 {
		seo = s.theme.warn.Render(fmt.Sprintf("SEO %d/%d ! ", n, bestDescription))
	}
	return spread(" "+s.theme.dim.Render(tags), seo, w)
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
