package public

import (
	"cmp"
	"net"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// site is a team's pages at the address where they were asked for. The zero site
// stands for a page that belongs to no team.
type site struct {
	Team   Publication
	base   string // scheme and host, without a slash at the end
	prefix string // "/{team}", or empty on a host of the team's own
	quiet  bool   // without the chat, whatever the settings say
}

// chats reports whether the pages carry the chat: all of them, or those of the
// help centre.
func (s site) chats(help bool) bool {
	on := s.Team.Site.Chat
	return !s.quiet && (on == api.ChatAll || help && on == api.ChatHelp)
}

func (p *Pages) siteOfSlug(ctx *fasthttp.RequestCtx, slug string) (site, bool, error) {
	team, found, err := p.source.BySlug(ctx, slug)
	if err != nil || !found {
		return site{}, false, err
	}
	base := p.base
	if base == "" {
		base = "http://" + string(ctx.Host())
	}
	return site{Team: team, base: base, prefix: "/" + url.PathEscape(team.Slug)}, true, nil
}

func (p *Pages) siteOfHost(ctx *fasthttp.RequestCtx) (site, bool, error) {
	name := strings.ToLower(string(ctx.Host()))
	if bare, _, err := net.SplitHostPort(name); err == nil {
		name = bare
	}
	name = strings.TrimSuffix(name, ".")
	team, found, err := p.source.ByHost(ctx, name)
	if err != nil || !found {
		return site{}, false, err
	}
	return site{Team: team, base: HostBase(p.base, name)}, true, nil
}

// HostBase is the address of a host that belongs to a team. Its scheme and port
// are the daemon's, whose address is base: what a request says of its port is the
// client's word, and would get into links and feeds.
func HostBase(base, host string) string {
	own, err := url.Parse(base)
	if err != nil || own.Scheme == "" {
		return "http://" + host
	}
	if port := own.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	return own.Scheme + "://" + host
}

// Name is what the pages are called.
func (s site) Name() string { return cmp.Or(s.Team.Site.Title, s.Team.Name) }

// Tagline says what they are about.
func (s site) Tagline() string { return cmp.Or(s.Team.Site.Tagline, s.Team.Brand.Description) }

// Logo is the picture beside the name, where a page may show it.
func (s site) Logo() string {
	logo := cmp.Or(s.Team.Site.LogoURL, s.Team.Brand.LogoURL)
	if !showable(logo) {
		return ""
	}
	return logo
}

// link is an entry of the navigation.
type link struct {
	Label, URL string
	Outside    bool   // of the pages
	Here       string // what aria-current says of it
}

// Links are the head's: those of the team, or to what there is.
func (s site) Links() []link {
	var links []link
	for _, l := range s.Team.Site.Navigation {
		own := strings.HasPrefix(l.URL, "/") && !strings.HasPrefix(l.URL, "/media/")
		if own {
			l.URL = s.prefix + l.URL
		}
		links = append(links, link{Label: l.Label, URL: l.URL, Outside: !own})
	}
	if links == nil {
		links = s.Shelves()
	}
	return links
}

// Shelves lead to the posts and to the help centre where a team has both.
func (s site) Shelves() []link {
	if !s.Team.HasPosts || !s.Team.HasHelp {
		return nil
	}
	return []link{{Label: "Posts", URL: s.Index()}, {Label: "Help", URL: s.Help()}}
}

// Home is the first page of what there is.
func (s site) Home() string {
	if s.Team.HasHelp && !s.Team.HasPosts {
		return s.Help()
	}
	return s.Index()
}

// The paths of a site's pages.

func (s site) Index() string           { return s.prefix + "/" }
func (s site) Search() string          { return s.prefix + "/blog" }
func (s site) Feed() string            { return s.prefix + "/feed.xml" }
func (s site) Sitemap() string         { return s.prefix + "/sitemap.xml" }
func (s site) Post(slug string) string { return s.prefix + "/" + url.PathEscape(slug) }

func (s site) Help() string                    { return s.prefix + "/help" }
func (s site) HelpArticle(slug string) string  { return s.Help() + "/" + url.PathEscape(slug) }
func (s site) HelpCategory(slug string) string { return s.Help() + "/category/" + url.PathEscape(slug) }
func (s site) HelpFeedback(slug string) string { return s.HelpArticle(slug) + "/feedback" }

// Tag is a path where the tag can stand in one; intermediaries disagree about
// encoded slashes, dots and percent signs, so such tags go into the query.
func (s site) Tag(tag string) string {
	if strings.ContainsAny(tag, `/\%`) || tag == "." || tag == ".." || strings.ContainsFunc(tag, isControl) {
		return s.prefix + "/tag?name=" + url.QueryEscape(tag)
	}
	return s.prefix + "/tag/" + url.PathEscape(tag)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// Abs makes a path of this site, or an address of the web, absolute.
func (s site) Abs(address string) string {
	if strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") {
		return s.base + address
	}
	return address
}
