package public

import (
	"bytes"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/sdk/api"
)

// view is what the layout needs of a page; Body is for its own template.
type view struct {
	Site        site
	Assets      assets
	Lang        string
	Title       string // without the name of the site; empty on its first page
	Description string
	Canonical   string // empty: a page that no one should link to
	Path        string // of the page, to mark in the navigation
	Image       *api.Image
	Article     bool
	Published   api.Time
	Modified    api.Time
	Tags        []string
	NoIndex     bool
	Help        bool // one of the help pages
	Plain       bool // without navigation: a page of no team
	Data        any  // what search engines read of it as JSON-LD, nil for nothing
	Body        any
}

// HeadTitle names the page first, because tabs are narrow.
func (v view) HeadTitle() string {
	name := v.Site.Name()
	switch {
	case v.Title == "" || v.Title == name:
		return name
	case name == "":
		return v.Title
	}
	return v.Title + " · " + name
}

// Tint is the stylesheet of the team's accent colour, "" for the pages' own.
func (v view) Tint() string { return v.Assets.Tint(v.Site.Team.Site.AccentColor) }

// Icon is what browser tabs show.
func (v view) Icon() string {
	if icon := v.Site.Team.Site.IconURL; showable(icon) {
		return icon
	}
	return v.Assets.TintedIcon(v.Site.Team.Site.AccentColor)
}

// Links are the navigation, with the page or its part of the site marked.
func (v view) Links() []link {
	links := v.Site.Links()
	for i, l := range links {
		switch {
		case v.Path == "" || l.URL != v.Path:
		case v.Canonical == v.Site.Abs(l.URL):
			links[i].Here = "page"
		default:
			links[i].Here = "true"
		}
	}
	return links
}

// Chat is the id of the site whose chat the page carries, "" for none.
func (v view) Chat() string {
	if !v.Site.chats(v.Help) {
		return ""
	}
	return v.Site.Team.Site.ChatSiteID
}

