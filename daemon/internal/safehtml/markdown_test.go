package safehtml_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

const markdown = `## Plan

Some *text* with a [link](https://example.com) and ~~no~~ doubt.

- [x] done
- [ ] open

| a | b |
|---|--:|
| 1 | 2 |

` + "```go\nfmt.Println(\"<hi>\")\n```\n"

func TestMarkdownSurvivesSanitize(t *testing.T) {
	html, err := safehtml.Markdown(markdown)
	if err != nil {
		t.Fatal(err)
	}
	shown := safehtml.Sanitize(html)
	for _, want := range []string{
		"<h2>Plan</h2>", "<em>text</em>", `<a href="https://example.com" rel="noopener nofollow">link</a>`, "<del>no</del>",
		"<li>☑ done</li>", "<li>☐ open</li>", `<td align="right">2</td>`, `<code class="language-go">fmt.Println(&#34;&lt;hi&gt;&#34;)`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in %s", want, shown)
		}
	}
}

func TestMarkdownLeavesRawHTMLOut(t *testing.T) {
	html, err := safehtml.Markdown("a <b onclick=x>b</b>\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(html, "<script") || strings.Contains(html, "<b") || strings.Contains(html, "javascript:") {
		t.Errorf("got %s", html)
	}
}

func TestToMarkdownRoundTrip(t *testing.T) {
	html, err := safehtml.Markdown(markdown)
	if err != nil {
		t.Fatal(err)
	}
	back, err := safehtml.ToMarkdown(html)
	if err != nil {
		t.Fatal(err)
	}
	again, err := safehtml.Markdown(back)
	if err != nil {
		t.Fatal(err)
	}
	if again != html {
		t.Errorf("by way of\n%s\ngot\n%s\nwant\n%s", back, again, html)
	}
}
