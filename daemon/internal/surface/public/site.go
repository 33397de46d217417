package public

import (
	"net"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// site is a team's pages at the address where they were asked for. The zero site
// stands for a page that belongs to no team.
type site struct {
	Team   api.Team
	base   string // scheme and host, without a slash at the end
	prefix string // "/{team}", or empty on a host of the team's own
}

func (p *Pages) siteOfSlug(ctx *fasthttp.RequestCtx, slug string) (site, bool, error) {
	team, found, err := p.source.TeamBySlug(ctx, slug)
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
	team, found, err := p.source.TeamByHost(ctx, name)
	if err != nil || !found {
		return site{}, false, err
	}
	return site{Team: team, base: p.baseOf(name)}, true, nil
}

// baseOf is the address of a host that belongs to a team. Its scheme and port are
// the daemon's: what a request says of its port is the client's word, and would
// get into links and feeds.
func (p *Pages) baseOf(host string) string {
	base, err := url.Parse(p.base)
	if err != nil || base.Scheme == "" {
		return "http://" + host
	}
	if port := base.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	return base.Scheme + "://" + host
}

// The paths of a site's pages.

func (s site) Index() string           { return s.prefix + "/" }
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
