package postfile

import (
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// harmless are the elements that Markdown may hold as HTML: what people write
// where Markdown has no mark for it. Nothing that loads, runs or submits.
var harmless = wordSet(`a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em
	figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp section small
	span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr`)

// attributes that such an element keeps; the others are of no use to a post,
// or run something.
var attributes = wordSet(`abbr align alt cite class colspan datetime dir height href id lang open reversed rowspan
	scope src start title type value width`)

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(words) {
		m[word] = true
	}
	return m
}

// rawHTML renders the HTML inside Markdown: harmless elements stay, the names
// of others are collected in omitted.
type rawHTML struct {
	place   func(path string) (string, error)
	omitted []string
}

// RegisterFuncs implements goldmark's renderer.NodeRenderer.
func (r *rawHTML) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		return ast.WalkSkipChildren, r.write(w, string(n.(*ast.RawHTML).Segments.Value(source)))
	})
	register.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		block := n.(*ast.HTMLBlock)
		text := string(block.Lines().Value(source))
		if block.HasClosure() {
			text += string(block.ClosureLine.Value(source))
		}
		return ast.WalkContinue, r.write(w, text)
	})
}

// write keeps what is harmless of a piece of HTML. The text of an element that
// is left out goes with it, as far as the piece reaches.
func (r *rawHTML) write(w util.BufWriter, text string) error {
	tokens := html.NewTokenizer(strings.NewReader(text))
	skipping := ""
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return nil // the end; what is no whole tag there is dropped
		}
		t := tokens.Token()
		switch {
		case kind == html.CommentToken || kind == html.DoctypeToken:
		case skipping != "":
			if kind == html.EndTagToken && t.Data == skipping {
				skipping = ""
			}
		case kind == html.TextToken:
			_, _ = w.WriteString(t.String()) // a bufio.Writer keeps its error for Flush
		case !harmless[t.Data]:
			if kind == html.StartTagToken {
				r.omit(t.Data)
				skipping = t.Data
			}
		default:
			if err := r.attributes(&t); err != nil {
				return err
			}
			_, _ = w.WriteString(t.String())
		}
		if kind == html.SelfClosingTagToken && !harmless[t.Data] {
			r.omit(t.Data)
		}
	}
}

func (r *rawHTML) omit(name string) {
	if !slices.Contains(r.omitted, name) {
		r.omitted = append(r.omitted, name)
	}
}

// attributes drops those that posts have no use for and places an image.
func (r *rawHTML) attributes(t *html.Token) error {
	t.Attr = slices.DeleteFunc(t.Attr, func(a html.Attribute) bool {
		return !attributes[a.Key] || (a.Key == "href" || a.Key == "src" || a.Key == "cite") && !safeAddress(a.Val)
	})
	for i, a := range t.Attr {
		if t.Data != "img" || a.Key != "src" || !Relative(a.Val) {
			continue
		}
		address, err := r.place(a.Val)
		if err != nil {
			return err
		}
		t.Attr[i].Val = address
	}
	return nil
}

func safeAddress(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && slices.Contains([]string{"", "http", "https", "mailto", "tel"}, u.Scheme)
}
