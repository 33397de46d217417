package ghost

import (
	"fmt"
	"strings"

	"edgesvc.dev/svc/cli/internal/exported"
	"edgesvc.dev/svc/cli/internal/markup"
)

// payload is what a card of Ghost's editor says. Mobiledoc and Lexical name most of
// it the same.
type payload map[string]any

func (p payload) text(keys ...string) string {
	for _, key := range keys {
		if s, ok := p[key].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

func (p payload) inner(key string) payload {
	m, _ := p[key].(map[string]any)
	return m
}

// card is a card as HTML. What only mails have is left out without a word; a kind
// that is not known is noted.
func card(kind string, p payload, c *exported.Changes) (string, error) {
	switch kind {
	case "image", "card-image":
		return exported.Picture{Src: p.text("src"), Alt: exported.PlainText(p.text("alt")), Caption: p.text("caption"), Href: p.text("href")}.HTML(), nil
	case "gallery":
		return c.Gallery(pictures(p), p.text("caption")), nil
	case "code", "codeblock":
		return exported.Code(p.text("language"), p.text("code"), p.text("caption")), nil
	case "markdown", "card-markdown":
		page, err := markup.Render(markup.Text{Body: p.text("markdown")})
		if err != nil {
			return "", err
		}
		return page.HTML, nil
	case "html":
		return p.text("html"), nil
	case "hr", "horizontalrule":
		return "<hr>", nil
	case "embed":
		return embedded(p, c), nil
	case "bookmark":
		meta := p.inner("metadata")
		return c.Bookmark(p.text("url"), meta.text("title"), meta.text("description"), p.text("caption")), nil
	case "callout":
		return exported.Callout(p.text("calloutEmoji"), p.text("calloutText")), nil
	case "toggle":
		return exported.Toggle(p.text("heading"), p.text("content")), nil
	case "email", "email-cta", "emailcta", "paywall", "tk", "at-link", "at-link-search", "zwnj":
		return "", nil
	}
	return moreCards(kind, p, c), nil
}

// moreCards are the cards that sell, play or ask.
func moreCards(kind string, p payload, c *exported.Changes) string {
	switch kind {
	case "button":
		c.Add(exported.Buttons)
		return exported.Link(p.text("buttonUrl"), p.text("buttonText"), "")
	case "video":
		return c.File(exported.Videos, p.text("src"), p.text("fileName"), p.text("caption"))
	case "audio":
		return c.File(exported.Sounds, p.text("src"), p.text("title"), "")
	case "file":
		return c.File(exported.Files, p.text("src"), p.text("fileTitle", "fileName"), exported.Escape(p.text("fileCaption")))
	case "product":
		out := exported.Picture{Src: p.text("productImageSrc")}.HTML() + "<h4>" + p.text("productTitle") + "</h4>" + p.text("productDescription")
		return out + exported.Link(p.text("productUrl"), p.text("productButton"), "")
	case "header":
		out := ""
		if h := p.text("header"); h != "" {
			out += "<h2>" + h + "</h2>"
		}
		if h := p.text("subheader"); h != "" {
			out += "<p>" + h + "</p>"
		}
		return out + exported.Link(p.text("buttonUrl"), p.text("buttonText"), "")
	case "call-to-action":
		return exported.Picture{Src: p.text("imageUrl")}.HTML() + exported.Callout("", p.text("textValue")) + exported.Link(p.text("buttonUrl"), p.text("buttonText"), "")
	case "signup":
		c.Add(exported.Forms)
		return ""
	case "before-after":
		return c.Gallery([]exported.Picture{{Src: p.inner("beforeImage").text("src")}, {Src: p.inner("afterImage").text("src")}}, p.text("caption"))
	case "nft", "transistor":
		return c.Embed(p.text("url", "src"), "", "")
	}
	c.Add(fmt.Sprintf("cards of the kind %s are not known and were left out", kind))
	return ""
}

func pictures(p payload) []exported.Picture {
	images, _ := p["images"].([]any)
	var out []exported.Picture
	for _, image := range images {
		one, _ := image.(map[string]any)
		i := payload(one)
		out = append(out, exported.Picture{Src: i.text("src"), Alt: exported.PlainText(i.text("alt")), Caption: i.text("caption"), Href: i.text("href")})
	}
	return out
}

// embedded is a quotation where the other site gave one, else a link.
func embedded(p payload, c *exported.Changes) string {
	if code := p.text("html"); strings.Contains(code, "<blockquote") {
		return code
	}
	return c.Embed(p.text("url"), p.inner("metadata").text("title"), p.text("caption"))
}
