package plain_test

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"

	"edgesvc.dev/svc/cli/tui/internal/part/plain"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\nof two lines":  "plain text\nof two lines",
		"a\tb":                      "a    b",
		"\x1b[31mred\x1b]0;x\x07":   "red",
		"👩\u200d👩\u200d👧 family":    "👩 family",
		"❤\ufe0f 👍🏽":                "❤ 👍",
		"z\u0301\u0301\u0301\u0301": "z\u0301\u0301",
		"a\u200bb\u00adc\ufeffd":    "abcd",
		"evil\u202etxt\u2066":       "eviltxt",
		"日本 🙋 🇩🇪":                   "日本 🙋 🇩🇪",
	} {
		if got := plain.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestOneWidth: terminals that know whole clusters and those that add up
// characters come to the same width.
func TestOneWidth(t *testing.T) {
	each := runewidth.NewCondition()
	for _, s := range []string{"👩‍👩‍👧‍👦", "❤️", "👍🏽", "e\u0301", "日本語", "🙋", "\u115f\u3164x", "a\u200d\u200db"} {
		clean, sum := plain.Text(s), 0
		for _, r := range clean {
			sum += each.RuneWidth(r)
		}
		if got := ansi.StringWidth(clean); got != sum {
			t.Errorf("%q becomes %q: %d columns or %d", s, clean, got, sum)
		}
	}
}
