package public_test

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/sdk/api"
)

// memory is a Source that holds posts of every status. Posts gives all of them,
// in pages, so that the pages must keep back what is not published.
type memory struct {
	teams []public.Publication
	hosts map[string]string // host to team id
	posts []api.Post
	media map[string]file
	moved map[string]string // slug by the one before
	err   error             // of every call, when set

	articles   []api.Article
	categories []api.Category
	rated      map[string]int // balance by article
}

type file struct {
	mime string
	data []byte
}

func (m *memory) BySlug(_ context.Context, slug string) (public.Publication, bool, error) {
	return m.team(func(t public.Publication) bool { return t.Slug == slug })
}

func (m *memory) ByHost(_ context.Context, host string) (public.Publication, bool, error) {
	return m.team(func(t public.Publication) bool { return t.ID == m.hosts[host] })
}

func (m *memory) OnlyTeam(context.Context) (api.Team, bool, error) {
	t, found, err := m.team(func(public.Publication) bool { return len(m.teams) == 1 })
	return t.Team, found, err
}

func (m *memory) team(is func(public.Publication) bool) (public.Publication, bool, error) {
	if i := slices.IndexFunc(m.teams, is); i >= 0 {
		return m.teams[i], true, m.err
	}
	return public.Publication{}, false, m.err
}

func (m *memory) newestFirst() []api.Post {
	return slices.SortedStableFunc(slices.Values(m.posts), func(a, b api.Post) int { return cmp.Compare(b.PublishedAt, a.PublishedAt) })
}

func (m *memory) Posts(_ context.Context, _ string, q public.Query) (public.Posts, error) {
	all := m.newestFirst()
	start := 0
	if q.Cursor != "" {
		n, err := strconv.Atoi(q.Cursor)
		if err != nil {
			return public.Posts{}, api.NewError(400, api.CodeInvalidCursor, "Unknown cursor.")
		}
		start = n
	}
	end := min(start+q.Limit, len(all))
	if q.Newer {
		start, end = max(0, start-q.Limit), start
	}
	page := public.Posts{}
	if end < len(all) {
		page.Older = strconv.Itoa(end)
	}
	if start > 0 {
		page.Newer = strconv.Itoa(start)
	}
	for _, p := range all[min(start, end):end] {
		if q.Tag != "" && !slices.Contains(p.Tags, q.Tag) {
			continue
		}
		if !q.Content {
			p.Content = ""
		}
		page.Data = append(page.Data, p)
	}
	return page, m.err
}

func (m *memory) Related(_ context.Context, _ string, p api.Post, limit int) (out []api.Post, err error) {
	for _, other := range m.newestFirst() {
		shares := slices.ContainsFunc(other.Tags, func(tag string) bool { return slices.Contains(p.Tags, tag) })
		if shares && other.ID != p.ID && len(out) < limit {
			out = append(out, other)
		}
	}
	return out, m.err
}

func (m *memory) Post(_ context.Context, _, slug string) (api.Post, bool, error) {
	if i := slices.IndexFunc(m.posts, func(p api.Post) bool { return p.Slug == slug }); i >= 0 {
		return m.posts[i], true, m.err
	}
	return api.Post{}, false, m.err
}

func (m *memory) Around(_ context.Context, _ string, p api.Post) (newer, older *api.Post, err error) {
	all := m.newestFirst()
	i := slices.IndexFunc(all, func(o api.Post) bool { return o.ID == p.ID })
	if i > 0 {
		newer = &all[i-1]
	}
	if i+1 < len(all) {
		older = &all[i+1]
	}
	return newer, older, m.err
}

func (m *memory) Help(context.Context, string) ([]api.Article, []api.Category, error) {
	var shown []api.Article
	for _, a := range m.articles {
		if a.Status == api.ArticlePublished {
			a.Content = ""
			shown = append(shown, a)
		}
	}
	return shown, m.categories, m.err
}

