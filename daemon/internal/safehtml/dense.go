package safehtml

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ErrDense is the outcome of text that no person writes: so much markup in one
// place that converting it would take seconds, or gigabytes.
var ErrDense = errors.New("too much markup in one paragraph, table or line")

// The converters take time in proportion to the product of a paragraph's length
// and the marks in it, and fill a table's rows up to the longest.
const (
	maxWork    = 1 << 24 // bytes times marks, of Markdown
	maxEscapes = 1 << 28 // bytes times brackets, of HTML
	maxCells   = 50_000
	maxNesting = 64
)

// denseMarkdown finds out before the inline markup is parsed, by parsing the
// blocks alone.
func denseMarkdown(src []byte) bool {
	for line := range bytes.Lines(src) {
		if nesting(line) > maxNesting {
			return true
		}
	}
	work, filled := 0, 0
	err := ast.Walk(blocks().Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
			w, c := effort(n.Lines(), src)
			work, filled = work+w, filled+c
		}
		if work > maxWork || filled > maxCells {
			return ast.WalkStop, ErrDense
		}
		return ast.WalkContinue, nil
	})
	return err != nil
}

var blocks = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
})

// effort of a paragraph, and the cells that it has if it is a table.
func effort(lines *text.Segments, src []byte) (work, cells int) {
	length, marks, pipes := 0, 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := segment.Value(src)
		length += len(line)
		pipes = max(pipes, bytes.Count(line, []byte("|")))
		for _, c := range line {
			if strings.IndexByte("[]()*_`<!~:@", c) >= 0 {
				marks++
			}
		}
	}
	return length * marks, pipes * lines.Len()
}

// nesting counts the quote and list marks that a line begins with and, for lists
// inside lists, two columns of the indentation before them as one.
func nesting(line []byte) int {
	rest := bytes.TrimLeft(line, " \t")
	marks := rest[:len(rest)-len(bytes.TrimLeft(rest, "> \t-+*.)0123456789"))]
	depth := bytes.Count(marks, []byte(">"))
	for i, c := range marks[:max(len(marks)-1, 0)] {
		if strings.IndexByte("-+*.)", c) >= 0 && isSpace(marks[i+1]) {
			depth++
		}
	}
	if depth == 0 {
		return 0
	}
	return depth + (len(line)-len(rest))/2
}

// denseHTML reports the same of a document to convert to Markdown, and takes the
// spans off its cells: Markdown has none, and a cell may claim millions.
func denseHTML(doc *html.Node) bool {
	length, brackets, filled := 0, 0, 0
	for n := range doc.Descendants() {
		switch {
		case n.Type == html.TextNode:
			length += len(n.Data)
			brackets += strings.Count(n.Data, "[")
		case n.DataAtom == atom.Table:
			filled += cells(n)
		case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
			n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" })
		}
	}
	return length*brackets > maxEscapes || filled > maxCells
}

// cells is the number of cells of a table with all rows as long as the longest.
func cells(table *html.Node) int {
	rows, longest := 0, 0
	for n := range table.Descendants() {
		if n.DataAtom != atom.Tr {
			continue
		}
		rows++
		inRow := 0
		for range n.ChildNodes() {
			inRow++
		}
		longest = max(longest, inRow)
	}
	return rows * longest
}
