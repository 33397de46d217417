package llm_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/llm"
)

func TestToSentence(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two is":                 "One.",
		"One. Two.":                   "One. Two.",
		"He said “go.” Then he":       "He said “go.”",
		"Version 1.2 of the":          "Version 1.2 of…",
		"静けさ。毎日":                      "静けさ。",
		"1. First\n2. Second\n3. Thi": "1. First\n2. Second",
		"no end at all her":           "no end at all…",
		"word":                        "word…",
		"":                            "",
		"  ":                          "",
		"**Yes!** And the":            "**Yes!**",
	} {
		if got := llm.ToSentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzToSentence(f *testing.F) {
	f.Add("One. Two is")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		if got := strings.TrimSuffix(llm.ToSentence(text), "…"); !strings.HasPrefix(text, got) {
			t.Errorf("%q is not the beginning of %q", got, text)
		}
	})
}
