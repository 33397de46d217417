package chat

import (
	"html"
	"regexp"
	"strings"

	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/sdk/api"
)

// shown is a message as members see it: its text also as HTML that is safe to
// show.
func shown(m *message) api.Message {
	out := m.M
	if out.Author.Type == api.AuthorVisitor {
		out.HTML = plainHTML(out.Text)
		return out
	}
	render := safehtml.Markdown
	if out.Author.Type == api.AuthorUser { // who writes HTML means it
		render = safehtml.MarkdownAndHTML
	}
	marked, err := render(out.Text)
	if err != nil { // too dense to be worth reading as Markdown
		marked = plainHTML(out.Text)
	}
	out.HTML = strings.TrimSpace(safehtml.Sanitize(marked))
	return out
}

var address = regexp.MustCompile(`https?://[^\s<>"'` + "`" + `]+[^\s<>"'` + "`" + `.,;:!?)\]]`)

// plainHTML is text as HTML that shows it character by character, with web
// addresses as links.
func plainHTML(text string) string {
	var b strings.Builder
	b.WriteString("<p>")
	end := 0
	for _, at := range address.FindAllStringIndex(text, -1) {
		b.WriteString(lines(text[end:at[0]]))
		link := html.EscapeString(text[at[0]:at[1]])
		b.WriteString(`<a href="` + link + `">` + link + `</a>`)
		end = at[1]
	}
	b.WriteString(lines(text[end:]))
	b.WriteString("</p>")
	return safehtml.Sanitize(b.String())
}

func lines(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>")
}
