// Package public serves the pages that a team publishes: its index, posts, tags,
// feed, sitemap, media and help articles. It sees what is published only, through the Source that
// it declares, and knows nothing of keys, sessions, storage or the API.
//
// The pages need no script and send none.
package public

import (
	"context"
	"errors"
	"html/template"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// Source is what the pages are made of. A lookup that finds nothing returns
// false and no error. Calls end before the request does.
type Source interface {
	// BySlug finds the publication whose pages are below /{slug}/.
	BySlug(ctx context.Context, slug string) (Publication, bool, error)

	// ByHost finds the publication that has host for its own, which is in lower
	// case and without a port.
	ByHost(ctx context.Context, host string) (Publication, bool, error)

	// OnlyTeam is the team to which "/" leads on a host without a site; false
	// where there is none or more than one.
	OnlyTeam(ctx context.Context) (api.Team, bool, error)

	// Posts lists published posts, the newest publication first. An unknown
	// cursor is an *api.Error.
	Posts(ctx context.Context, teamID string, q Query) (Posts, error)

	// Post finds a published post with its content.
	Post(ctx context.Context, teamID, slug string) (api.Post, bool, error)

	// PostAddress finds where a post is now that was public under slug, or that it
	// is gone for good; neither for what was never public.
	PostAddress(ctx context.Context, teamID, slug string) (now string, gone bool, err error)

	// Around returns the posts published directly after and before p, nil where
	// there is none. Their content is not used.
	Around(ctx context.Context, teamID string, p api.Post) (newer, older *api.Post, err error)

	// Related returns published posts that share tags with p, those that share
	// the most first. Their content is not used.
	Related(ctx context.Context, teamID string, p api.Post, limit int) ([]api.Post, error)

	// PostSearch finds the published posts that answer q, the best first.
	PostSearch(ctx context.Context, teamID, q string, limit int) ([]api.PostHit, error)

	// Help lists the published help articles, without content, and the
	// categories, each in the order in which they are read.
	Help(ctx context.Context, teamID string) ([]api.Article, []api.Category, error)

	// HelpArticle finds a published help article with its content.
	HelpArticle(ctx context.Context, teamID, slug string) (api.Article, bool, error)

	// HelpAddress is PostAddress for help articles.
	HelpAddress(ctx context.Context, teamID, slug string) (now string, gone bool, err error)

	// HelpSearch finds the published help articles that answer q, the best first.
	HelpSearch(ctx context.Context, teamID, q string, limit int) ([]api.HelpHit, error)

	// RateHelp counts that a reader found an article helpful, or not.
	RateHelp(ctx context.Context, teamID, articleID string, helpful bool) error

	// Media finds a file of any team. Its bytes never change.
	Media(ctx context.Context, id string) (m Media, found bool, err error)
}

// Publication is a team with the settings of its pages.
type Publication struct {
	api.Team
	Site     api.PublicSite // Chat is off where its site is gone
	HasPosts bool           // at least one published post
	HasHelp  bool           // at least one published help article
}

// Query asks for a page of published posts.
type Query struct {
	Tag     string // only posts with this tag; empty for all
	Cursor  string // of a page of the same tag; empty for the first
	Newer   bool   // Cursor is that of Posts.Newer
	Limit   int
	Content bool // with content
}

// Posts is a page of published posts. Older and Newer are the cursors of the pages
// on both sides, empty where there is none; Newer may lead to an empty page.
type Posts struct {
	Data         []api.Post
	Older, Newer string
}

// Options are the settings of the pages.
type Options struct {
	// BaseURL is the address of the daemon, such as https://blog.example.com,
	// without a slash at the end. Canonical links and feeds are made with it.
	// Empty takes the Host of each request, over plain HTTP.
	BaseURL string

	Log *slog.Logger // nil: slog.Default()

	// Address is where a request comes from; nil takes the connection's.
	Address func(*fasthttp.RequestCtx) string

	// Limit counts a page or a search for the network of an address, or refuses
	// with an *api.Error that has RetryAfter; nil counts nothing. Files and
	// stylesheets are not counted.
	Limit func(address string, search bool) error

	// CacheBytes bounds the rendered pages kept in memory; 0 is 16 MiB. Pages are
	// kept by the versions of what they show, so they are never stale.
	CacheBytes int
}

const defaultCacheBytes = 16 << 20

// Pages answers requests for published pages. It is safe for concurrent use.
type Pages struct {
	source    Source
	base      string
	log       *slog.Logger
	templates map[string]*template.Template
	assets    assets
	cache     *cache
	votes     *votes
	address   func(*fasthttp.RequestCtx) string
	limit     func(address string, search bool) error
	searching chan struct{} // as many as search at once
	tooMany   func() []byte // the page of a refusal, the same for all
}

// New returns the pages of source.
func New(source Source, o Options) *Pages {
	p := &Pages{source: source, base: strings.TrimRight(o.BaseURL, "/"), log: o.Log, assets: loadAssets()}
	if p.log == nil {
		p.log = slog.Default()
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCacheBytes
	}
	p.cache = newCache(o.CacheBytes)
	p.votes = &votes{now: time.Now}
	p.address = o.Address
	if p.address == nil {
		p.address = func(ctx *fasthttp.RequestCtx) string { return ctx.RemoteIP().String() }
	}
	p.limit = o.Limit
	if p.limit == nil {
		p.limit = func(string, bool) error { return nil }
	}
	p.searching = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	p.templates = parseTemplates()
	p.tooMany = sync.OnceValue(func() []byte { return p.message(site{}, fasthttp.StatusServiceUnavailable) })
	return p
}

// Handle is a fasthttp.RequestHandler that answers every path; what is no page
// is a 404 page. Route more specific paths before it.
func (p *Pages) Handle(ctx *fasthttp.RequestCtx) {
	setSafetyHeaders(ctx)
	if !ctx.IsGet() && !ctx.IsHead() && !isVote(ctx) {
		ctx.Response.Header.Set("Allow", "GET, HEAD")
		p.fail(ctx, site{}, fasthttp.StatusMethodNotAllowed)
		return
	}
	s, err := p.serve(ctx)
	if refusal, ok := errors.AsType[*api.Error](err); ok && refusal.RetryAfter > 0 {
		p.turnAway(ctx, refusal)
		return
	}
	if err != nil {
		p.fail(ctx, s, p.status(ctx, err))
	}
}

// errNotFound is the outcome of every address that shows nothing.
var errNotFound = errors.New("page not found")

// errGone is the outcome of an address that showed something and never will again.
var errGone = errors.New("page is gone")

// status of the page that tells of err. Refusals of the source are addresses
// that nobody was given, such as an unknown cursor.
func (p *Pages) status(ctx *fasthttp.RequestCtx, err error) int {
	if errors.Is(err, errNotFound) {
		return fasthttp.StatusNotFound
	}
	switch {
	case errors.Is(err, errGone):
		return fasthttp.StatusGone
	case errors.Is(err, errElsewhere):
		return fasthttp.StatusForbidden
	case errors.Is(err, errTooMany):
		return fasthttp.StatusTooManyRequests
	}
	if refusal, ok := errors.AsType[*api.Error](err); ok && refusal.Status < 500 {
		return fasthttp.StatusNotFound
	}
	p.log.ErrorContext(ctx, "public page", "path", string(ctx.Path()), "error", err)
	return fasthttp.StatusInternalServerError
}
