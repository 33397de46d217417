package postfile

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Render is the body as HTML. Markdown is GitHub's dialect; of HTML inside it
// the harmless elements stay, and omitted names those that were left out. Each
// relative image goes through place, which returns its address.
func (f *File) Render(place func(path string) (string, error)) (html string, omitted []string, err error) {
	if f.HTML {
		return strings.TrimRight(f.Body, "\n"), nil, nil
	}
	raw := &rawHTML{place: place}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(raw, 100))))
	source := []byte(f.Body)
	doc := md.Parser().Parse(text.NewReader(source))
	if err := placeImages(doc, place); err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, source, doc); err != nil {
		return "", nil, fmt.Errorf("render Markdown: %w", err)
	}
	return strings.TrimRight(b.String(), "\n"), raw.omitted, nil
}

func placeImages(doc ast.Node, place func(string) (string, error)) error {
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		image, ok := n.(*ast.Image)
		if !ok || !entering || !Relative(string(image.Destination)) {
			return ast.WalkContinue, nil
		}
		address, err := place(string(image.Destination))
		if err != nil {
			return ast.WalkStop, err
		}
		image.Destination = []byte(address)
		return ast.WalkContinue, nil
	})
}

// Relative reports whether an image's destination is a path beside the file.
func Relative(destination string) bool {
	u, err := url.Parse(destination)
	return err == nil && u.Scheme == "" && u.Host == "" && u.Path != "" && !strings.HasPrefix(u.Path, "/")
}

// Images lists the relative images of the body and of the front matter, and
// what rendering leaves out.
func (f *File) Images() (paths, omitted []string, err error) {
	if f.Image != nil && Relative(f.Image.URL) {
		paths = append(paths, f.Image.URL)
	}
	_, omitted, err = f.Render(func(path string) (string, error) {
		paths = append(paths, path)
		return path, nil
	})
	return paths, omitted, err
}

// Markdown is HTML as Markdown. What Markdown cannot say is lost: see Lossy.
func Markdown(html string) (string, error) {
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)), table.NewTablePlugin(), strikethrough.NewStrikethroughPlugin()))
	md, err := conv.ConvertString(html)
	if err != nil {
		return "", fmt.Errorf("turn HTML into Markdown: %w", err)
	}
	return strings.TrimSpace(md) + "\n", nil
}

// lossyTags are elements whose meaning Markdown cannot carry.
var lossyTags = []string{"<iframe", "<video", "<audio", "<form", "<svg", "<object", "<embed", "<style", "<figure", "<details", "<div", "<span", "<kbd", "<sub", "<sup", "<mark", "<abbr", "<ruby", "<dl"}

// Lossy reports whether html has elements that Markdown would drop.
func Lossy(html string) bool {
	lower := strings.ToLower(html)
	for _, tag := range lossyTags {
		if strings.Contains(lower, tag) {
			return true
		}
	}
	return false
}
