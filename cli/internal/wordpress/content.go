package wordpress

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	xhtml "golang.org/x/net/html"

	"edgesvc.dev/svc/cli/internal/exported"
)

// content makes pages of what editors of WordPress wrote.
type content struct {
	export  *export
	item    *item
	changes *exported.Changes
	depth   int // of reusable blocks
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func (c *content) html() (string, error) {
	body := strings.ReplaceAll(c.item.content, "\r\n", "\n")
	blocks := strings.Contains(body, "<!-- wp:")
	if blocks {
		body = c.blocks(body)
	}
	body = more.ReplaceAllString(body, "\n")
	body = c.shortcodes(body)
	if !blocks {
		body = autop(body)
	}
	root, err := exported.Parse(body)
	if err != nil {
		return "", err
	}
	c.tree(root)
	if err := exported.Tidy(root, c.changes); err != nil {
		return "", err
	}
	return strings.TrimSpace(exported.Render(root)), nil
}

var more = regexp.MustCompile(`<!--\s*(?:more\b.*?|noteaser|nextpage)\s*-->`)

var blockMark = regexp.MustCompile(`(?s)<!--\s+(/)?wp:([a-z][a-z0-9_-]*(?:/[a-z][a-z0-9_-]*)?)\s+(\{.*?\}\s+)?(/)?-->`)

// filled are blocks that are empty on purpose.
var filled = []string{"more", "nextpage", "spacer", "separator", "footnotes", "column", "group", "paragraph"}

// blocks takes the marks of the block editor out: what they stand around is the
// text. Those that stand alone are filled by a program.
func (c *content) blocks(src string) string {
	var b strings.Builder
	at := 0
	for _, m := range blockMark.FindAllStringSubmatchIndex(src, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return src[m[2*i]:m[2*i+1]]
		}
		b.WriteString(src[at:m[0]])
		at = m[1]
		end, name, alone := part(1) != "", part(2), part(4) != ""
		var attrs map[string]any
		_ = json.Unmarshal([]byte(strings.TrimSpace(part(3))), &attrs) // a block without attributes has none
		switch language, _ := attrs["language"].(string); {
		case alone:
			b.WriteString(c.alone(name, attrs))
		case !end && language != "":
			rest := src[at:]
			if i := strings.Index(rest, "<pre"); i >= 0 && i < 200 {
				b.WriteString(rest[:i] + `<pre data-language="` + html.EscapeString(language) + `"`)
				at += i + len("<pre")
			}
		}
	}
	b.WriteString(src[at:])
	return b.String()
}

// alone is a block without content of its own.
func (c *content) alone(name string, attrs map[string]any) string {
	address, _ := attrs["url"].(string)
	switch {
	case name == "block":
		ref, _ := attrs["ref"].(float64)
		part, ok := c.export.parts[fmt.Sprint(int(ref))]
		if !ok || c.depth > 5 {
			c.changes.Add("reusable blocks that are not in the export were left out")
			return ""
		}
		inner := *c
		inner.depth++
		return inner.blocks(part)
	case name == "footnotes":
		return c.footnotes()
	case strings.HasPrefix(name, "embed") || strings.HasPrefix(name, "core-embed/"):
		return c.changes.Embed(address, "", "")
	case name == "audio" || name == "video" || name == "image":
		return ""
	case slices.Contains(filled, name):
		return ""
	}
	c.changes.Add("blocks that a program fills were left out: " + name)
	return ""
}

// footnotes are the texts below, which WordPress keeps beside the content.
func (c *content) footnotes() string {
	var notes []struct{ Content, ID string }
	if json.Unmarshal([]byte(c.item.meta["footnotes"]), &notes) != nil || len(notes) == 0 {
		return ""
	}
	var b strings.Builder
	for _, n := range notes {
		id := html.EscapeString(n.ID)
		b.WriteString(`<li id="` + id + `">` + n.Content + ` <a href="#` + id + `-link">↩</a></li>`)
	}
	return `<div class="footnotes"><ol>` + b.String() + `</ol></div>`
}

