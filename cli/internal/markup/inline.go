package markup

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// taskList is goldmark's extension with characters in place of inputs, which
// pages do not show.
type taskList struct{}

func (taskList) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(extension.NewTaskCheckBoxParser(), 0)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(taskList{}, 500)))
}

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (taskList) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extast.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		box := "☐ "
		if n.(*extast.TaskCheckBox).IsChecked {
			box = "☑ "
		}
		if entering {
			_, _ = w.WriteString(box) // a bufio.Writer keeps its error for Flush
		}
		return ast.WalkContinue, nil
	})
}

// marking is ==text==.
type marking struct{}

var kindMark = ast.NewNodeKind("Mark")

type markNode struct{ ast.BaseInline }

func (*markNode) Kind() ast.NodeKind             { return kindMark }
func (n *markNode) Dump(source []byte, deep int) { ast.DumpHelper(n, source, deep, nil, nil) }

func (marking) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(marking{}, 500)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(marking{}, 500)))
}

// Trigger implements goldmark's parser.InlineParser.
func (marking) Trigger() []byte { return []byte{'='} }

// Parse implements goldmark's parser.InlineParser.
func (marking) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 2, marking{})
	if node == nil || node.OriginalLength != 2 || before == '=' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// IsDelimiter implements goldmark's parser.DelimiterProcessor.
func (marking) IsDelimiter(b byte) bool { return b == '=' }

// CanOpenCloser implements goldmark's parser.DelimiterProcessor.
func (marking) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements goldmark's parser.DelimiterProcessor.
func (marking) OnMatch(int) ast.Node { return &markNode{} }

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (marking) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindMark, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("<mark>")
		} else {
			_, _ = w.WriteString("</mark>")
		}
		return ast.WalkContinue, nil
	})
}

// wikiScheme marks an address as what is between [[ and ]].
const wikiScheme = "wiki:"

// wiki is [[page#part|text]] and ![[file]].
type wiki struct{}

func (wiki) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(wiki{}, 150)))
}

// Trigger implements goldmark's parser.InlineParser.
func (wiki) Trigger() []byte { return []byte{'!', '['} }

var wikiLink = regexp.MustCompile(`^(!?)\[\[([^\[\]\n]+)\]\]`)

// Parse implements goldmark's parser.InlineParser.
func (wiki) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	m := wikiLink.FindSubmatchIndex(line)
	if m == nil || m[1] < len(line) && bytes.IndexByte([]byte("([:"), line[m[1]]) >= 0 && line[m[1]] != ':' {
		return nil
	}
	if _, found := pc.Reference(util.ToLinkReference(line[m[4]:m[5]])); found { // a link between brackets
		return nil
	}
	inner := strings.ReplaceAll(string(line[m[4]:m[5]]), `\|`, "|")
	target, label, _ := strings.Cut(inner, "|")
	embed := m[3] > m[2]
	address := []byte(wikiScheme + url.PathEscape(inner))
	from := m[4]
	if label != "" {
		from = m[5] - len(label)
	}
	to := m[5]
	if label == "" {
		to = m[4] + len(target)
	}
	block.Advance(m[1])
	shown := ast.NewTextSegment(text.NewSegment(segment.Start+from, segment.Start+to))
	if embed && imageName.MatchString(strings.TrimSpace(target)) {
		l := ast.NewLink()
		l.Destination = address
		image := ast.NewImage(l)
		if label != "" && !sizes.MatchString(label) {
			image.AppendChild(image, shown)
		}
		return image
	}
	l := ast.NewLink()
	l.Destination = address
	l.AppendChild(l, shown)
	return l
}

// sizes are what Obsidian has for labels of pictures that say how wide they are.
var sizes = regexp.MustCompile(`^\d+(x\d+)?$`)
