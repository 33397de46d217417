package postfile

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/cli/internal/frontmatter"
	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/cli/internal/merge"
)

// errForm is the outcome of an edit that does not fit the file.
var errForm = errors.New("the file has another form")

// bodies are the ways to make the text of a file say what the post says: the
// lines that differ, everything, everything as HTML.
func (p *Pull) bodies(f *File) ([]edit, error) {
	mine, err := p.Content(f)
	if err == nil {
		mine, err = p.Own(mine)
	}
	if err != nil {
		return nil, err
	}
	theirs, err := p.Own(p.Post.Content)
	if err != nil {
		return nil, err
	}
	body := func(text string) edit {
		return func(d *frontmatter.Doc) error { f.setBody(d, text); return nil }
	}
	if f.HTML {
		mine, theirs = mine+"\n", strings.TrimRight(theirs, "\n")+"\n"
		return []edit{body(merge.Of(mine, f.Body, theirs).Theirs()), body(theirs)}, nil
	}
	before, err := pieces(mine, f.MDX, false)
	if err != nil {
		return nil, err
	}
	after, err := pieces(theirs, f.MDX, false)
	if err != nil {
		return nil, err
	}
	raw, err := pieces(theirs, f.MDX, true)
	text := strings.TrimRight(f.Body, "\n")
	end := f.Body[len(text):]
	joined := strings.TrimRight(merge.Of(before, text+"\n", after).Theirs(), "\n") + end
	edits := []edit{body(joined), body(after), body(raw)}
	if text, ok := reword(f.Body, mine, theirs); ok {
		edits = append([]edit{body(text)}, edits...)
	}
	return edits, err
}

// reword makes in Markdown the changes between two texts of HTML that are of words
// alone, where their places are plain.
func reword(md, before, after string) (string, bool) {
	edits := udiff.Lines(before, after)
	if len(edits) > 100 {
		return "", false
	}
	for _, e := range edits {
		old, now := before[e.Start:e.End], e.New
		from, to := 0, 0
		for from < len(old) && from < len(now) && old[from] == now[from] {
			from++
		}
		for to < len(old)-from && to < len(now)-from && old[len(old)-1-to] == now[len(now)-1-to] {
			to++
		}
		was, is := old[from:len(old)-to], now[from:len(now)-to]
		lead, tail := old[:from], old[len(old)-to:]
		lead = lead[strings.LastIndexAny(lead, ">\n")+1:]
		if i := strings.IndexAny(tail, "<\n"); i >= 0 {
			tail = tail[:i]
		}
		if strings.ContainsAny(was+is, "<>&\n") || !utf8.ValidString(was) || !utf8.ValidString(is) || lead+was+tail == "" {
			return "", false
		}
		lead, tail = html.UnescapeString(lead), html.UnescapeString(tail)
		if strings.Count(md, lead+was+tail) != 1 {
			return "", false
		}
		md = strings.Replace(md, lead+was+tail, lead+is+tail, 1)
	}
	return md, len(edits) > 0
}

// setBody replaces the text of a file. A heading that is the title, or what is
// around the body of a document, stays.
func (f *File) setBody(d *frontmatter.Doc, body string) {
	switch {
	case f.tail != "" || f.HTML:
		d.Body = f.head + strings.TrimSuffix(body, "\n") + f.end() + f.tail
	case f.head == "":
		d.Body = body
	default:
		lead := strings.TrimLeft(f.lead, "\n")
		rest, led := strings.CutPrefix(body, lead)
		if !led {
			d.Body = f.head[len(f.lead):] + body
			return
		}
		d.Body = f.head + rest
	}
}

// end is how the text of an HTML file ended.
func (f *File) end() string {
	if f.tail == "" && strings.HasSuffix(f.Body, "\n") {
		return "\n"
	}
	return ""
}

// setHeading gives the heading that is the title, or the title of a document,
// another text.
func (f *File) setHeading(d *frontmatter.Doc, title string) error {
	if f.HTML {
		at := documentTitle.FindStringSubmatchIndex(d.Body)
		if at == nil {
			return errForm
		}
		d.Body = d.Body[:at[2]] + html.EscapeString(title) + d.Body[at[3]:]
		return nil
	}
	rest, ok := strings.CutPrefix(d.Body, f.head)
	if f.head == "" || !ok {
		return errForm
	}
	heading := f.head[len(f.lead):]
	blank := heading[len(strings.TrimRight(heading, "\n")):]
	line, under, _ := strings.Cut(strings.TrimRight(heading, "\n"), "\n")
	text := line
	if m := atxHeading.FindStringSubmatchIndex(line); m != nil {
		text = line[m[2]:m[3]]
	}
	mark := headingMark.FindString(text)
	line = strings.Replace(line, text, escapeHeading(title)+mark, 1)
	if under != "" {
		line += "\n" + under
	}
	d.Body = f.lead + line + blank + rest
	return nil
}