// tree is what themes of WordPress know of classes.
func (c *content) tree(root *xhtml.Node) {
	for _, n := range exported.All(root, exported.Class("wp-block-gallery", "wp-block-jetpack-tiled-gallery", "wp-block-jetpack-slideshow", "gallery", "tiled-gallery", "blocks-gallery-grid")) {
		c.galleryOf(n)
	}
	for _, n := range exported.All(root, exported.Class("wp-block-embed", "wp-block-embed__wrapper")) {
		if address := exported.Text(first1(n)); isURL(address) {
			exported.Replace(n, c.changes.Embed(address, "", exported.Inner(exported.First(n, exported.Tag("figcaption")))))
		}
	}
	for _, n := range exported.All(root, exported.Class("wp-block-cover", "wp-block-cover-image")) {
		if m := background.FindStringSubmatch(exported.Attr(n, "style")); m != nil {
			exported.Replace(n, exported.Picture{Src: m[1]}.HTML()+exported.Inner(n))
		}
	}
	for _, n := range exported.All(root, exported.Class("wp-block-file__button", "wp-block-spacer", "sharedaddy", "jp-relatedposts")) {
		exported.Remove(n)
	}
	for _, n := range exported.All(root, exported.Class("wp-block-button")) {
		c.changes.Add(exported.Buttons)
		exported.Replace(n, "<p>"+exported.Inner(n)+"</p>")
	}
	for _, n := range exported.All(root, exported.Class("wp-caption")) {
		caption(n)
	}
	for _, n := range exported.All(root, exported.Tag("p")) {
		if address := exported.Text(n); isURL(address) && exported.First(n, exported.Tag("a", "img")) == nil {
			exported.Replace(n, c.changes.Embed(address, "", ""))
		}
	}
	for _, n := range exported.All(root, exported.Tag("img")) {
		c.img(n)
	}
	for _, n := range exported.All(root, exported.Tag("a")) {
		c.link(n)
	}
}

var background = regexp.MustCompile(`background-image:\s*url\(["']?([^"')]+)["']?\)`)

// first1 is what an embed shows: its wrapper, or itself.
func first1(n *xhtml.Node) *xhtml.Node {
	if w := exported.First(n, exported.Class("wp-block-embed__wrapper")); w != nil {
		return w
	}
	return n
}

func isURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && !strings.ContainsAny(s, " \n")
}

func (c *content) galleryOf(n *xhtml.Node) {
	if n.Parent == nil || exported.HasClass(n.Parent, "wp-block-gallery") {
		return
	}
	var pictures []exported.Picture
	for _, img := range exported.All(n, exported.Tag("img")) {
		c.img(img)
		p := exported.Picture{Src: exported.Attr(img, "src"), Alt: exported.Attr(img, "alt")}
		for up := img.Parent; up != nil && up != n; up = up.Parent {
			if up.Data == "a" && p.Href == "" {
				c.link(up)
				p.Href = exported.Attr(up, "href")
			}
			if (up.Data == "figure" || up.Data == "dl") && p.Caption == "" {
				p.Caption = exported.Inner(exported.First(up, func(n *xhtml.Node) bool {
					return n.Data == "figcaption" || exported.HasClass(n, "gallery-caption")
				}))
			}
		}
		pictures = append(pictures, p)
	}
	under := ""
	for cap := range n.ChildNodes() {
		if cap.Type == xhtml.ElementNode && cap.Data == "figcaption" {
			under = exported.Inner(cap)
		}
	}
	exported.Replace(n, c.changes.Gallery(pictures, under))
}

// caption makes a figure of what the classic editor makes a box.
func caption(n *xhtml.Node) {
	text := exported.First(n, exported.Class("wp-caption-text"))
	under := exported.Inner(text)
	if text != nil {
		exported.Remove(text)
	}
	exported.Replace(n, "<figure>"+exported.Inner(n)+"<figcaption>"+under+"</figcaption></figure>")
}

var (
	imageClass = regexp.MustCompile(`\bwp-image-(\d+)\b`)
	photon     = regexp.MustCompile(`^https?://i\d\.wp\.com/([^?#]+).*$`)
	attached   = regexp.MustCompile(`\bwp-att-(\d+)\b`)
)

// img gives a picture its own address and the alternative text of its file.
func (c *content) img(n *xhtml.Node) {
	if m := photon.FindStringSubmatch(exported.Attr(n, "src")); m != nil {
		exported.SetAttr(n, "src", "https://"+m[1])
	}
	m := imageClass.FindStringSubmatch(exported.Attr(n, "class"))
	if m == nil {
		return
	}
	if file := c.export.files[m[1]]; file != nil && exported.Attr(n, "alt") == "" {
		exported.SetAttr(n, "alt", file.alt())
	}
}

// link leads to the file in place of the page that WordPress makes for it.
func (c *content) link(n *xhtml.Node) {
	id := ""
	if m := attached.FindStringSubmatch(exported.Attr(n, "rel")); m != nil {
		id = m[1]
	} else if u, err := url.Parse(exported.Attr(n, "href")); err == nil {
		id = u.Query().Get("attachment_id")
	}
	if file := c.export.files[id]; file != nil && file.file != "" {
		exported.SetAttr(n, "href", file.file)
	}
}
