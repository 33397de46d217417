package public

import (
	"encoding/xml"
	"fmt"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// maxSitemap is the most addresses in a sitemap; the protocol allows 50,000, and
// a post that old is reached through the pages of the index.
const maxSitemap = 10_000

type urlSet struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []mapURL `xml:"url"`
}

type mapURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

func (p *Pages) sitemap(ctx *fasthttp.RequestCtx, s site) error {
	urls := []mapURL{{Loc: s.Abs(s.Index())}}
	f := p.fingerprint("sitemap", s)
	modified := s.Team.UpdatedAt
	err := p.eachPost(ctx, s, func(post *api.Post) {
		f.post(post)
		modified = max(modified, post.UpdatedAt)
		urls = append(urls, mapURL{Loc: s.Abs(s.Post(post.Slug)), LastMod: atomTime(post.UpdatedAt)})
	})
	if err != nil {
		return err
	}
	articles, groups, err := p.source.Help(ctx, s.Team.ID)
	if err != nil {
		return fmt.Errorf("list help articles: %w", err)
	}
	if len(articles) > 0 {
		urls = append(urls, mapURL{Loc: s.Abs(s.Help())})
	}
	for _, g := range grouped(s, articles, groups) {
		if g.Path != "" {
			urls = append(urls, mapURL{Loc: s.Abs(g.Path)})
		}
		f.add(g.Path)
		for _, a := range g.Articles {
			f.article(&a.Article)
			modified = max(modified, a.UpdatedAt)
			urls = append(urls, mapURL{Loc: s.Abs(a.Path()), LastMod: atomTime(a.UpdatedAt)})
		}
	}
	return p.send(ctx, document{
		contentType: typeXML,
		etag:        f.etag(),
		modified:    modified.Time(),
		render:      func() ([]byte, error) { return marshalXML(urlSet{URLs: urls}) },
	})
}

// eachPost calls f for the newest published posts, up to what a sitemap takes.
func (p *Pages) eachPost(ctx *fasthttp.RequestCtx, s site, f func(*api.Post)) error {
	q := Query{Limit: 100}
	for range maxSitemap / q.Limit {
		found, err := p.source.Posts(ctx, s.Team.ID, q)
		if err != nil {
			return fmt.Errorf("list posts: %w", err)
		}
		for _, post := range found.Data {
			if published(post) {
				f(&post)
			}
		}
		if q.Cursor = found.Older; q.Cursor == "" {
			break
		}
	}
	return nil
}

// robots keeps crawlers out of the API and names the sitemap, if there is one
// for the whole host.
func (p *Pages) robots(ctx *fasthttp.RequestCtx, sitemap string) error {
	text := "User-agent: *\nDisallow: /svc-api/\n"
	if sitemap != "" {
		text += "\nSitemap: " + sitemap + "\n"
	}
	ctx.SetContentType(typeText)
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "public, max-age=3600")
	ctx.SetBodyString(text)
	return nil
}
