package ghost

import (
	"strings"

	"golang.org/x/net/html"

	"edgesvc.dev/svc/cli/internal/exported"
)

// ghostURL is what exports have in place of the address of the site.
const ghostURL = "__GHOST_URL__"

// onSite is an address of the export with the old site's, or from its root.
func onSite(s, site string) string {
	return strings.ReplaceAll(s, ghostURL, strings.TrimRight(site, "/"))
}

// content is the text of a post as pages here can show it.
func content(p *post, site string, c *exported.Changes) (string, error) {
	body := p.HTML
	var err error
	switch {
	case strings.TrimSpace(body) != "":
	case p.Lexical != "":
		body, err = lexical(p.Lexical, c)
	case p.Mobiledoc != "":
		body, err = mobiledoc(p.Mobiledoc, c)
	}
	if err != nil {
		return "", err
	}
	root, err := exported.Parse(onSite(body, site))
	if err != nil {
		return "", err
	}
	rendered(root, c)
	if err := exported.Tidy(root, c); err != nil {
		return "", err
	}
	return strings.TrimSpace(exported.Render(root)), nil
}

// shown are the cards of Ghost's editor by the classes that they have on pages.
var shown = []exported.Part{
	{Classes: []string{"kg-toggle-card"}, With: toggle}, {Classes: []string{"kg-gallery-card"}, With: gallery}, {Classes: []string{"kg-bookmark-card"}, With: bookmark},
	{Classes: []string{"kg-callout-card"}, With: callout}, {Classes: []string{"kg-product-card"}, With: product}, {Classes: []string{"kg-audio-card"}, With: audio},
	{Classes: []string{"kg-video-card"}, With: video}, {Classes: []string{"kg-file-card"}, With: file}, {Classes: []string{"kg-signup-card"}, With: nothing(exported.Forms)},
	{Classes: []string{"kg-embed-card"}, With: embed},
}

// rendered are the cards of Ghost's editor as Ghost shows them.
func rendered(root *html.Node, c *exported.Changes) {
	exported.Parts(root, c, shown)
	for _, n := range exported.All(root, exported.Class("kg-button-card")) {
		c.Add(exported.Buttons)
		exported.Replace(n, "<p>"+exported.Inner(n)+"</p>")
	}
	for _, n := range exported.All(root, exported.Tag("button")) {
		exported.Remove(n)
	}
}

func nothing(what string) func(*html.Node, *exported.Changes) string {
	return func(_ *html.Node, c *exported.Changes) string {
		c.Add(what)
		return ""
	}
}

func part(n *html.Node, class string) *html.Node { return exported.First(n, exported.Class(class)) }

func caption(n *html.Node) string {
	return exported.Inner(exported.First(n, exported.Tag("figcaption")))
}

func gallery(n *html.Node, c *exported.Changes) string {
	var pictures []exported.Picture
	for _, img := range exported.All(n, exported.Tag("img")) {
		p := exported.Picture{Src: exported.Attr(img, "src"), Alt: exported.Attr(img, "alt")}
		if img.Parent != nil && img.Parent.Data == "a" {
			p.Href = exported.Attr(img.Parent, "href")
		}
		pictures = append(pictures, p)
	}
	return c.Gallery(pictures, caption(n))
}

func bookmark(n *html.Node, c *exported.Changes) string {
	address := exported.Attr(exported.First(n, exported.Tag("a")), "href")
	return c.Bookmark(address, exported.Text(part(n, "kg-bookmark-title")), exported.Text(part(n, "kg-bookmark-description")), caption(n))
}

func callout(n *html.Node, _ *exported.Changes) string {
	text := part(n, "kg-callout-text")
	if text == nil {
		return exported.Callout("", exported.Inner(n))
	}
	return exported.Callout(exported.Text(part(n, "kg-callout-emoji")), exported.Inner(text))
}

func toggle(n *html.Node, _ *exported.Changes) string {
	return exported.Toggle(exported.Inner(part(n, "kg-toggle-heading-text")), exported.Inner(part(n, "kg-toggle-content")))
}

func product(n *html.Node, _ *exported.Changes) string {
	img, button := part(n, "kg-product-card-image"), part(n, "kg-product-card-button")
	out := exported.Picture{Src: exported.Attr(img, "src"), Alt: exported.Attr(img, "alt")}.HTML()
	out += "<h4>" + exported.Inner(part(n, "kg-product-card-title")) + "</h4>" + exported.Inner(part(n, "kg-product-card-description"))
	return out + exported.Link(exported.Attr(button, "href"), exported.Text(button), "")
}

func audio(n *html.Node, c *exported.Changes) string {
	return c.File(exported.Sounds, exported.Attr(exported.First(n, exported.Tag("audio")), "src"), exported.Text(part(n, "kg-audio-title")), "")
}

func video(n *html.Node, c *exported.Changes) string {
	return c.File(exported.Videos, exported.Attr(exported.First(n, exported.Tag("video")), "src"), "", caption(n))
}

func file(n *html.Node, c *exported.Changes) string {
	title := exported.Text(part(n, "kg-file-card-title"))
	if title == "" {
		title = exported.Text(part(n, "kg-file-card-filename"))
	}
	return c.File(exported.Files, exported.Attr(exported.First(n, exported.Tag("a")), "href"), title, exported.Escape(exported.Text(part(n, "kg-file-card-caption"))))
}

// embed leaves a quotation of another site as the quotation that it is.
func embed(n *html.Node, _ *exported.Changes) string {
	under := ""
	if text := caption(n); text != "" {
		under = "<p><em>" + text + "</em></p>"
	}
	for _, cap := range exported.All(n, exported.Tag("figcaption")) {
		exported.Remove(cap)
	}
	return exported.Inner(n) + under
}
