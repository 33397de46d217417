// Package safehtml makes HTML that somebody sent safe and well-formed to show,
// and reads text out of it: excerpts, word counts, headings. It converts
// between HTML and Markdown. It knows nothing of posts, pages or storage.
//
// Stored HTML stays as it was sent; whoever shows it to a person calls Sanitize
// first.
package safehtml

import (
	"regexp"
	"sync"

	"github.com/microcosm-cc/bluemonday"
)

// Sanitize returns the part of src that may be shown: article markup without
// scripts, styles, forms, frames, foreign content, event handlers and URLs that
// are neither web, mail nor relative. Its output has matching tags, so it cannot
// close the element that holds it. Ids stay in the form of anchor.Safe, and so do
// the fragments of links within the site. Sanitizing twice changes nothing. It is safe
// for concurrent use.
func Sanitize(src string) string {
	return nest(article().Sanitize(noscript.ReplaceAllLiteralString(src, "")))
}

// noscript matches tags whose content is shown, since pages have no scripts: to
// a parser that thinks otherwise it is one text.
var noscript = regexp.MustCompile(`(?i)</?noscript\b[^<>]*>`)

var article = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "wbr", "hr", "blockquote", "pre",
		"div", "section", "article", "aside", "figure", "figcaption", "details", "summary",
		"ul", "ol", "li", "dl", "dt", "dd",
		"table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td",
		"strong", "b", "em", "i", "u", "s", "del", "ins", "mark", "small", "sub", "sup",
		"code", "kbd", "samp", "var", "abbr", "cite", "dfn", "q", "time", "ruby", "rt", "rp", "bdi", "span",
	)
	allowLinks(p)
	allowImages(p)
	p.AllowAttrs("id").Globally() // nest makes it safe
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[a-z0-9+-]{1,20}$`)).OnElements("code")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^(markdown-alert markdown-alert-(note|tip|important|warning|caution)|markdown-alert-title|footnotes)$`)).OnElements("div")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^footnote-(ref|backref)$`)).OnElements("a")
	p.AllowAttrs("dir").Matching(regexp.MustCompile(`^(ltr|rtl|auto)$`)).Globally()
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$`)).Globally()
	p.AllowAttrs("datetime").Matching(regexp.MustCompile(`^[0-9TZPWDHMS:.+ -]{1,40}$`)).OnElements("time")
	p.AllowAttrs("title").OnElements("abbr", "dfn")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`^(open)?$`)).OnElements("details")
	allowListsAndTables(p)
	return p
})

func allowLinks(p *bluemonday.Policy) {
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowAttrs("href", "name").OnElements("a")
}

// allowImages keeps pictures from the web and from the daemon's own media; any
// other relative address would depend on the page that shows it.
func allowImages(p *bluemonday.Policy) {
	p.AllowAttrs("src").Matching(regexp.MustCompile(`^(?i:https?://|/media/)`)).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(regexp.MustCompile(`^[0-9]{1,5}$`)).OnElements("img")
}

func allowListsAndTables(p *bluemonday.Policy) {
	number := regexp.MustCompile(`^-?[0-9]{1,6}$`)
	p.AllowAttrs("start").Matching(number).OnElements("ol")
	p.AllowAttrs("value").Matching(number).OnElements("li")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^[1aAiI]$`)).OnElements("ol")
	p.AllowAttrs("reversed").Matching(regexp.MustCompile(`^(reversed)?$`)).OnElements("ol")
	p.AllowAttrs("colspan", "rowspan", "span").Matching(regexp.MustCompile(`^[1-9][0-9]?$`)).OnElements("td", "th", "col", "colgroup")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("td", "th", "col")
	p.AllowAttrs("scope").Matching(regexp.MustCompile(`^(row|col|rowgroup|colgroup)$`)).OnElements("th")
}
