package text_test

import (
	"testing"

	"edgesvc.dev/svc/daemon/internal/text"
)

func TestUnfinished(t *testing.T) {
	for content, want := range map[string]int{
		"":                                       0,
		"<p>All of it.</p>":                      0,
		"<p>[to complete] Prices. [to complete]": 2,
		"<pre><code>[to complete]</code></pre><p>Done</p>": 0,
		"<p><code>x</code> [to complete]</p></code>":       1,
		`<a title="[to complete]">x</a>`:                   0,
		"[to complete]":                                    1,
	} {
		if got := text.Unfinished(content); got != want {
			t.Errorf("%q: %d, want %d", content, got, want)
		}
	}
}
