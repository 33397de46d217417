package field_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/field"
)

func TestClip(t *testing.T) {
	for _, row := range []struct {
		in   string
		most int
		want string
	}{
		{"curl/8.5.0", 300, "curl/8.5.0"},
		{"", 3, ""},
		{"abcdef", 3, "abc"},
		{"Mozilla\xff", 300, "Mozilla\uFFFD"},
		{"a\r\nb\x00\x1b[31mc\x7f", 300, "ab[31mc"},
		{"a\u0085b", 300, "ab"},
		{"ää", 3, "ä"},
		{"日本", 5, "日"},
		{"日本", 2, ""},
		{"x日本", 6, "x日"},
		{"\xff\xff", 4, "\uFFFD"},
	} {
		if got := field.Clip(row.in, row.most); got != row.want {
			t.Errorf("%q to %d: %q, want %q", row.in, row.most, got, row.want)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("Mozilla\xff", 4)
	f.Fuzz(func(t *testing.T, s string, most int) {
		most &= 0xff
		got := field.Clip(s, most)
		if !utf8.ValidString(got) || len(got) > most || field.HasControl(got, "") {
			t.Fatalf("%q to %d: %q", s, most, got)
		}
		if utf8.ValidString(s) && !field.HasControl(s, "") && !strings.HasPrefix(s, got) {
			t.Fatalf("%q to %d: %q", s, most, got)
		}
	})
}
