package safehtml

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	rawhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// Markdown converts GitHub Flavored Markdown to HTML. Raw HTML in src is left
// out: it is rarely meant in text that a model wrote. Task boxes become the
// characters ☐ and ☑, because pages show no form controls. It fails with ErrDense
// alone.
func Markdown(src string) (string, error) {
	if denseMarkdown([]byte(src)) {
		return "", ErrDense
	}
	var out bytes.Buffer
	if err := gfm().Convert([]byte(src), &out); err != nil {
		return "", fmt.Errorf("convert Markdown: %w", err)
	}
	return out.String(), nil
}

// MarkdownAndHTML is Markdown with the raw HTML that is in it: what a person wrote.
// It is not safe to show before Sanitize.
func MarkdownAndHTML(src string) (string, error) {
	if denseMarkdown([]byte(src)) {
		return "", ErrDense
	}
	var out bytes.Buffer
	if err := gfmAndHTML().Convert([]byte(src), &out); err != nil {
		return "", fmt.Errorf("convert Markdown: %w", err)
	}
	return out.String(), nil
}

// ToMarkdown converts HTML to GitHub Flavored Markdown. It fails with ErrDense, or
// where elements nest too deeply to be parsed.
func ToMarkdown(src string) (string, error) {
	doc, err := html.Parse(strings.NewReader(src))
	if err != nil {
		return "", fmt.Errorf("convert to Markdown: %w", err)
	}
	if denseHTML(doc) {
		return "", ErrDense
	}
	out, err := toMarkdown().ConvertNode(doc)
	if err != nil {
		return "", fmt.Errorf("convert to Markdown: %w", err)
	}
	return string(out), nil
}

var (
	gfm        = sync.OnceValue(func() goldmark.Markdown { return flavored() })
	gfmAndHTML = sync.OnceValue(func() goldmark.Markdown { return flavored(goldmark.WithRendererOptions(rawhtml.WithUnsafe())) })
)

func flavored(options ...goldmark.Option) goldmark.Markdown {
	return goldmark.New(append(options, goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.Linkify, taskList{},
	))...)
}

var toMarkdown = sync.OnceValue(func() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		strikethrough.NewStrikethroughPlugin(), table.NewTablePlugin(),
	))
})

// taskList is goldmark's extension with characters in place of inputs.
type taskList struct{}

func (taskList) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(extension.NewTaskCheckBoxParser(), 0)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(taskList{}, 500)))
}

func (taskList) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extast.KindTaskCheckBox, func(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		box := "☐ "
		if node.(*extast.TaskCheckBox).IsChecked {
			box = "☑ "
		}
		_, err := w.WriteString(box)
		return ast.WalkContinue, err
	})
}
