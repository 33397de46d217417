package exported

import (
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Tidy makes of a tree what pages here can show, as far as no program is needed
// that wrote it: frames, videos and sounds become links, pictures that scripts
// would load are shown, code keeps its language.
func Tidy(root *html.Node, c *Changes) error {
	if tooDeep(root, maxDepth) {
		return errors.New("the text has elements nested too deep")
	}
	for _, n := range All(root, Tag("noscript")) { // it has the picture that a script would load
		Replace(n, Inner(n))
	}
	for _, n := range All(root, Tag("img")) {
		picture(n)
	}
	for _, n := range All(root, Tag("iframe", "embed", "object")) {
		frame(n, c)
	}
	for _, n := range All(root, Tag("video", "audio")) {
		what := Videos
		if n.Data == "audio" {
			what = Sounds
		}
		Replace(n, c.File(what, source(n), Attr(n, "title"), ""))
	}
	for _, n := range All(root, Tag("script")) {
		if src := Attr(n, "src"); !ofEmbed.MatchString(src) {
			c.Add(Scripts)
		}
		Remove(n)
	}
	for _, n := range All(root, Tag("form")) {
		c.Add(Forms)
		Remove(n)
	}
	for _, n := range All(root, Class("footnotes")) {
		n.Data, n.DataAtom = "div", atom.Div
		SetAttr(n, "class", "footnotes")
	}
	for _, n := range All(root, Tag("pre")) {
		code(n)
	}
	return nil
}

// ofEmbed are scripts that only draw what a quotation says already.
var ofEmbed = regexp.MustCompile(`(?i)^(?:https?:)?//(?:[\w.-]+\.)?(?:twitter\.com|x\.com|instagram\.com|tiktok\.com|facebook\.net|reddit\.com|redditmedia\.com|flickr\.com|imgur\.com|substack\.com|bsky\.app)/`)

func source(n *html.Node) string {
	if src := Attr(n, "src"); src != "" {
		return src
	}
	return Attr(First(n, Tag("source")), "src")
}

func frame(n *html.Node, c *Changes) {
	address := source(n)
	if address == "" {
		address = Attr(n, "data")
	}
	if address == "" || strings.HasPrefix(address, "about:") {
		address = Attr(n, "data-src")
	}
	title := Attr(n, "title")
	if strings.Contains(strings.ToLower(title), "player") {
		title = "" // it says what the frame is, not what it shows
	}
	Replace(n, c.Embed(address, title, ""))
}

// picture gives an element the address that a script would have given it.
func picture(n *html.Node) {
	src := Attr(n, "src")
	for _, key := range []string{"data-src", "data-lazy-src", "data-original", "data-orig-file"} {
		if lazy := Attr(n, key); lazy != "" && (src == "" || strings.HasPrefix(src, "data:")) {
			SetAttr(n, "src", lazy)
			return
		}
	}
	if src == "" {
		if first, _, _ := strings.Cut(strings.TrimSpace(Attr(n, "srcset")), " "); first != "" {
			SetAttr(n, "src", first)
		}
	}
}

var brush = regexp.MustCompile(`(?:^|[\s;])(?:brush:\s*|lang(?:uage)?-|lang:\s*)([A-Za-z0-9+#.-]+)`)

// code gives a block of code the class of its language, wherever the program
// had it.
func code(pre *html.Node) {
	inner := First(pre, Tag("code"))
	language := ""
	for _, n := range []*html.Node{inner, pre, pre.Parent} {
		if n == nil || language != "" {
			continue
		}
		for _, key := range []string{"data-enlighter-language", "data-lang", "data-language"} {
			if language == "" {
				language = Attr(n, key)
			}
		}
		if m := brush.FindStringSubmatch(Attr(n, "class")); m != nil && language == "" {
			language = m[1]
		}
		if language == "" && n == inner {
			language = Attr(n, "lang")
		}
	}
	language = languageName(language)
	if language == "" || language == "generic" {
		return
	}
	if inner == nil {
		inner = &html.Node{Type: html.ElementNode, Data: "code"}
		for c := pre.FirstChild; c != nil; c = pre.FirstChild {
			pre.RemoveChild(c)
			inner.AppendChild(c)
		}
		pre.AppendChild(inner)
	}
	SetAttr(inner, "class", "language-"+language)
}
