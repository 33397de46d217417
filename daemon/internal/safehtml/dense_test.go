package safehtml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

func TestDense(t *testing.T) {
	wide := "|" + strings.Repeat("a|", 4096) + "\n|" + strings.Repeat("-|", 4096) + "\n"
	markdown := map[string]string{
		"links left open":    strings.Repeat("[a](", 1<<16),
		"emphasis left open": strings.Repeat("*a_", 1<<16),
		"quotes in quotes":   strings.Repeat("> ", 1<<14),
		"lists in lists":     strings.Repeat("1. ", 1<<14),
		"references":         strings.Repeat("[x]: y\n", 1<<14),
		"a deep list":        indented(900),
		"a table to fill":    wide + strings.Repeat("|x\n", 4096),
		"tables to fill":     strings.Repeat(wide+"|x\n|x\n|x\n\n", 20),
	}
	for name, src := range markdown {
		if _, err := safehtml.Markdown(src); !errors.Is(err, safehtml.ErrDense) {
			t.Errorf("Markdown with %s: %v", name, err)
		}
	}
	html := map[string]string{
		"brackets":        strings.Repeat("[", 1<<17),
		"a table to fill": "<table><tr>" + strings.Repeat("<td>", 4096) + strings.Repeat("<tr><td>", 4096),
	}
	for name, src := range html {
		if _, err := safehtml.ToMarkdown(src); !errors.Is(err, safehtml.ErrDense) {
			t.Errorf("HTML with %s: %v", name, err)
		}
	}
}

func indented(depth int) string {
	var list strings.Builder
	for i := range depth {
		list.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return list.String()
}

func TestDenseLeavesLongTextAlone(t *testing.T) {
	var long strings.Builder
	for i := range 500 {
		fmt.Fprintf(&long, "## Part %d\n\nText with *emphasis*, [links](https://example.com/%d), `code` and **more**, [twice](/x).\n\n", i, i)
		fmt.Fprintf(&long, "- item\n  - inside\n    1. deeper\n\n> > quoted\n\n```py\n>>> a[i] * b[j]\n```\n\n")
	}
	long.WriteString("| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n" + strings.Repeat("| 1 | 2 | 3 | 4 | 5 | 6 |\n", 400))
	html, err := safehtml.Markdown(long.String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := safehtml.ToMarkdown(html); err != nil {
		t.Fatal(err)
	}
}

func TestToMarkdownIgnoresSpans(t *testing.T) {
	got, err := safehtml.ToMarkdown(`<table><tr><th colspan=100000000>a</th></tr><tr><td rowspan=100000000>b</td></tr></table>`)
	if err != nil || len(got) > 100 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
