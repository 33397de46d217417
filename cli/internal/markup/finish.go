package markup

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/sdk/anchor"
)

// Place is what becomes of a link or an image.
type Place struct {
	Address string
	Drop    bool   // nothing is there: of a link the text stays, of an image its alternative text
	Text    string // shown in place of a dropped link's own text, where it is not empty
}

// Resolver says where links and images lead. Addresses may begin with wiki: or
// ref:, see Name.
type Resolver struct {
	Link  func(dest string) Place
	Image func(src string) (Place, error)
}

// Name is what an address of the kinds that Render makes names: another text, as
// [[wiki]] links and marks of other programs do, and a part of it. part may be
// the text of a heading. wiki tells the two kinds apart.
func Name(dest string) (name, part, raw string, wiki, ok bool) {
	rest, wiki := strings.CutPrefix(dest, wikiScheme)
	if !wiki {
		if rest, ok = strings.CutPrefix(dest, refScheme); !ok {
			return "", "", "", false, false
		}
	}
	raw, err := url.PathUnescape(rest)
	if err != nil {
		raw = rest
	}
	name, _, _ = strings.Cut(raw, "|")
	name, part, _ = strings.Cut(name, "#")
	return strings.TrimSpace(name), strings.TrimSpace(part), raw, wiki, true
}

// Finish puts the addresses of links and images into HTML. Unless asIs is set,
// of HTML inside Markdown what pages show stays, and notes name the elements that
// were left out with their content.
func Finish(src string, r Resolver, asIs bool) (out string, left []Note, err error) {
	c := &cleaner{r: r, asIs: asIs, notes: &notes{}}
	if !asIs {
		src = noscript.ReplaceAllLiteralString(src, "")
	}
	c.z = html.NewTokenizer(strings.NewReader(src))
	for c.err == nil {
		kind := c.z.Next()
		if kind == html.ErrorToken {
			break
		}
		c.token(kind)
	}
	return c.out.String(), c.notes.all, c.err
}

var noscript = regexp.MustCompile(`(?i)</?noscript\b[^<>]*>`)

// shown are the elements that pages show, as the daemon's sanitiser has them.
var shown = words(`a abbr article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em
	figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp section small
	span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr`)

// hidden are the elements whose content is nothing to read.
var hidden = words("script style template object embed applet noembed noframes frameset select datalist textarea canvas svg math title head form button")

// media are elements that show what lies elsewhere: a link says where.
var media = words("iframe video audio")

// allowed are the attributes that mean something to pages.
var allowed = words(`abbr align alt cite colspan datetime dir height href id lang name open reversed rowspan scope span src start title type value width`)

var classes = regexp.MustCompile(`^(?:language-.+|markdown-alert.*|footnote.*)$`)

type cleaner struct {
	z     *html.Tokenizer
	r     Resolver
	asIs  bool
	out   strings.Builder
	notes *notes
	err   error
	links []bool // of the links that are open, whether their tag was written

}

func (c *cleaner) token(kind html.TokenType) {
	raw := string(c.z.Raw())
	switch kind {
	case html.TextToken:
		c.out.WriteString(raw)
	case html.CommentToken, html.DoctypeToken:
		if c.asIs {
			c.out.WriteString(raw)
		}
	case html.EndTagToken:
		c.end(c.z.Token(), raw)
	default:
		c.start(c.z.Token(), raw)
	}
}

func (c *cleaner) end(t html.Token, raw string) {
	if t.DataAtom == atom.A {
		if n := len(c.links); n > 0 {
			written := c.links[n-1]
			c.links = c.links[:n-1]
			if !written {
				return
			}
		}
	}
	if c.asIs || shown[t.Data] {
		c.out.WriteString(raw)
	}
}

func (c *cleaner) start(t html.Token, raw string) {
	switch {
	case t.DataAtom == atom.A:
		c.link(t, raw)
	case t.DataAtom == atom.Img:
		c.image(t, raw)
	case c.asIs:
		c.out.WriteString(raw)
	case media[t.Data]:
		c.elsewhere(t)
	case hidden[t.Data]:
		c.hide(t)
	case t.DataAtom == atom.Input:
		c.box(t)
	case isHeading(t.DataAtom):
		c.head(t)
	case shown[t.Data]:
		c.write(t)
	}
}

