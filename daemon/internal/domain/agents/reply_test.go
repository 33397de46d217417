package agents_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/domain/agents"
)

func TestFilter(t *testing.T) {
	for in, want := range map[string]string{
		`Five days [[1|"paid within five days"]]. More [[2]]`: "Five days. More",
		"a [[1]] b":                  "a b",
		"a[[1]]b":                    "ab",
		"list\n\n[[1]]\n\nnext":      "list\n\n\n\nnext",
		"[x](https://a.example) [1]": "[x](https://a.example) [1]",
		"arr[[1,2]] and [[wiki]]":    "arr[[1,2]] and [[wiki]]",
		"[[[1]][1]] x":               "[ [1]] x",
		"![p](https://e.example/?q)": "! [p](https://e.example/?q)",
		"!![[1]][p](u)":              "!! [p](u)",
		"cut off [[1|\"quo":          "cut off",
		"cut off [[":                 "cut off",
		"a bracket [":                "a bracket [",
		"  led in  ":                 "led in",
		"bell\a and \x1b[31mred":     "bell and [31mred",
		"[[1: 'other' style]] ok":    "ok",
		"[[123]] no mark":            "[[123]] no mark",
		"code `a[0][1]` stays":       "code `a[0][1]` stays",
		"[[1|a]b]] end":              "end",
	} {
		deltas, _ := agents.Filtered(1000, in)
		if got := strings.Join(deltas, ""); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMarkThatNeverEndsIsText(t *testing.T) {
	rest := strings.Repeat("word ", 400)
	deltas, _ := agents.Filtered(10_000, "Begin [[1|"+rest+"end.")
	if got := strings.Join(deltas, ""); !strings.HasPrefix(got, "Begin word") || !strings.HasSuffix(got, "word end.") {
		t.Errorf("%q", got)
	}
}

var anyMark = regexp.MustCompile(`\[\[\d{1,2}(\]\]|[|:])`)

// However a text is cut, the visitor sees the same, and no mark or picture in
// it.
func FuzzFilter(f *testing.F) {
	f.Add(`Five [[1|"days"]]. ![p](u) [[[1]][1]] [[[[1]]1]]`, uint8(3), uint16(500))
	f.Add("a [[12|quo]te]] !\n[[1]]\x1b[31m é[[7:", uint8(1), uint16(9))
	f.Fuzz(func(t *testing.T, text string, size uint8, limit uint16) {
		whole, cited := agents.Filtered(int(limit), text)
		want := strings.Join(whole, "")
		var pieces []string
		for rest := []rune(text); len(rest) > 0; {
			n := min(len(rest), int(size%7)+1)
			pieces = append(pieces, string(rest[:n]))
			rest = rest[n:]
		}
		deltas, again := agents.Filtered(int(limit), pieces...)
		if got := strings.Join(deltas, ""); got != want || len(again) != len(cited) {
			t.Fatalf("cut in pieces %q, whole %q", got, want)
		}
		if anyMark.MatchString(want) || strings.Contains(want, "![") {
			t.Fatalf("a mark or a picture in %q", want)
		}
		if n := utf8.RuneCountInString(want); n > int(limit) || !utf8.ValidString(want) || want != strings.TrimSpace(want) {
			t.Fatalf("%d characters of %d: %q", n, limit, want)
		}
	})
}

func FuzzRender(f *testing.F) {
	f.Add("**a** <script>alert(1)</script> [x](javascript:alert(1)) ![i](https://e.example)")
	f.Fuzz(func(t *testing.T, text string) {
		html := strings.ToLower(agents.Render(text))
		for _, bad := range []string{"<script", "<img", "<iframe", "<style", `href="javascript`, `href="data`, `href="mailto`} {
			if strings.Contains(html, bad) {
				t.Fatalf("%s in %q", bad, html)
			}
		}
	})
}
