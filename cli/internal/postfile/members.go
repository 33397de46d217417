package postfile

import (
	"edgesvc.dev/svc/cli/internal/frontmatter"
	"edgesvc.dev/svc/cli/internal/markup"
)

// FromMembers is a text that was not a file: its members as front matter has them,
// and HTML without marks of other programs. What pages do not show of it is left
// out and noted, as it is of HTML inside Markdown.
func FromMembers(members []frontmatter.Member, html string) (*File, error) {
	f := &File{Doc: &frontmatter.Doc{Members: members, Body: html}, Body: html, page: &markup.Page{HTML: html}}
	r := reader{file: f}
	if err := r.all(members); err != nil {
		return nil, err
	}
	return f, f.Check()
}