// write writes a start tag with the attributes that pages have a use for.
func (c *cleaner) write(t html.Token) {
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool {
		switch a.Key {
		case "class":
			return !classes.MatchString(a.Val)
		case "href", "src", "cite":
			return !safeAddress(a.Val)
		case "name":
			return t.DataAtom != atom.A
		}
		return !allowed[a.Key]
	})
	for i, a := range t.Attr {
		if a.Key == "class" && t.DataAtom == atom.Code {
			t.Attr[i].Val = languageClass(a.Val)
		}
	}
	t.Type = html.StartTagToken
	c.out.WriteString(t.String())
}

var language = regexp.MustCompile(`^language-[A-Za-z0-9+#.-]{1,20}`)

func languageClass(class string) string {
	class = strings.ToLower(language.FindString(class))
	return strings.TrimRight(strings.NewReplacer("#", "sharp", ".", "-").Replace(class), "-")
}

// head writes a heading. An empty element in front that carries an id gives it
// to the heading.
func (c *cleaner) head(t html.Token) {
	kind := c.z.Next()
	if kind != html.StartTagToken {
		c.write(t)
		if kind != html.ErrorToken {
			c.token(kind)
		}
		return
	}
	raw := string(c.z.Raw())
	first := c.z.Token()
	id := value(first, "id")
	if first.DataAtom == atom.A && id == "" {
		id = value(first, "name")
	}
	if id == "" || value(first, "href") != "" || first.DataAtom != atom.Span && first.DataAtom != atom.A || value(t, "id") != "" {
		c.write(t)
		c.start(first, raw)
		return
	}
	if kind = c.z.Next(); kind != html.EndTagToken {
		c.write(t)
		c.start(first, raw)
		if kind != html.ErrorToken {
			c.token(kind)
		}
		return
	}
	t.Attr = append(t.Attr, html.Attribute{Key: "id", Val: id})
	c.write(t)
}

func value(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func isHeading(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

func (c *cleaner) link(t html.Token, raw string) {
	if t.Type == html.SelfClosingTagToken {
		t.Type = html.StartTagToken
		defer c.out.WriteString("</a>")
	} else {
		c.links = append(c.links, true)
	}
	i := slices.IndexFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "href" })
	if i < 0 {
		c.keep(t, raw, false)
		return
	}
	place := c.r.Link(strings.TrimSpace(t.Attr[i].Val))
	switch {
	case !place.Drop:
		changed := place.Address != t.Attr[i].Val
		t.Attr[i].Val = place.Address
		c.keep(t, raw, changed)
	case value(t, "id")+value(t, "name") != "": // others may lead here
		t.Attr = slices.Delete(t.Attr, i, i+1)
		c.keep(t, raw, true)
	default:
		if n := len(c.links); n > 0 && t.Type == html.StartTagToken {
			c.links[n-1] = false
		}
		if place.Text != "" {
			c.instead(place.Text)
		}
	}
}

// instead writes a text in place of what is up to the end of a link.
func (c *cleaner) instead(text string) {
	c.out.WriteString(html.EscapeString(text))
	for {
		kind := c.z.Next()
		if kind == html.ErrorToken || kind == html.EndTagToken && c.z.Token().DataAtom == atom.A {
			break
		}
	}
	if n := len(c.links); n > 0 {
		c.links = c.links[:n-1]
	}
}

// keep writes a tag: unchanged where it is taken as it is.
func (c *cleaner) keep(t html.Token, raw string, changed bool) {
	switch {
	case !c.asIs:
		c.write(t)
	case changed:
		c.out.WriteString(t.String())
	default:
		c.out.WriteString(raw)
	}
}

