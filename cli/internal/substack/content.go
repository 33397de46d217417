package substack

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"edgesvc.dev/svc/cli/internal/exported"
)

// content is the text of a post as pages here can show it.
func content(r *row, text string, c *exported.Changes) (string, error) {
	root, err := exported.Parse(text)
	if err != nil {
		return "", err
	}
	parts(root, c)
	footnotes(root)
	for _, n := range exported.All(root, exported.Tag("img")) {
		exported.SetAttr(n, "src", original(exported.Attr(n, "src")))
	}
	if err := exported.Tidy(root, c); err != nil {
		return "", err
	}
	for _, n := range exported.All(root, exported.Tag("p")) {
		if n.FirstChild == nil {
			exported.Remove(n)
		}
	}
	out := strings.TrimSpace(exported.Render(root))
	if r.podcast != "" {
		out = c.File(exported.Sounds, r.podcast, r.title, "") + out
	}
	return out, nil
}

// data is what an element says of itself in its attribute data-attrs.
type data map[string]any

func dataOf(n *html.Node) data {
	var d data
	_ = json.Unmarshal([]byte(exported.Attr(n, "data-attrs")), &d) // an element without them has none
	return d
}

func (d data) text(keys ...string) string {
	for _, key := range keys {
		if s, ok := d[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// asks are what Substack puts between the texts to win subscribers.
var asks = []string{"subscription-widget-wrap", "subscription-widget-wrap-editor", "subscription-widget", "subscribe-widget", "community-chat", "install-substack-app-embed", "directMessage", "direct-message", "cashtag", "captioned-button-wrap", "button-wrapper", "poll-embed", "comment", "header-anchor-widget", "header-anchor-parent", "image-link-expand", "donation-wrap"}

// shown are the elements of Substack's editor by their classes.
var shown = []exported.Part{
	{Classes: []string{"image-gallery-embed"}, With: gallery}, {Classes: []string{"tweet", "twitter-embed"}, With: quotation},
	{Classes: []string{"digest-post-embed", "embedded-post-wrap", "embedded-publication-wrap"}, With: post}, {Classes: []string{"file-embed-wrapper"}, With: file},
	{Classes: []string{"native-video-embed", "native-audio-embed"}, With: uploaded}, {Classes: []string{"latex-rendered"}, With: formula},
	{Classes: []string{"instagram", "instagram-embed-wrap"}, With: instagram}, {Classes: []string{"pullquote"}, With: quote}, {Classes: []string{"preformatted-block"}, With: code},
	{Classes: []string{"paywall-jump", "paywall"}, With: nothing}, {Classes: []string{"youtube-wrap", "vimeo-wrap"}, With: video}, {Classes: []string{"callout-block"}, With: callout},
	{Classes: []string{"spotify-wrap", "soundcloud-wrap", "apple-podcast-container", "bandcamp-wrap", "tiktok-wrap", "bluesky-wrap"}, With: linked},
}

// parts are the elements that Substack's editor knows.
func parts(root *html.Node, c *exported.Changes) {
	for _, n := range exported.All(root, exported.Class(asks...)) {
		ask(n, c)
	}
	exported.Parts(root, c, shown)
	for _, n := range exported.All(root, exported.Class("captioned-image-container")) {
		exported.Replace(n, picture(n))
	}
	for _, n := range exported.All(root, exported.Class("image-link")) {
		exported.Replace(n, picture(n))
	}
}

// ask leaves out buttons that only Substack understands; others are links.
func ask(n *html.Node, c *exported.Changes) {
	button := exported.First(n, exported.Tag("a"))
	address := dataOf(n).text("url")
	if address == "" {
		address = exported.Attr(button, "href")
	}
	if !exported.HasClass(n, "button-wrapper", "captioned-button-wrap") || address == "" || strings.Contains(address, "%%") || strings.Contains(address, "/subscribe") || strings.Contains(address, "action=share") {
		if exported.HasClass(n, "poll-embed") {
			c.Add("polls were left out")
		} else if !exported.HasClass(n, "header-anchor-widget", "header-anchor-parent", "image-link-expand") {
			c.Add("buttons and forms to subscribe, share and comment were left out")
		}
		exported.Remove(n)
		return
	}
	c.Add(exported.Buttons)
	title := dataOf(n).text("text")
	if title == "" {
		title = exported.Text(button)
	}
	exported.Replace(n, exported.Link(address, title, ""))
}

func nothing(*html.Node, *exported.Changes) string { return "" }

var fetched = regexp.MustCompile(`^https://(?:cdn\.)?substackcdn\.com/image/fetch/[^?#]*?/(https?(?:%3A|:)[^?#]+)`)

// original is the address of a picture without the service that resizes it.
func original(src string) string {
	m := fetched.FindStringSubmatch(src)
	if m == nil {
		return src
	}
	if decoded, err := url.PathUnescape(m[1]); err == nil {
		return decoded
	}
	return src
}

func picture(n *html.Node) string {
	img := exported.First(n, exported.Tag("img"))
	d := dataOf(img)
	src := d.text("src")
	if src == "" {
		src = exported.Attr(img, "src")
	}
	p := exported.Picture{Src: original(src), Alt: exported.Attr(img, "alt"), Caption: exported.Inner(exported.First(n, exported.Tag("figcaption")))}
	if p.Alt == "" {
		p.Alt = d.text("alt", "title")
	}
	link := exported.First(n, exported.Class("image-link"))
	if exported.HasClass(n, "image-link") {
		link = n
	}
	href := d.text("href")
	if href == "" {
		href = exported.Attr(link, "href")
	}
	if file := func(s string) string { return s[strings.LastIndex(s, "/")+1:] }; href != "" && file(original(href)) != file(p.Src) {
		p.Href = href
	}
	return p.HTML()
}

func gallery(n *html.Node, c *exported.Changes) string {
	var pictures []exported.Picture
	inner, _ := dataOf(n)["gallery"].(map[string]any)
	images, _ := inner["images"].([]any)
	for _, image := range images {
		one, _ := image.(map[string]any)
		pictures = append(pictures, exported.Picture{Src: original(data(one).text("src")), Alt: data(one).text("alt")})
	}
	if len(pictures) == 0 {
		for _, img := range exported.All(n, exported.Tag("img")) {
			pictures = append(pictures, exported.Picture{Src: original(exported.Attr(img, "src")), Alt: exported.Attr(img, "alt")})
		}
	}
	return c.Gallery(pictures, exported.Escape(data(inner).text("caption")))
}

// quotation is a message of another network with its words.
func quotation(n *html.Node, c *exported.Changes) string {
	d := dataOf(n)
	address, words := d.text("url"), d.text("full_text")
	if words == "" {
		words = exported.Text(exported.First(n, exported.Class("tweet-text")))
	}
	if address == "" {
		address = exported.Attr(exported.First(n, exported.Tag("a")), "href")
	}
	words = html.UnescapeString(words)
	if words == "" {
		return c.Embed(address, "", "")
	}
	c.Add(exported.Embeds)
	who := d.text("name", "username")
	if who == "" {
		who = exported.Text(exported.First(n, exported.Class("tweet-author-name")))
	}
	return "<blockquote><p>" + strings.ReplaceAll(exported.Escape(words), "\n", "<br>") + "</p>" + exported.Link(address, who, "") + "</blockquote>"
}

func post(n *html.Node, c *exported.Changes) string {
	d := dataOf(n)
	return c.Bookmark(d.text("canonical_url", "url", "base_url"), d.text("title", "name"), d.text("caption", "subtitle", "truncated_body_text", "hero_text"), "")
}

func file(n *html.Node, c *exported.Changes) string {
	address := exported.Attr(exported.First(n, exported.Class("file-embed-button")), "href")
	return c.File(exported.Files, address, exported.Text(exported.First(n, exported.Class("file-embed-details-h1"))), "")
}

func uploaded(_ *html.Node, c *exported.Changes) string {
	c.Add("videos and sounds that were uploaded to Substack are not in the export")
	return ""
}

func formula(n *html.Node, _ *exported.Changes) string {
	return exported.Code("latex", dataOf(n).text("persistentExpression"), "")
}

func instagram(n *html.Node, c *exported.Changes) string {
	d := dataOf(n)
	address := d.text("url")
	if id := d.text("instagram_id"); address == "" && id != "" {
		address = "https://www.instagram.com/p/" + id + "/"
	}
	return c.Embed(address, d.text("title"), "")
}

func quote(n *html.Node, _ *exported.Changes) string {
	return "<blockquote>" + exported.Inner(n) + "</blockquote>"
}

func callout(n *html.Node, _ *exported.Changes) string {
	return exported.Callout("", exported.Inner(n))
}

func code(n *html.Node, _ *exported.Changes) string {
	if exported.First(n, exported.Tag("pre")) != nil {
		return exported.Inner(n)
	}
	return "<pre>" + exported.Inner(n) + "</pre>"
}

func video(n *html.Node, c *exported.Changes) string {
	d := dataOf(n)
	if id := d.text("videoId"); id != "" && exported.HasClass(n, "youtube-wrap") {
		return c.Embed("https://www.youtube.com/watch?v="+id, "", "")
	} else if id != "" {
		return c.Embed("https://vimeo.com/"+id, "", "")
	}
	return exported.Inner(n)
}

// linked is what another site plays.
func linked(n *html.Node, c *exported.Changes) string {
	d := dataOf(n)
	if address := d.text("url", "targetUrl"); address != "" {
		return c.Embed(address, d.text("title"), exported.Escape(d.text("description", "author")))
	}
	return exported.Inner(n)
}

// footnotes gathers the notes below a text in one list.
func footnotes(root *html.Node) {
	notes := exported.All(root, exported.Class("footnote"))
	var b strings.Builder
	for _, n := range notes {
		number := exported.First(n, exported.Class("footnote-number"))
		id, back := exported.Attr(number, "id"), exported.Attr(number, "href")
		b.WriteString(`<li id="` + exported.Escape(id) + `">` + exported.Inner(exported.First(n, exported.Class("footnote-content"))))
		if back != "" {
			b.WriteString(` <a href="` + exported.Escape(back) + `">↩</a>`)
		}
		b.WriteString("</li>")
	}
	for i, n := range notes {
		if i == len(notes)-1 {
			exported.Replace(n, `<div class="footnotes"><ol>`+b.String()+`</ol></div>`)
			break
		}
		exported.Remove(n)
	}
	for _, n := range exported.All(root, exported.Class("footnote-anchor")) {
		mark := `<sup><a id="` + exported.Escape(exported.Attr(n, "id")) + `" href="` + exported.Escape(exported.Attr(n, "href")) + `">` + exported.Escape(exported.Text(n)) + `</a></sup>`
		exported.Replace(n, mark)
	}
}