func (m *memory) PostAddress(_ context.Context, _, slug string) (string, bool, error) {
	return m.moved[slug], slug == "gone", nil
}

func (m *memory) HelpAddress(ctx context.Context, teamID, slug string) (string, bool, error) {
	return m.PostAddress(ctx, teamID, slug)
}

func (m *memory) HelpArticle(_ context.Context, _, slug string) (api.Article, bool, error) {
	if i := slices.IndexFunc(m.articles, func(a api.Article) bool { return a.Slug == slug }); i >= 0 {
		return m.articles[i], true, m.err
	}
	return api.Article{}, false, m.err
}

// HelpSearch finds the articles that have q in their title.
func (m *memory) HelpSearch(_ context.Context, _, q string, limit int) (hits []api.HelpHit, err error) {
	for _, a := range m.articles {
		if a.Status == api.ArticlePublished && strings.Contains(strings.ToLower(a.Title), strings.ToLower(q)) && len(hits) < limit {
			h := api.HelpHit{ArticleID: a.ID, FoundText: api.FoundText{Title: a.Title, Slug: a.Slug, URL: "https://elsewhere.example/", Excerpt: a.Excerpt}}
			if a.Slug == "times" {
				h.Sections = []api.FoundSection{{Anchor: "to-japan", Heading: "To <Japan>", Snippet: "😀 A week & <more>", Marks: [][2]int{{3, 9}, {12, 18}}}}
			}
			hits = append(hits, h)
		}
	}
	return hits, m.err
}

// PostSearch finds the posts that have q in their title.
func (m *memory) PostSearch(_ context.Context, _, q string, limit int) (hits []api.PostHit, err error) {
	for _, p := range m.newestFirst() {
		if strings.Contains(strings.ToLower(p.Title), strings.ToLower(q)) && len(hits) < limit {
			hits = append(hits, api.PostHit{PostID: p.ID, PublishedAt: p.PublishedAt, FoundText: api.FoundText{Title: p.Title, Slug: p.Slug, URL: "https://elsewhere.example/", Excerpt: p.Excerpt}})
		}
	}
	return hits, m.err
}

func (m *memory) RateHelp(_ context.Context, _, articleID string, helpful bool) error {
	if helpful {
		m.rated[articleID]++
	} else {
		m.rated[articleID]--
	}
	return m.err
}

func (m *memory) Media(_ context.Context, id string) (public.Media, bool, error) {
	f, found := m.media[id]
	return public.Media{MIME: f.mime, Size: int64(len(f.data)), Bytes: bytes.NewReader(f.data)}, found, m.err
}

var published = time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)

// newPost is a published post; n days back.
func newPost(n int, slug, title, content string) api.Post {
	at := api.TimeOf(published.AddDate(0, 0, -n))
	return api.Post{
		ID: "post_" + slug, Slug: slug, Title: title, Content: content, Status: api.PostPublished, Version: 1,
		PublishedAt: at, CreatedAt: at, UpdatedAt: at, ReadingMinutes: 3, Author: &api.Author{ID: "usr_1", Name: "Ada Byron"},
	}
}

func newTeam() public.Publication {
	at := api.TimeOf(published.AddDate(-1, 0, 0))
	team := api.Team{ID: "team_1", Name: "Field Notes", Slug: "notes", Version: 1, CreatedAt: at, UpdatedAt: at,
		Brand: api.Brand{Description: "Slow writing about software that lasts, and the people who keep it running."}}
	return public.Publication{Team: team, HasPosts: true, HasHelp: true, Site: api.PublicSite{Chat: api.ChatOff}}
}

// serve starts the pages on a port of the loopback address and returns their
// URL.
func serve(t testing.TB, source public.Source, o public.Options) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{Handler: public.New(source, o).Handle, NoDefaultServerHeader: true}
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := server.Serve(l); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return "http://" + l.Addr().String()
}

// client follows no redirects and decompresses nothing by itself.
func client(t testing.TB) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
