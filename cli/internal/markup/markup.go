// Package markup makes HTML of Markdown that was written for other programs:
// Jekyll, Hugo, Hexo, Eleventy, Zola, Docusaurus, VitePress, Starlight, Obsidian
// and their like. What it knows of their marks it translates, what it does not
// know it leaves out and names; nothing of them is shown to readers. It knows
// neither files nor the network.
package markup

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/yuin/goldmark/parser"
)

// Text is a text to be shown.
type Text struct {
	Body string
	MDX  bool              // the file's name ends in .mdx
	Vars map[string]string // what marks such as {{ page.title }} say, by name in lower case
}

// Page is a text as HTML. Its links and images are as they stand in the text:
// see Finish.
type Page struct {
	HTML  string
	Intro string // the Markdown above <!--more-->, empty without that
	Notes []Note
}

// Render makes HTML of a text.
func Render(t Text) (*Page, error) {
	page := &Page{}
	n := &notes{}
	body := t.Body
	vars := maps.Clone(t.Vars)
	if vars == nil {
		vars = map[string]string{}
	}
	if t.MDX || esm.MatchString(body) {
		body = modules(body, t.MDX, vars)
	}
	body = more.ReplaceAllStringFunc(body, func(string) string { return "<!--more-->" })
	body = containers(body, 0)
	body = attributeLists(body, t.MDX)
	e := &evaluator{vars: vars, mdx: t.MDX, notes: n}
	body = e.all(tree(scan(body, t.MDX)))
	body = codeEscapes(body)
	body = footnotes(body, n)
	body = remarks(body, t.MDX)
	page.Intro, _, _ = strings.Cut(body, "<!--more-->")
	if len(page.Intro) == len(body) {
		page.Intro = ""
	}
	body = strings.Replace(body, "<!--more-->", "", 1)
	var b bytes.Buffer
	if err := converter(t.MDX).Convert([]byte(body), &b); err != nil {
		return nil, fmt.Errorf("render Markdown: %w", err)
	}
	page.HTML = strings.TrimRight(b.String(), "\n")
	page.Notes = n.all
	return page, nil
}

// more ends what lists show of a text.
var more = regexp.MustCompile(`<!--\s*(?:more|truncate|end_excerpt|excerpt)\s*-->|\{/\*\s*(?:more|truncate)\s*\*/\}`)

func converter(mdx bool) goldmark.Markdown {
	if mdx {
		return mdxConverter()
	}
	return mdConverter()
}

var (
	mdConverter  = sync.OnceValue(func() goldmark.Markdown { return newConverter(parser.DefaultBlockParsers()) })
	mdxConverter = sync.OnceValue(func() goldmark.Markdown {
		var blocks []util.PrioritizedValue
		for _, p := range parser.DefaultBlockParsers() {
			if p.Priority != 500 { // MDX has no code by indentation
				blocks = append(blocks, p)
			}
		}
		return newConverter(blocks)
	})
)

func newConverter(blocks []util.PrioritizedValue) goldmark.Markdown {
	md := goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.Linkify, extension.Footnote, extension.DefinitionList,
			taskList{}, marking{}, wiki{},
		),
		goldmark.WithRendererOptions(html.WithUnsafe()), // Finish cleans
	)
	return md
}

var (
	esm        = regexp.MustCompile(`(?m)^import\s.*\bfrom\s+['"]|^import\s+['"]`)
	importLine = regexp.MustCompile(`^import\s+(?:([\w$]+)\s+from\s+)?.*?['"]([^'"]+)['"];?\s*$`)
	exportText = regexp.MustCompile(`^export\s+const\s+(\w+)\s*=\s*("[^"]*"|'[^']*'|` + "`[^`]*`" + `);?\s*$`)
)

// modules takes the imports and exports out of a text. The names of imported
// pictures, and exported texts, become variables.
func modules(body string, mdx bool, vars map[string]string) string {
	var b strings.Builder
	var f fence
	lines := strings.SplitAfter(body, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\n")
		starts := strings.HasPrefix(line, "import ") || mdx && strings.HasPrefix(line, "export ")
		if f.open() || !starts {
			if f.open() {
				f.close(line)
			} else {
				f.opens(line)
			}
			b.WriteString(lines[i])
			continue
		}
		last := statement(lines, i, mdx)
		if last < 0 {
			b.WriteString(lines[i])
			continue
		}
		whole := strings.TrimSpace(strings.Join(lines[i:last+1], ""))
		flat := strings.Join(strings.Fields(whole), " ")
		if m := importLine.FindStringSubmatch(flat); m != nil && m[1] != "" && imageName.MatchString(m[2]) {
			vars[strings.ToLower(m[1])] = m[2]
		}
		if m := exportText.FindStringSubmatch(whole); m != nil {
			vars[strings.ToLower(m[1])] = unquote(m[2])
		}
		i = last
	}
	return b.String()
}

