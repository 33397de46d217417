// Package wordpress reads WordPress's exports (WXR).
package wordpress

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/postsync"
)

// Options say what an export does not.
type Options struct {
	Site  string   // address of the old site, where it is not that of the export
	Types []string // types of entries that are texts too, besides posts and pages
}

// export is what was read: one or more files of one site.
type export struct {
	opt     Options
	sites   []string
	locale  string
	authors map[string]string // names by login
	items   []*item
	files   map[string]*item  // attachments by id
	parts   map[string]string // reusable blocks by id
	ignored map[string]int
}

// item is one entry, of any type.
type item struct {
	id, title, link, guid, creator string
	content, excerpt               string
	name, status, kind, password   string
	date, dateGMT, modifiedGMT     string
	published                      string // as the feed has it
	parent, file                   string
	sticky                         bool
	terms                          []term
	meta                           map[string]string
	oldSlugs                       []string
}

type term struct{ domain, slug, name string }

// Read reads the files of an export, one entry at a time.
func Read(files []io.Reader, o Options) (*postsync.Export, []string, error) {
	x := &export{opt: o, authors: map[string]string{}, files: map[string]*item{}, parts: map[string]string{}, ignored: map[string]int{}}
	for _, r := range files {
		if err := x.read(r); err != nil {
			return nil, nil, err
		}
	}
	if len(x.items) == 0 {
		return nil, nil, errors.New("the export has no posts and no pages (in WordPress: Tools, Export, All content)")
	}
	out := &postsync.Export{Sites: x.sites}
	if o.Site != "" {
		out.Sites = append([]string{o.Site}, out.Sites...)
	}
	out.PictureSites = x.pictureSites()
	for _, it := range x.items {
		out.Entries = append(out.Entries, x.entry(it))
	}
	return out, x.notes(), nil
}

// pictureSites are the hosts of the attachments: a site may keep them elsewhere.
func (x *export) pictureSites() []string {
	var sites []string
	for _, id := range slices.Sorted(maps.Keys(x.files)) {
		if u, err := url.Parse(x.files[id].file); err == nil && u.Host != "" {
			if site := u.Scheme + "://" + u.Host; !slices.Contains(sites, site) && len(sites) < 20 {
				sites = append(sites, site)
			}
		}
	}
	return sites
}

func (x *export) notes() []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(x.ignored)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", strings.ReplaceAll(name, "_", " "), x.ignored[name]))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"not imported: " + strings.Join(parts, ", ")}
}

func (x *export) read(r io.Reader) error {
	dec := xml.NewDecoder(&clean{r: r})
	dec.Strict = false // exports have bare ampersands
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(label string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("the file is %s; save it as UTF-8", label)
	}
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return x.broken(dec, err)
		}
		switch t := t.(type) {
		case xml.Directive:
			if strings.Contains(strings.ToUpper(string(t)), "ENTITY") {
				return errors.New("the file declares entities, which no export of WordPress does; it is not read")
			}
		case xml.StartElement:
			if err := x.element(dec, t); err != nil {
				return x.broken(dec, err)
			}
		}
	}
}

// broken says where a file cannot be read, and after which entry.
func (x *export) broken(dec *xml.Decoder, err error) error {
	line, _ := dec.InputPos()
	at := fmt.Sprintf("line %d", line)
	if n := len(x.items); n > 0 {
		at += fmt.Sprintf(", after the entry %q", x.items[n-1].label())
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected EOF") {
		return fmt.Errorf("%s: the file ends in the middle; export it again", at)
	}
	return fmt.Errorf("%s: %w", at, err)
}

// element is an element of the channel, read whole where it matters.
func (x *export) element(dec *xml.Decoder, start xml.StartElement) error {
	switch start.Name.Local {
	case "rss", "channel":
		return nil
	case "item", "author", "link", "base_site_url", "base_blog_url", "language", "category", "tag", "term":
		var n node
		if err := dec.DecodeElement(&n, &start); err != nil {
			return err
		}
		x.channel(start.Name.Local, n)
		return nil
	}
	return dec.Skip()
}

