package exported

import (
	"html"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What becomes of the parts of a text that pages here have not.
const (
	Galleries = "galleries became plain pictures, one below the other"
	Embeds    = "embeds became links"
	Bookmarks = "cards of other pages became links with their description"
	Sounds    = "sound became a link to where it lies"
	Videos    = "videos became links to where they lie"
	Files     = "files to download became links to where they lie"
	Buttons   = "buttons became links"
	Forms     = "forms were left out"
	Scripts   = "scripts were left out"
)

// Changes are what is not as it was, each said once.
type Changes []string

// Add says one.
func (c *Changes) Add(what string) {
	if !slices.Contains(*c, what) {
		*c = append(*c, what)
	}
}

// Escape is a text as HTML.
func Escape(s string) string { return html.EscapeString(strings.TrimSpace(s)) }

// Picture is one picture of a text. Caption is HTML.
type Picture struct{ Src, Alt, Caption, Href string }

// HTML is the picture with its caption.
func (p Picture) HTML() string {
	if p.Src == "" {
		return ""
	}
	img := `<img src="` + Escape(p.Src) + `" alt="` + Escape(p.Alt) + `">`
	if p.Href != "" {
		img = `<a href="` + Escape(p.Href) + `">` + img + `</a>`
	}
	if strings.TrimSpace(p.Caption) == "" {
		return "<figure>" + img + "</figure>"
	}
	return "<figure>" + img + "<figcaption>" + p.Caption + "</figcaption></figure>"
}

// Gallery is pictures one below the other.
func (c *Changes) Gallery(pictures []Picture, caption string) string {
	var b strings.Builder
	for _, p := range pictures {
		b.WriteString(p.HTML())
	}
	if strings.TrimSpace(caption) != "" {
		b.WriteString("<p><em>" + caption + "</em></p>")
	}
	c.Add(Galleries)
	return b.String()
}

// Link is a link in a paragraph of its own. Caption is HTML.
func Link(address, title, caption string) string {
	if address == "" {
		return ""
	}
	if strings.TrimSpace(title) == "" {
		title = strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://")
	}
	out := `<p><a href="` + Escape(address) + `">` + Escape(title) + `</a></p>`
	if strings.TrimSpace(caption) != "" {
		out += "<p><em>" + caption + "</em></p>"
	}
	return out
}

// Embed is a link in place of what is shown from another site.
func (c *Changes) Embed(address, title, caption string) string {
	if address == "" {
		return ""
	}
	c.Add(Embeds)
	return Link(Watch(address), title, caption)
}

// Bookmark is another page's title and description. Caption is HTML.
func (c *Changes) Bookmark(address, title, description, caption string) string {
	if address == "" {
		return ""
	}
	c.Add(Bookmarks)
	out := Link(address, title, "")
	if strings.TrimSpace(description) != "" {
		out += "<p>" + Escape(description) + "</p>"
	}
	if strings.TrimSpace(caption) != "" {
		out += "<p><em>" + caption + "</em></p>"
	}
	return "<blockquote>" + out + "</blockquote>"
}

// File is a link to something that is not a picture: a sound, a video, a file.
func (c *Changes) File(what, address, title, caption string) string {
	if address == "" {
		return ""
	}
	c.Add(what)
	if title == "" {
		if u, err := url.Parse(address); err == nil {
			title = path.Base(u.Path)
		}
	}
	return Link(address, title, caption)
}

// Callout sets a text apart. Its content is HTML.
func Callout(sign, content string) string {
	if sign != "" {
		sign = Escape(sign) + " "
	}
	if strings.HasPrefix(content, "<p") && sign == "" {
		return `<div class="markdown-alert markdown-alert-note">` + content + `</div>`
	}
	return `<div class="markdown-alert markdown-alert-note"><p>` + sign + strings.TrimSuffix(strings.TrimPrefix(content, "<p>"), "</p>") + `</p></div>`
}

// Toggle is a text that opens. Both parts are HTML.
func Toggle(heading, content string) string {
	return "<details><summary>" + heading + "</summary>" + content + "</details>"
}

// Code is a block of code with the language that its author named.
func Code(language, code, caption string) string {
	class := ""
	if language = languageName(language); language != "" {
		class = ` class="language-` + language + `"`
	}
	out := "<pre><code" + class + ">" + html.EscapeString(strings.TrimRight(code, "\n")) + "\n</code></pre>"
	if strings.TrimSpace(caption) != "" {
		return "<figure>" + out + "<figcaption>" + caption + "</figcaption></figure>"
	}
	return out
}

var notLanguage = regexp.MustCompile(`[^a-z0-9+#.-]+`)

func languageName(s string) string {
	s = notLanguage.ReplaceAllString(strings.ToLower(strings.TrimSpace(s)), "")
	if len(s) > 20 {
		return ""
	}
	return s
}

var watchForms = []struct {
	form *regexp.Regexp
	page string
}{
	{regexp.MustCompile(`^(?:https?:)?//(?:www\.)?youtube(?:-nocookie)?\.com/embed/([\w-]{6,20})(?:[?#].*)?$`), "https://www.youtube.com/watch?v=$1"},
	{regexp.MustCompile(`^(?:https?:)?//player\.vimeo\.com/video/(\d+)(?:[?#].*)?$`), "https://vimeo.com/$1"},
	{regexp.MustCompile(`^(?:https?:)?//open\.spotify\.com/embed/(.+)$`), "https://open.spotify.com/$1"},
	{regexp.MustCompile(`^(?:https?:)?//w\.soundcloud\.com/player/\?.*\burl=([^&]+).*$`), "$1"},
}

// Watch is the page of what a frame shows.
func Watch(address string) string {
	for _, w := range watchForms {
		if m := w.form.FindStringSubmatch(address); m != nil {
			page := strings.ReplaceAll(w.page, "$1", m[1])
			if decoded, err := url.QueryUnescape(m[1]); err == nil && w.page == "$1" {
				return decoded
			}
			return page
		}
	}
	if strings.HasPrefix(address, "//") {
		return "https:" + address
	}
	return address
}