// statement is the last line of the import or export that begins at line i, or
// -1 where that is a sentence.
func statement(lines []string, i int, mdx bool) int {
	depth := 0
	for at := i; at < len(lines) && at < i+200; at++ {
		line := strings.TrimSpace(lines[at])
		depth += strings.Count(line, "{") + strings.Count(line, "(") + strings.Count(line, "[")
		depth -= strings.Count(line, "}") + strings.Count(line, ")") + strings.Count(line, "]")
		switch {
		case strings.HasPrefix(lines[i], "import "):
			if importLine.MatchString(strings.Join(strings.Fields(strings.Join(lines[i:at+1], " ")), " ")) {
				return at
			}
			if line == "" || !mdx && depth == 0 {
				return -1
			}
		case line == "" && depth <= 0:
			return at - 1
		case depth <= 0 && (strings.HasSuffix(line, ";") || strings.HasSuffix(line, "}")):
			return at
		}
	}
	return -1
}

var (
	atxID     = regexp.MustCompile(`(?m)^([ \t>]*#{1,6}[ \t]+)([^\n]*?)[ \t]*\\?\{:?[ \t]*#([^\s{}#]+)[^{}\n]*\}[ \t]*#*[ \t]*$`)
	belowID   = regexp.MustCompile(`(?m)^([ \t>]*#{1,6}[ \t]+)([^\n]+)\n\{:[ \t]*#([\w:.-]+)[^{}\n]*\}[ \t]*$`)
	atxAttrs  = regexp.MustCompile(`(?m)^([ \t>]*#{1,6}[ \t]+[^\n]*?)[ \t]*\{[ \t]*[.:][^{}\n]*\}[ \t]*$`)
	tocMark   = regexp.MustCompile(`(?mi)^[ \t]*(?:[*-][ \t]+[^\n]*\n\{:[ \t]*toc[^}\n]*\}|\[\[_?toc_?\]\]|\[toc\]|\[\[_TOC_\]\])[ \t]*$`)
	listAlone = regexp.MustCompile(`(?m)^[ \t>]*\{(?::[^{}\n]*|[ \t]*[.#][\w-][^{}\n]*)\}[ \t]*\n`)
	listAfter = regexp.MustCompile("([)\\]`*_])\\{(?::[^{}\n]*|[ \t]*(?:[.#][\\w-]|[\\w-]+=)[^{}\n]*)\\}")
)

// attributeLists gives headings the ids that their authors gave them, and leaves
// out the other lists of attributes that Markdown has not.
func attributeLists(body string, mdx bool) string {
	withID := func(m []string) string { return m[1] + `<span id="` + escaped(m[3]) + `"></span>` + m[2] }
	body = outsideBlocks(body, !mdx, belowID, withID)
	body = outsideBlocks(body, !mdx, atxID, withID)
	body = outsideBlocks(body, !mdx, atxAttrs, func(m []string) string { return m[1] })
	body = outsideBlocks(body, !mdx, tocMark, func([]string) string { return "" })
	body = outsideBlocks(body, !mdx, listAlone, func([]string) string { return "" })
	if mdx {
		return body
	}
	return outside(body, !mdx, listAfter, func(m []string) string { return m[1] })
}

var hugoEscape = regexp.MustCompile(`\{\{([<%])\s*/\*\s*(.*?)\s*\*/\s*([>%])\}\}`)

// codeEscapes shows the shortcodes that Hugo's authors write into code as comments.
func codeEscapes(body string) string {
	return hugoEscape.ReplaceAllString(body, "{{$1 $2 $3}}")
}

var (
	noteMark = regexp.MustCompile(`\[\^([^\]\s]+)\]`)
	noteText = regexp.MustCompile(`(?m)^ {0,3}\[\^([^\]\s]+)\]:`)
)

// footnotes leaves out marks of footnotes that have no text, in a text that has
// footnotes.
func footnotes(body string, n *notes) string {
	has := map[string]bool{}
	for _, m := range noteText.FindAllStringSubmatch(body, -1) {
		has[m[1]] = true
	}
	if len(has) == 0 {
		return body
	}
	return outside(body, true, noteMark, func(m []string) string {
		if has[m[1]] {
			return m[0]
		}
		n.add(Mark, m[0])
		return ""
	})
}

var (
	remark  = regexp.MustCompile(`(?s)(?:^|[ \t\n])%%(?:[ \t\n].*?|[^%\n]+?)%%`)
	blockID = regexp.MustCompile(`(?m)[ \t]+\^([A-Za-z][\w-]*)[ \t]*$`)
)

// remarks leaves out what Obsidian does not show.
func remarks(body string, mdx bool) string {
	if strings.Contains(body, "%%") {
		body = outside(body, !mdx, remark, func([]string) string { return "" })
	}
	return outside(body, !mdx, blockID, func(m []string) string { return ` <span id="` + m[1] + `"></span>` })
}

// FromHTML is Render for a text that is HTML: its marks of other programs go,
// everything else is as it was.
func FromHTML(t Text) (*Page, error) {
	vars := maps.Clone(t.Vars)
	if vars == nil {
		vars = map[string]string{}
	}
	n := &notes{}
	e := &evaluator{vars: vars, notes: n}
	var b strings.Builder
	for _, piece := range tree(scanMarks(t.Body)) {
		out := e.one(piece)
		if piece.form != plainText && piece.name != "raw" && strings.ContainsAny(out, "[!*#`") { // Markdown
			page, err := Render(Text{Body: out})
			if err != nil {
				return nil, err
			}
			out = page.HTML
		}
		b.WriteString(out)
	}
	return &Page{HTML: strings.TrimRight(b.String(), "\n"), Notes: n.all}, nil
}