var special = regexp.MustCompile("[\\\\`*_\\[\\]<>]")

func escapeHeading(s string) string { return special.ReplaceAllString(s, `\$0`) }

// pieces is HTML as Markdown, one element after the other: what Markdown cannot
// say stays HTML.
func pieces(src string, mdx, raw bool) (string, error) {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(src), body)
	if err != nil {
		return "", err
	}
	var out []string
	var loose strings.Builder // what is outside of elements that stand for themselves
	flush := func() error {
		text := loose.String()
		loose.Reset()
		if strings.TrimSpace(text) == "" {
			return nil
		}
		piece, err := onePiece(text, mdx, raw)
		out = append(out, piece)
		return err
	}
	for _, n := range nodes {
		var b strings.Builder
		if err := html.Render(&b, n); err != nil {
			return "", err
		}
		if n.Type != html.ElementNode || inlineElement[n.DataAtom] {
			loose.WriteString(b.String())
			continue
		}
		if err := flush(); err != nil {
			return "", err
		}
		piece, err := onePiece(b.String(), mdx, raw)
		if err != nil {
			return "", err
		}
		out = append(out, piece)
	}
	if err := flush(); err != nil {
		return "", err
	}
	if len(out) == 0 {
		return "", nil
	}
	return strings.Join(out, "\n\n") + "\n", nil
}

var inlineElement = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Br: true, atom.Cite: true, atom.Code: true, atom.Del: true, atom.Em: true, atom.I: true, atom.Img: true,
	atom.Kbd: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Small: true, atom.Span: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.U: true,
}

// onePiece is an element as Markdown where that says the same, else as HTML.
func onePiece(src string, mdx, raw bool) (string, error) {
	if !raw {
		md, err := Markdown(src)
		if err != nil {
			return "", err
		}
		md = wikiTarget.ReplaceAllStringFunc(strings.TrimRight(md, "\n"), wikiAgain)
		page, err := markup.Render(markup.Text{Body: md, MDX: mdx})
		if err != nil {
			return "", err
		}
		if same, err := sameText(page.HTML, src); err != nil || same {
			return md, err
		}
	}
	return htmlBlock(src), nil
}

// sameText compares HTML by what pages show of it, wherever its links lead.
func sameText(a, b string) (bool, error) {
	keep := markup.Resolver{
		Link:  func(dest string) markup.Place { return markup.Place{Address: dest} },
		Image: func(src string) (markup.Place, error) { return markup.Place{Address: src}, nil },
	}
	a, _, err := markup.Finish(a, keep, false)
	if err != nil {
		return false, err
	}
	b, _, err = markup.Finish(b, keep, false)
	return markup.Same(a, b), err
}

var wikiTarget = regexp.MustCompile(`(!?)\[((?:[^\[\]\\]|\\.)*)\]\(wiki:([^()\s]+)\)`)

// wikiAgain is a link by name as its author writes it.
func wikiAgain(link string) string {
	m := wikiTarget.FindStringSubmatch(link)
	name, err := url.PathUnescape(m[3])
	if err != nil {
		return link
	}
	if target, _, labelled := strings.Cut(name, "|"); labelled || m[2] != target && m[2] != "" {
		name = target + "|" + m[2]
	}
	return m[1] + "[[" + name + "]]"
}

// htmlBlock is HTML in Markdown: without blank lines, which
// would end it, and without what could be a mark of other programs.
func htmlBlock(src string) string {
	z := html.NewTokenizer(strings.NewReader(src))
	var b strings.Builder
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			b.WriteString(inBlock.Replace(blankLines.ReplaceAllStringFunc(string(z.Raw()), func(s string) string {
				return "\n" + strings.Repeat("&#10;", strings.Count(s, "\n")-1)
			})))
		default:
			b.Write(z.Raw())
		}
	}
}

var (
	blankLines = regexp.MustCompile(`\n(?:[ \t]*\n)+`)
	inBlock    = strings.NewReplacer("{", "&#123;", "[[", "&#91;&#91;", "%%", "&#37;&#37;", ":::", "&#58;&#58;&#58;", "[^", "&#91;^")
)