func (x *export) channel(name string, n node) {
	switch name {
	case "item":
		x.take(newItem(n))
	case "author":
		login := n.child("author_login")
		x.authors[login] = or(n.child("author_display_name"), strings.TrimSpace(n.child("author_first_name")+" "+n.child("author_last_name")), login)
	case "link", "base_site_url", "base_blog_url":
		if u, err := url.Parse(strings.TrimSpace(n.Text)); err == nil && u.Host != "" && !slices.Contains(x.sites, u.String()) {
			x.sites = append(x.sites, u.String())
		}
	case "language":
		x.locale = strings.TrimSpace(n.Text)
	}
}

// quiet are types that are no texts, and nobody misses them.
var quiet = []string{"revision", "nav_menu_item", "custom_css", "customize_changeset", "oembed_cache", "user_request", "wp_template", "wp_template_part", "wp_global_styles", "wp_navigation", "wp_font_family", "wp_font_face", "attachment", "wp_block"}

// take keeps an item that is a text, or that texts need.
func (x *export) take(it *item, comments int) {
	if comments > 0 {
		x.ignored["comments"] += comments
	}
	switch {
	case it.kind == "attachment":
		x.files[it.id] = it
	case it.kind == "wp_block":
		x.parts[it.id] = it.content
	case slices.Contains(quiet, it.kind):
		x.ignored[it.kind]++
	default:
		x.items = append(x.items, it)
	}
}

// node is an element with what is in it.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []node     `xml:",any"`
}

func (n node) child(local string) string {
	for _, c := range n.Children {
		if c.XMLName.Local == local {
			return strings.TrimSpace(c.Text)
		}
	}
	return ""
}

// encoded is the text of content:encoded or excerpt:encoded, which only their
// spaces tell apart.
func (n node) encoded(space string) string {
	for _, c := range n.Children {
		if c.XMLName.Local == "encoded" && strings.Contains(c.XMLName.Space, space) {
			return c.Text
		}
	}
	return ""
}

func (n node) attr(local string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

func newItem(n node) (*item, int) {
	it := &item{
		id: n.child("post_id"), title: n.child("title"), link: n.child("link"), guid: n.child("guid"), creator: n.child("creator"),
		content: n.encoded("content"), excerpt: n.encoded("excerpt"), name: n.child("post_name"), status: n.child("status"), kind: n.child("post_type"), password: n.child("post_password"),
		date: n.child("post_date"), dateGMT: n.child("post_date_gmt"), modifiedGMT: n.child("post_modified_gmt"), published: n.child("pubDate"), parent: n.child("post_parent"), file: n.child("attachment_url"),
		sticky: n.child("is_sticky") == "1", meta: map[string]string{},
	}
	comments := 0
	for _, c := range n.Children {
		switch c.XMLName.Local {
		case "category":
			it.terms = append(it.terms, term{c.attr("domain"), c.attr("nicename"), strings.TrimSpace(c.Text)})
		case "postmeta":
			key, value := c.child("meta_key"), c.child("meta_value")
			if key == "_wp_old_slug" {
				it.oldSlugs = append(it.oldSlugs, value)
				continue
			}
			it.meta[key] = value
		case "comment":
			comments++
		}
	}
	if it.kind == "" {
		it.kind = "post"
	}
	return it, comments
}

func (it *item) label() string { return or(it.title, it.name, it.id) }

// or is the first text that says something.
func or(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			return t
		}
	}
	return ""
}

// clean leaves out the control characters that XML does not have and exports do.
type clean struct{ r io.Reader }

func (c *clean) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	for i, ch := range b[:n] {
		if ch < ' ' && ch != '\t' && ch != '\n' && ch != '\r' {
			b[i] = ' '
		}
	}
	return n, err
}
