package safehtml

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"edgesvc.dev/svc/sdk/anchor"
)

// Active reports whether a browser that is given src as it is could run or load
// something of the author's choosing. It errs on the safe side: what it cannot
// be sure of is active. Ordinary formatting is not.
func Active(src string) bool {
	if onlyPlainTags(src) {
		return false
	}
	z := html.NewTokenizer(strings.NewReader(src))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return len(z.Raw()) > 0 // a tag that is cut off goes on in the page that shows it
		case html.CommentToken, html.DoctypeToken:
			return true // where a comment ends depends on who parses
		case html.StartTagToken, html.SelfClosingTagToken:
			if activeTag(z) {
				return true
			}
		}
	}
}

// activeTags change how the rest is parsed, or run, load or submit something.
var activeTags = []string{
	"applet", "base", "button", "embed", "form", "frame", "frameset", "iframe", "input", "link", "listing", "marquee",
	"math", "meta", "noembed", "noframes", "noscript", "object", "option", "plaintext", "portal", "script", "select",
	"style", "svg", "template", "textarea", "title", "video", "audio", "source", "xmp",
}

func activeTag(z *html.Tokenizer) bool {
	name, more := z.TagName()
	if slices.Contains(activeTags, string(name)) {
		return true
	}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if activeAttribute(string(key), string(value)) {
			return true
		}
	}
	return false
}

func activeAttribute(key, value string) bool {
	if strings.HasPrefix(key, "on") || strings.ContainsAny(key, `<"'`) || strings.Contains(key, ":") {
		return true
	}
	switch key {
	case "srcdoc", "formaction", "action", "background", "style", "is", "contenteditable", "autofocus":
		return true
	case "id", "name":
		return anchor.Safe(value) != value
	case "href", "src", "srcset", "cite", "poster", "longdesc":
		return !plainURL(value)
	}
	return false
}

// plainURL reports whether a browser takes value for an http, https or mailto
// address, or for one relative to the page.
func plainURL(value string) bool {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
		return false
	}
	scheme, _, absolute := strings.Cut(value, ":")
	if !absolute || strings.ContainsAny(scheme, "/?#") {
		return true
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "tel":
		return true
	}
	return false
}

// onlyPlainTags reports whether every tag is a short name and nothing else, as
// in <p> and </h2>: the usual text, told apart without a tokenizer.
func onlyPlainTags(src string) bool {
	for {
		i := strings.IndexByte(src, '<')
		if i < 0 {
			return true
		}
		src = src[i+1:]
		end := strings.IndexByte(src[:min(len(src), 12)], '>')
		if end < 0 || !slices.Contains(plainTags, strings.TrimPrefix(src[:end], "/")) {
			return false
		}
		src = src[end+1:]
	}
}

var plainTags = []string{
	"p", "li", "ul", "ol", "h2", "h3", "strong", "em", "code", "pre", "br", "br/", "br /", "blockquote", "b", "i",
	"h1", "h4", "table", "thead", "tbody", "tr", "td", "th", "hr", "del", "figure", "figcaption",
}
