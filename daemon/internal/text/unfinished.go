package text

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ToComplete marks a place in a text that a person has to write: where a
// generated text would have to invent something.
const ToComplete = "[to complete]"

// Unfinished counts the places of an HTML text that are still to be written. A
// mark in code is an example of one.
func Unfinished(content string) int {
	if !strings.Contains(content, ToComplete) {
		return 0
	}
	n, code := 0, 0
	for z := html.NewTokenizer(strings.NewReader(content)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return n
		}
		token := z.Token()
		isCode := token.DataAtom == atom.Code || token.DataAtom == atom.Pre
		switch {
		case kind == html.StartTagToken && isCode:
			code++
		case kind == html.EndTagToken && isCode:
			code = max(0, code-1)
		case kind == html.TextToken && code == 0:
			n += strings.Count(token.Data, ToComplete)
		}
	}
}