func (p *Pages) html(name string, v view) ([]byte, error) {
	v.Assets, v.Plain = p.assets, v.Site.Team.ID == ""
	if v.Lang == "" {
		v.Lang = "en"
	}
	var out bytes.Buffer
	if err := p.templates[name].ExecuteTemplate(&out, "layout.html", v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func funcs() template.FuncMap {
	return template.FuncMap{
		"day":     func(t api.Time) string { return t.Time().Format("2 January 2006") },
		"machine": func(t api.Time) string { return t.Time().Format(time.RFC3339) },
	}
}

// card is a post as lists show it.
type card struct {
	Site site
	Post api.Post
}

func (c card) Path() string    { return c.Site.Post(c.Post.Slug) }
func (c card) Summary() string { return summary(c.Post) }
func (c card) Dir() string     { return direction(c.Post.Locale) }

func (c card) Image() *api.Image { return shownImage(c.Post) }

// Author is the name of who wrote it, "" where none is known.
func (c card) Author() string { return authorName(c.Post) }

func (c card) Minutes() int { return max(c.Post.ReadingMinutes, 1) }

// Revised is the day of the last change where a reader should know of it: not on
// the day of publication, and not in lists.
func (c card) Revised() api.Time { return 0 }

// shortTags is how many tags of a post a list shows; its page shows all.
const shortTags = 5

// Short is the card with the first tags only.
func (c card) Short() card {
	c.Post.Tags = c.Post.Tags[:min(len(c.Post.Tags), shortTags)]
	return c
}

// summary is what the author wrote about the post, or how it begins.
func summary(post api.Post) string {
	if post.Description != "" {
		return post.Description
	}
	return post.Excerpt
}

// shownImage leaves out what the content policy would block and what could not
// be an address of a picture.
func shownImage(post api.Post) *api.Image {
	if post.FeaturedImage == nil || !showable(post.FeaturedImage.URL) {
		return nil
	}
	return post.FeaturedImage
}

func showable(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return u.Scheme == "https" && u.Host != "" || u.Scheme == "" && strings.HasPrefix(address, "/media/")
}

// direction of a language's script; "auto" lets the browser look at the text.
func direction(locale string) string {
	language, _, _ := strings.Cut(strings.ToLower(locale), "-")
	switch language {
	case "":
		return "auto"
	case "ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi":
		return "rtl"
	}
	return "ltr"
}

func authorName(post api.Post) string {
	if post.Author == nil {
		return ""
	}
	return post.Author.Name
}

// published reports whether the post may be shown: a post whose text is still
// being generated is published in status only, and has no time of publication.
// A job beside a text that is there already hides nothing.
func published(post api.Post) bool {
	return post.Status == api.PostPublished && post.PublishedAt != 0
}

// shown sanitises content and fits it into the page.
func shown(content string) template.HTML {
	return template.HTML(dress(safehtml.Sanitize(content))) //nolint:gosec // sanitised, so not escaped again
}

// message is the body of a page that only says something.
type message struct{ Heading, Text string }

// messages are the pages of failures. Others are about something that is not
// there.
var messages = map[int]message{
	fasthttp.StatusMethodNotAllowed:    {"Not possible here", "This address can only be read."},
	fasthttp.StatusGone:                {"No longer here", "What was at this address has been taken down."},
	fasthttp.StatusForbidden:           {"Not from here", "Answers are only taken from the page itself. Please go back and try again."},
	fasthttp.StatusTooManyRequests:     {"That was a lot", "Thank you, we have got the message. Please try again later."},
	fasthttp.StatusServiceUnavailable:  {"Too much at once", "More was asked than this server answers. Please try again in a moment."},
	fasthttp.StatusInternalServerError: {"Something went wrong", "The page could not be made. Please try again in a moment."},
}

// fail answers with a page that tells of an error and is never kept.
func (p *Pages) fail(ctx *fasthttp.RequestCtx, s site, status int) {
	page := p.message(s, status)
	ctx.SetStatusCode(status)
	ctx.SetContentType(typeHTML)
	policy{forms: s.Team.HasHelp}.set(ctx)
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	ctx.SetBody(page)
}

// turnAway answers a client that asks too much, or one too many, with a page
// that is made once: refusing must cost less than serving.
func (p *Pages) turnAway(ctx *fasthttp.RequestCtx, refusal *api.Error) {
	ctx.SetStatusCode(refusal.Status)
	ctx.SetContentType(typeHTML)
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, strconv.Itoa(refusal.RetryAfter))
	ctx.Response.SetBodyRaw(p.tooMany())
}

// message is the page that tells of a failure.
func (p *Pages) message(s site, status int) []byte {
	m, ok := messages[status]
	if !ok {
		m = message{"Page not found", "There is nothing at this address. It may have moved, or it was never here."}
	}
	s.quiet = true
	page, err := p.html("message", view{Site: s, Title: m.Heading, NoIndex: true, Body: m})
	if err != nil {
		p.log.Error("render error page", "error", err)
		page = []byte(m.Heading)
	}
	return page
}

// welcome answers "/" on a host without a site. It tells nothing of the teams,
// unless there is only one.
func (p *Pages) welcome(ctx *fasthttp.RequestCtx) error {
	team, found, err := p.source.OnlyTeam(ctx)
	if err != nil {
		return err
	}
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	if found {
		ctx.Response.Header.Set(fasthttp.HeaderLocation, "/"+url.PathEscape(team.Slug)+"/")
		ctx.SetStatusCode(fasthttp.StatusFound)
		return nil
	}
	page, err := p.html("message", view{Title: "Welcome", NoIndex: true,
		Body: message{"Welcome", "This server hosts publications. Each has an address of its own: add its name to the end of this one."}})
	if err != nil {
		return err
	}
	ctx.SetContentType(typeHTML)
	ctx.SetBody(page)
	return nil
}
