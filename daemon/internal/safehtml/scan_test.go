package safehtml_test

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// The hand-written scanner sees the words that a full parse sees, whatever
// fragments meet.
func TestWordsAsParsed(t *testing.T) {
	fragments := rapid.SampledFrom([]string{
		"one", "two ", " ", "\n", "3 < 4", "&amp;", "&lt;b&gt;", "a&nbsp;b", "漢字", "it's", "<", ">", "</", "é",
		"<p>", "</p>", "<P CLASS=x>", "<b>", "</b>", "<br>", "<br/>", "<li>", "<h2>", "</h2>", "<img alt='a > b'>",
		`<a href="x>y">`, "</a>", "<a href=x>", "<!-- in > side -->", "<!doctype html>", "<?xml no?>", "</ nothing>",
		"<script>if (a<b) c('</p>')</script>", "<STYLE>p > a {}</style>", "<title>hidden</Title>", "<textarea><b>hidden</textarea>",
		`<p title = "x > y" data-a='"'>`,
	})
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOf(fragments).Draw(t, "fragments"), "")
		if got, want := safehtml.WordCount(src), parsedWords(t, src); got != want {
			t.Fatalf("%q has %d words, parsed %d", src, got, want)
		}
	})
}

// parsedWords counts the words of what the tokenizer of x/net/html finds, as
// text without markup.
func parsedWords(t *rapid.T, src string) int {
	var text strings.Builder
	z := html.NewTokenizer(strings.NewReader(src))
	hidden := false
	for z.Next() != html.ErrorToken {
		token := z.Token()
		switch {
		case token.Type == html.TextToken && !hidden:
			text.WriteString(html.EscapeString(token.Data))
		case token.Type == html.StartTagToken || token.Type == html.EndTagToken || token.Type == html.SelfClosingTagToken:
			switch token.DataAtom {
			case atom.P, atom.Br, atom.Li, atom.H2:
				text.WriteByte(' ')
			}
		}
		switch token.DataAtom {
		case atom.Script, atom.Style, atom.Title, atom.Textarea:
			hidden = token.Type == html.StartTagToken
		}
	}
	if z.Err() != io.EOF {
		t.Fatal(z.Err())
	}
	return safehtml.WordCount(text.String())
}
