package terminal_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/terminal"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":              "plain\ttext\n",
		"\x1b]0;title\x07gone":       "gone",
		"\x1b[31mred\x1b[0m":         "red",
		"bell\x07 back\x08 del\x7f":  "bell back del",
		"c1 \u009b31m":               "c1 31m",
		"ab\u202egnp.exe":            "abgnp.exe",
		"\u2066x\u2069\u200f":        "x",
		"bad\xffbyte":                "bad\ufffdbyte",
		"日本 é 🙋":                     "日本 é 🙋",
		"over\rwritten":              "overwritten",
		"\x1b]8;;http://x\x1b\\link": "link",
	} {
		if got := terminal.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := terminal.Line("two\nlines\there"); got != "two lines here" {
		t.Errorf("Line gave %q", got)
	}
}

func TestCutAndPadCountColumns(t *testing.T) {
	if got := terminal.Cut("日本語", 4); terminal.Width(got) > 4 || !strings.HasSuffix(got, "…") {
		t.Errorf("cut to %q, %d columns", got, terminal.Width(got))
	}
	if got := terminal.Pad("日本", 6); terminal.Width(got) != 6 {
		t.Errorf("padded to %d columns", terminal.Width(got))
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31m\u202e\x9b\xc2")
	f.Fuzz(func(t *testing.T, s string) {
		clean := terminal.Clean(s)
		if strings.ContainsFunc(clean, terminal.Unsafe) {
			t.Errorf("Clean(%q) = %q", s, clean)
		}
		if again := terminal.Clean(clean); again != clean {
			t.Errorf("Clean changes its own result %q to %q", clean, again)
		}
	})
}
