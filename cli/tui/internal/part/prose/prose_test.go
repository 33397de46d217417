package prose_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/tui/internal/part/plain"
	"edgesvc.dev/svc/cli/tui/internal/part/prose"
)

const text = "# Head *line*\n\nA **bold**, `code` and [link](https://go.dev). Escaped \\*stars\\* &amp; &copy;.\n" +
	"next line  \nhard break\n\n- one\n- two\n  1. nested\n\n> quoted text goes on and on\n\n" +
	"```go\nfunc main() {\n\tx()\n}\n```\n\n| a | b |\n|---|---|\n| 日本 | x |\n\n---\n<script>x()</script>\n\n![pic](a.png)"

func TestLines(t *testing.T) {
	want := []string{
		"# Head line", "",
		"A bold, code and link", "(https://go.dev). Escaped", "*stars* & ©. next line", "hard break", "",
		"• one", "• two", "  1. nested", "",
		"▎ quoted text goes on and", "▎ on", "",
		"  func main() {", "      x()", "  }", "",
		"a     b", "日本  x", "",
		"────────────────────────", "",
		"  <script>x()</script>", "",
		"[image] pic",
	}
	got := prose.Lines(plain.Text(text), 26, prose.Styles{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzLines: no text makes a line too wide, or steers the terminal.
func FuzzLines(f *testing.F) {
	f.Add(text, 20)
	f.Add("&#27;[31m &#x202e; \\\u202e `\x1b]0;x\x07` [a](&#155;31m) "+strings.Repeat("長", 60), 7)
	f.Add(strings.Repeat("> ", 40)+"deep\n"+strings.Repeat(" ", 9)+"- a\n1. b", 3)
	f.Fuzz(func(t *testing.T, markdown string, width int) {
		width = 1 + max(width, -width)%200
		if width < 1 {
			width = 1
		}
		for _, l := range prose.Lines(plain.Text(markdown), width, prose.Styles{}) {
			if n := ansi.StringWidth(l); n > width {
				t.Errorf("%d columns where there are %d: %q", n, width, l)
			}
			if strings.ContainsFunc(l, terminal.Unsafe) || strings.ContainsAny(l, "\n\t") {
				t.Errorf("unsafe: %q", l)
			}
		}
	})
}
