package public

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// postPage is the body of a post's page.
type postPage struct {
	card
	Content      template.HTML
	Newer, Older *card
	Related      []card
}

func (p *Pages) post(ctx *fasthttp.RequestCtx, s site, slug string) error {
	post, found, err := p.source.Post(ctx, s.Team.ID, slug)
	if err != nil {
		return fmt.Errorf("read post: %w", err)
	}
	if !found {
		return moved(ctx, s, slug, p.source.PostAddress, s.Post)
	}
	if !published(post) {
		return errNotFound
	}
	body := postPage{card: card{s, post}}
	newer, older, err := p.around(ctx, s, post)
	if err != nil {
		return err
	}
	body.Newer, body.Older = neighbour(s, newer), neighbour(s, older)
	if body.Related, err = p.related(ctx, s, post); err != nil {
		return err
	}
	f := p.fingerprint("post", s)
	modified := max(s.Team.UpdatedAt, post.UpdatedAt)
	f.post(&post)
	for _, near := range []*card{body.Newer, body.Older} {
		f.card(near)
		if near != nil {
			modified = max(modified, near.Post.UpdatedAt)
		}
	}
	for _, near := range body.Related {
		f.card(&near)
		modified = max(modified, near.Post.UpdatedAt)
	}
	return p.send(ctx, document{
		contentType: typeHTML,
		etag:        f.etag(),
		modified:    modified.Time(),
		render: func() ([]byte, error) {
			body.Content = shown(post.Content)
			return p.html("post", postView(s, body))
		},
	})
}

func postView(s site, body postPage) view {
	post := body.Post
	return view{
		Site: s, Lang: post.Locale, Title: post.Title, Description: summary(post), Path: s.Index(),
		Canonical: canonical(s, post), Image: shownImage(post),
		Article: true, Published: post.PublishedAt, Modified: post.UpdatedAt, Tags: post.Tags, Data: postData(s, post), Body: body,
	}
}

// relatedPosts is how many posts about the same are shown below one.
const relatedPosts = 3

// related are posts about the same.
func (p *Pages) related(ctx *fasthttp.RequestCtx, s site, post api.Post) (cards []card, err error) {
	if len(post.Tags) == 0 {
		return nil, nil
	}
	found, err := p.source.Related(ctx, s.Team.ID, post, relatedPosts)
	if err != nil {
		return nil, fmt.Errorf("find related posts: %w", err)
	}
	for _, other := range found {
		if published(other) {
			cards = append(cards, card{s, other})
		}
	}
	return cards, nil
}

// around leaves out a neighbour whose text is still being generated.
func (p *Pages) around(ctx *fasthttp.RequestCtx, s site, post api.Post) (newer, older *api.Post, err error) {
	newer, older, err = p.source.Around(ctx, s.Team.ID, post)
	if err != nil {
		return nil, nil, fmt.Errorf("read posts around: %w", err)
	}
	if newer != nil && !published(*newer) {
		newer = nil
	}
	if older != nil && !published(*older) {
		older = nil
	}
	return newer, older, nil
}

func neighbour(s site, post *api.Post) *card {
	if post == nil {
		return nil
	}
	return &card{s, *post}
}

// canonical is the address that the author names as the original, or ours.
func canonical(s site, post api.Post) string {
	if u, err := url.Parse(post.CanonicalURL); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
		return post.CanonicalURL
	}
	return s.Abs(s.Post(post.Slug))
}

// Revised is the day of the last change where a reader should know of it: not on
// the day of publication, nor on that of the move from another site.
func (p postPage) Revised() api.Time {
	if p.Post.UpdatedAt.Time().Sub(max(p.Post.PublishedAt, p.Post.CreatedAt).Time()) < 24*time.Hour {
		return 0
	}
	return p.Post.UpdatedAt
}

// Lede is the author's description, unless it says no more than the title. An
// excerpt would repeat the first lines.
func (p postPage) Lede() string {
	lede := strings.TrimSpace(p.Post.Description)
	if strings.EqualFold(strings.TrimRight(lede, ".!?…"), strings.TrimRight(strings.TrimSpace(p.Post.Title), ".!?…")) {
		return ""
	}
	return lede
}
