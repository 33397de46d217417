package public

import (
	"context"
	"fmt"
	"net/url"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

const postsPerPage = 12

// indexPage is the body of the index and of a tag's page.
type indexPage struct {
	Site  site
	Tag   string // empty on the index
	First bool   // the newest posts
	Posts []card
	Older string // path of the next page; empty on the last
}

// Start is the path of the newest posts.
func (i indexPage) Start() string {
	if i.Tag != "" {
		return i.Site.Tag(i.Tag)
	}
	return i.Site.Index()
}

func (p *Pages) index(ctx *fasthttp.RequestCtx, s site, tag string) error {
	cursor := string(ctx.QueryArgs().Peek("before"))
	found, err := p.collect(ctx, s, Query{Tag: tag, Cursor: cursor, Limit: postsPerPage})
	if err != nil {
		return err
	}
	if len(found.Data) == 0 && (tag != "" || cursor != "") {
		return errNotFound
	}
	f := p.fingerprint("index", s)
	f.add(tag, cursor, found.NextCursor)
	modified := s.Team.UpdatedAt
	for _, post := range found.Data {
		f.post(&post)
		modified = max(modified, post.UpdatedAt)
	}
	return p.send(ctx, document{
		contentType: typeHTML,
		etag:        f.etag(),
		modified:    modified.Time(),
		render:      func() ([]byte, error) { return p.html("index", indexView(s, tag, cursor, found)) },
	})
}

func indexView(s site, tag, cursor string, found api.Page[api.Post]) view {
	body := indexPage{Site: s, Tag: tag, First: cursor == ""}
	for _, post := range found.Data {
		body.Posts = append(body.Posts, card{s, post})
	}
	if found.HasMore {
		body.Older = older(body.Start(), found.NextCursor)
	}
	v := view{Site: s, Title: tag, Description: s.Team.Brand.Description, NoIndex: cursor != "", Body: body}
	if tag != "" {
		v.Description = "Posts about " + tag
	}
	if cursor == "" {
		v.Canonical = s.Abs(body.Start())
	}
	return v
}

func older(path, cursor string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path // paths of a site always parse
	}
	q := u.Query()
	q.Set("before", cursor)
	u.RawQuery = q.Encode()
	return u.String()
}

// maxReads bounds what one page costs when the source finds little at a time.
const maxReads = 8

// collect reads published posts until it has half a page of them: a filtered
// page of the source may be short, and even empty, before the last.
func (p *Pages) collect(ctx context.Context, s site, q Query) (api.Page[api.Post], error) {
	var all api.Page[api.Post]
	for range maxReads {
		found, err := p.source.Posts(ctx, s.Team.ID, q)
		if err != nil {
			return all, fmt.Errorf("list posts: %w", err)
		}
		for _, post := range found.Data {
			if published(post) {
				all.Data = append(all.Data, post)
			}
		}
		all.HasMore, all.NextCursor = found.HasMore, found.NextCursor
		if !found.HasMore || len(all.Data) >= q.Limit/2 {
			break
		}
		q.Cursor = found.NextCursor
	}
	return all, nil
}