func (c *cleaner) image(t html.Token, raw string) {
	i := slices.IndexFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "src" })
	if i < 0 || strings.HasPrefix(t.Attr[i].Val, "data:") {
		if c.asIs {
			c.out.WriteString(raw)
		}
		return
	}
	place, err := c.r.Image(strings.TrimSpace(t.Attr[i].Val))
	if err != nil {
		c.err = err
		return
	}
	if place.Drop {
		c.out.WriteString(html.EscapeString(value(t, "alt")))
		return
	}
	changed := place.Address != t.Attr[i].Val
	t.Attr[i].Val = place.Address
	c.keep(t, raw, changed)
}

// elsewhere writes a link in place of a frame, a video or a sound.
func (c *cleaner) elsewhere(t html.Token) {
	src, title := value(t, "src"), value(t, "title")
	if t.Type == html.StartTagToken {
		c.until(t.Data, func(inner html.Token) {
			if src == "" && inner.DataAtom == atom.Source {
				src = value(inner, "src")
			}
		})
	}
	u, err := url.Parse(src)
	if err != nil || src == "" || !slices.Contains([]string{"", "http", "https"}, u.Scheme) {
		c.notes.add(Element, "<"+t.Data+">")
		return
	}
	if u.Scheme == "" && u.Host != "" {
		src = "https:" + src
	}
	if title == "" {
		title = strings.TrimPrefix(strings.TrimPrefix(src, "https://"), "http://")
	}
	c.notes.add(Element, "<"+t.Data+"> (a link)")
	place := c.r.Link(src)
	if place.Drop {
		return
	}
	c.out.WriteString(`<a href="` + html.EscapeString(place.Address) + `">` + html.EscapeString(title) + `</a>`)
}

// hide leaves out an element and its content.
func (c *cleaner) hide(t html.Token) {
	c.notes.add(Element, "<"+t.Data+">")
	if t.Type == html.StartTagToken {
		c.until(t.Data, func(html.Token) {})
	}
}

// until reads to the end of an element.
func (c *cleaner) until(name string, see func(html.Token)) {
	for depth := 1; depth > 0; {
		switch c.z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken:
			t := c.z.Token()
			if t.Data == name {
				depth++
			}
			see(t)
		case html.SelfClosingTagToken:
			see(c.z.Token())
		case html.EndTagToken:
			if c.z.Token().Data == name {
				depth--
			}
		}
	}
}

// box is a box to tick.
func (c *cleaner) box(t html.Token) {
	if value(t, "type") != "checkbox" {
		return
	}
	if slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
		c.out.WriteString("☑")
		return
	}
	c.out.WriteString("☐")
}

func safeAddress(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && slices.Contains([]string{"", "http", "https", "mailto", "tel"}, strings.ToLower(u.Scheme))
}

// Part is a place in a text that a link can lead to.
type Part struct {
	ID      string // as pages have it
	Given   string // as the author wrote it, empty for an id made from a heading
	Heading string // its text, empty for other elements
}

// Outline lists the parts of finished HTML.
func Outline(src string) []Part {
	z := html.NewTokenizer(strings.NewReader(src))
	var parts []Part
	var names anchor.Names
	heading := -1
	for {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			for i, p := range parts {
				parts[i].Heading = strings.Join(strings.Fields(p.Heading), " ")
				if p.ID == "" && parts[i].Heading != "" {
					parts[i].ID = names.Next(parts[i].Heading)
				}
			}
			return slices.DeleteFunc(parts, func(p Part) bool { return p.ID == "" })
		case html.TextToken:
			if heading >= 0 {
				parts[heading].Heading += string(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			id := value(t, "id")
			if id == "" && t.DataAtom == atom.A {
				id = value(t, "name")
			}
			safe := anchor.Safe(id)
			if safe != "" {
				names.Take(safe)
			}
			if isHeading(t.DataAtom) {
				heading = len(parts)
			}
			if safe != "" || isHeading(t.DataAtom) {
				parts = append(parts, Part{ID: safe, Given: id})
			}
		case html.EndTagToken:
			if isHeading(z.Token().DataAtom) {
				heading = -1
			}
		}
	}
}
