package safehtml_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// post is about 2 KB of article markup.
var post = strings.Repeat(`<h2>Notes &amp; plans</h2>
<p>The quick brown fox <strong>jumps</strong> over the <a href="https://example.com/dog">lazy dog</a>, again and again.</p>
<ul><li>One thing with <code>code</code></li><li>Another thing that matters</li></ul>
<p>Some more text that goes on for a while so that the paragraph is of ordinary length for a post like this one.</p>
`, 5)

func BenchmarkSummarize(b *testing.B) {
	b.SetBytes(int64(len(post)))
	for b.Loop() {
		safehtml.Summarize(post)
	}
}

func BenchmarkSanitize(b *testing.B) {
	b.SetBytes(int64(len(post)))
	for b.Loop() {
		safehtml.Sanitize(post)
	}
}

func BenchmarkMarkdown(b *testing.B) {
	for b.Loop() {
		if _, err := safehtml.Markdown("# Title\n\nSome *text* with [links](https://example.com) and `code`.\n\n- [x] done\n- [ ] open\n"); err != nil {
			b.Fatal(err)
		}
	}
}
