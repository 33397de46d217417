package public

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"
)

// serve finds the site and answers. The site is returned with an error too, so
// that its 404 page looks like the rest of it.
func (p *Pages) serve(ctx *fasthttp.RequestCtx) (site, error) {
	path, err := segments(ctx)
	if err != nil {
		return site{}, errNotFound
	}
	switch path[0] {
	case "assets":
		return site{}, p.asset(ctx, path[1:])
	case "media":
		return site{}, p.media(ctx, path[1:])
	}
	if err := p.limit(p.address(ctx), false); err != nil {
		return site{}, err
	}
	s, found, err := p.siteOfHost(ctx)
	if err != nil {
		return s, err
	}
	if found {
		return s, p.page(ctx, s, path)
	}
	return p.teamPath(ctx, path)
}

// teamPath serves a host that belongs to no team: the first segment names one.
func (p *Pages) teamPath(ctx *fasthttp.RequestCtx, path []string) (site, error) {
	switch {
	case len(path) == 1 && path[0] == "":
		return site{}, p.welcome(ctx)
	case len(path) == 1 && path[0] == "robots.txt":
		return site{}, p.robots(ctx, "")
	}
	s, found, err := p.siteOfSlug(ctx, path[0])
	switch {
	case err != nil:
		return s, err
	case !found:
		return s, errNotFound
	case len(path) == 1:
		redirect(ctx, s.Index())
		return s, nil
	}
	return s, p.page(ctx, s, path[1:])
}

// page serves one page of a site; path is below its prefix. Where there is none,
// the path may be that of a text on the site that it came from.
func (p *Pages) page(ctx *fasthttp.RequestCtx, s site, path []string) error {
	err := p.own(ctx, s, path)
	if !errors.Is(err, errNotFound) {
		return err
	}
	alias := "/" + strings.Join(path, "/")
	if err := moved(ctx, s, alias, p.source.PostAddress, s.Post); !errors.Is(err, errNotFound) {
		return err
	}
	return moved(ctx, s, alias, p.source.HelpAddress, s.HelpArticle)
}

// own serves the pages that every site has.
func (p *Pages) own(ctx *fasthttp.RequestCtx, s site, path []string) error {
	help := path[0] == "help" && path[len(path)-1] != ""
	index := len(path) == 1 && (path[0] == "" || path[0] == "blog") || path[0] == "tag"
	policy{forms: help || index, chat: s.chats(help)}.set(ctx)
	if help {
		return p.help(ctx, s, path[1:])
	}
	if len(path) == 2 && path[1] == "" && path[0] != "tag" {
		redirect(ctx, s.Post(path[0]))
		return nil
	}
	if len(path) == 2 && path[0] == "tag" && path[1] != "" {
		return p.index(ctx, s, path[1])
	}
	if len(path) != 1 {
		return errNotFound
	}
	switch name := string(ctx.QueryArgs().Peek("name")); path[0] {
	case "":
		return p.index(ctx, s, "")
	case "blog":
		if q := asked(ctx); q != "" {
			return p.postSearch(ctx, s, q)
		}
		if ctx.QueryArgs().Has("q") {
			seeOther(ctx, s.Index())
			return nil
		}
	case "feed.xml":
		return p.feed(ctx, s)
	case "sitemap.xml":
		return p.sitemap(ctx, s)
	case "robots.txt":
		return p.robots(ctx, s.Abs(s.Sitemap()))
	case "tag":
		if name != "" {
			return p.index(ctx, s, name)
		}
	}
	return p.post(ctx, s, path[0])
}

// segments are the decoded parts of the path as it was sent: fasthttp's own
// Path resolves dots and slashes first. There is always at least one.
func segments(ctx *fasthttp.RequestCtx) ([]string, error) {
	parts := strings.Split(strings.TrimPrefix(string(ctx.Request.URI().PathOriginal()), "/"), "/")
	for i, part := range parts {
		decoded, err := url.PathUnescape(part)
		if err != nil {
			return nil, err
		}
		parts[i] = decoded
	}
	return parts, nil
}

// moved answers where nothing is published under a slug: with the address that
// the text has now, or with whether it is gone.
func moved(ctx *fasthttp.RequestCtx, s site, slug string, find func(ctx context.Context, teamID, slug string) (string, bool, error), path func(slug string) string) error {
	now, gone, err := find(ctx, s.Team.ID, slug)
	switch {
	case err != nil:
		return fmt.Errorf("find address: %w", err)
	case gone:
		return errGone
	case now == "":
		return errNotFound
	}
	redirect(ctx, path(now))
	return nil
}

// redirect answers with a relative Location: the daemon need not know its own
// name for it.
func redirect(ctx *fasthttp.RequestCtx, to string) {
	ctx.Response.Header.Set(fasthttp.HeaderLocation, to)
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "public, max-age=60")
	ctx.SetStatusCode(fasthttp.StatusMovedPermanently)
}

// seeOther leads to another page for now.
func seeOther(ctx *fasthttp.RequestCtx, to string) {
	ctx.Response.Header.Set(fasthttp.HeaderLocation, to)
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	ctx.SetStatusCode(fasthttp.StatusSeeOther)
}
