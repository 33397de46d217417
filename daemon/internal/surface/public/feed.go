package public

import (
	"encoding/xml"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/sdk/api"
)

const postsPerFeed = 20

// An Atom feed, RFC 4287.
type atomFeed struct {
	XMLName  xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID       string   `xml:"id"`
	Title    string   `xml:"title"`
	Subtitle string   `xml:"subtitle,omitempty"`
	Updated  string   `xml:"updated"`
	Author   atomName `xml:"author"`
	Icon     string   `xml:"icon,omitempty"`
	Logo     string   `xml:"logo,omitempty"`
	Links    []atomLink
	Entries  []atomEntry
}

type atomName struct {
	Name string `xml:"name"`
}

type atomLink struct {
	XMLName xml.Name `xml:"link"`
	Rel     string   `xml:"rel,attr"`
	Type    string   `xml:"type,attr,omitempty"`
	Href    string   `xml:"href,attr"`
}

type atomEntry struct {
	XMLName    xml.Name  `xml:"entry"`
	Lang       string    `xml:"xml:lang,attr,omitempty"`
	ID         string    `xml:"id"`
	Title      string    `xml:"title"`
	Link       atomLink  `xml:"link"`
	Published  string    `xml:"published"`
	Updated    string    `xml:"updated"`
	Author     *atomName `xml:"author"`
	Categories []atomCategory
	Summary    string   `xml:"summary,omitempty"`
	Content    atomHTML `xml:"content"`
}

type atomCategory struct {
	XMLName xml.Name `xml:"category"`
	Term    string   `xml:"term,attr"`
}

type atomHTML struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

func (p *Pages) feed(ctx *fasthttp.RequestCtx, s site) error {
	found, err := p.collect(ctx, s, Query{Limit: postsPerFeed, Content: true})
	if err != nil {
		return err
	}
	f := p.fingerprint("feed", s)
	modified := s.Team.UpdatedAt
	for _, post := range found.Data {
		f.post(&post)
		modified = max(modified, post.UpdatedAt)
	}
	return p.send(ctx, document{
		contentType: typeAtom,
		etag:        f.etag(),
		modified:    modified.Time(),
		render:      func() ([]byte, error) { return marshalXML(newFeed(s, found.Data, modified)) },
	})
}

func newFeed(s site, posts []api.Post, modified api.Time) atomFeed {
	feed := atomFeed{
		ID: tagURI(s, s.Team.ID, s.Team.CreatedAt), Title: s.Name(), Subtitle: s.Tagline(),
		Updated: atomTime(modified), Author: atomName{s.Name()},
		Links: []atomLink{
			{Rel: "self", Type: "application/atom+xml", Href: s.Abs(s.Feed())},
			{Rel: "alternate", Type: "text/html", Href: s.Abs(s.Index())},
		},
	}
	if logo := s.Logo(); logo != "" {
		feed.Logo = s.Abs(logo)
	}
	if icon := s.Team.Site.IconURL; showable(icon) {
		feed.Icon = s.Abs(icon)
	}
	for _, post := range posts {
		feed.Entries = append(feed.Entries, entry(s, post))
	}
	return feed
}

func entry(s site, post api.Post) atomEntry {
	e := atomEntry{
		Lang: post.Locale, ID: tagURI(s, post.ID, post.CreatedAt), Title: post.Title,
		Link:      atomLink{Rel: "alternate", Type: "text/html", Href: s.Abs(s.Post(post.Slug))},
		Published: atomTime(post.PublishedAt), Updated: atomTime(max(post.UpdatedAt, post.PublishedAt)),
		Summary: summary(post),
		Content: atomHTML{Type: "html", Text: absolute(safehtml.Sanitize(post.Content), s)},
	}
	if name := authorName(post); name != "" {
		e.Author = &atomName{name}
	}
	for _, tag := range post.Tags {
		e.Categories = append(e.Categories, atomCategory{Term: tag})
	}
	return e
}

// tagURI names a record for ever, whatever its slug becomes (RFC 4151).
func tagURI(s site, id string, created api.Time) string {
	_, host, _ := strings.Cut(s.base, "://")
	name, _, _ := strings.Cut(host, ":")
	return "tag:" + name + "," + created.Time().Format(time.DateOnly) + ":" + id
}

func atomTime(t api.Time) string { return t.Time().Format(time.RFC3339) }

func marshalXML(v any) ([]byte, error) {
	out, err := xml.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), out...), nil
}
