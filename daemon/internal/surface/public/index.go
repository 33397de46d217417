package public

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

const postsPerPage = 12

// indexPage is the body of the index, of a tag's page and of a search.
type indexPage struct {
	Site         site
	Tag          string // empty on the index
	Q            string // of a search
	Hits         []hit
	Posts        []card
	Older, Newer string // paths of the pages on both sides; empty for none
}

// start is the path of the newest posts.
func start(s site, tag string) string {
	if tag != "" {
		return s.Tag(tag)
	}
	return s.Index()
}

// The parameters that name a page by the one beside it.
const (
	beforeParam = "before"
	afterParam  = "after"
)

func (p *Pages) index(ctx *fasthttp.RequestCtx, s site, tag string) error {
	args := ctx.QueryArgs()
	q := Query{Tag: tag, Cursor: string(args.Peek(beforeParam)), Limit: postsPerPage}
	if after := string(args.Peek(afterParam)); after != "" {
		q.Cursor, q.Newer = after, true
	}
	found, err := p.collect(ctx, s, q)
	if err != nil {
		return err
	}
	if q.Newer && found.Newer == "" {
		seeOther(ctx, start(s, tag)) // the first page, whole
		return nil
	}
	if len(found.Data) == 0 && (tag != "" || q.Cursor != "") {
		return errNotFound
	}
	f := p.fingerprint("index", s)
	f.add(tag, q.Cursor, found.Older, found.Newer)
	modified := s.Team.UpdatedAt
	for _, post := range found.Data {
		f.post(&post)
		modified = max(modified, post.UpdatedAt)
	}
	return p.send(ctx, document{
		contentType: typeHTML,
		etag:        f.etag(),
		modified:    modified.Time(),
		render:      func() ([]byte, error) { return p.html("index", indexView(s, q, found)) },
	})
}

func indexView(s site, q Query, found Posts) view {
	first := start(s, q.Tag)
	body := indexPage{Site: s, Tag: q.Tag}
	for _, post := range found.Data {
		body.Posts = append(body.Posts, card{s, post})
	}
	if found.Older != "" {
		body.Older = with(first, beforeParam, found.Older)
	}
	if found.Newer != "" {
		body.Newer = with(first, afterParam, found.Newer)
	}
	v := view{Site: s, Title: q.Tag, Description: s.Tagline(), Path: s.Index(), NoIndex: q.Cursor != "", Body: body}
	if q.Tag != "" {
		v.Description = "Posts about " + q.Tag
	}
	if q.Cursor == "" {
		v.Canonical = s.Abs(first)
		v.Data = indexData(s, q.Tag)
	}
	return v
}

// with adds a parameter to a path.
func with(path, key, value string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path // paths of a site always parse
	}
	q := u.Query()
	q.Set(key, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// maxReads bounds what one page costs when the source finds little at a time.
const maxReads = 8

// collect reads published posts until it has half a page of them: a page of the
// source may be short, and even empty, before the last.
func (p *Pages) collect(ctx context.Context, s site, q Query) (Posts, error) {
	var all Posts
	for n := range maxReads {
		found, err := p.source.Posts(ctx, s.Team.ID, q)
		if err != nil {
			return all, fmt.Errorf("list posts: %w", err)
		}
		shown := slices.DeleteFunc(found.Data, func(post api.Post) bool { return !published(post) })
		further := found.Older
		if q.Newer {
			all.Data, further = append(shown, all.Data...), found.Newer
			all.Newer = found.Newer
		} else {
			all.Data = append(all.Data, shown...)
			all.Older = found.Older
		}
		switch {
		case n == 0 && q.Newer:
			all.Older = found.Older
		case n == 0:
			all.Newer = found.Newer
		}
		if further == "" || len(all.Data) >= q.Limit/2 {
			break
		}
		q.Cursor = further
	}
	return all, nil
}
