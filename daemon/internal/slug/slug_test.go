package slug_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/slug"
)

var names = slug.Names{Noun: "post", Counter: "n", Reserved: []string{"search"}}

func TestOf(t *testing.T) {
	for title, want := range map[string]string{
		"Hello, World!":             "hello-world",
		"Größe & Maß":               "grosse-and-mass",
		"Ελλάδα":                    "ellada",
		"Привет, мир":               "privet-mir",
		"日本語の題":                     "日本語の題",
		"Go が好き":                    "go-が好き",
		"한국어 제목":                    "한국어-제목",
		"हिन्दी में":                "हिन्दी-में",
		"مرحبا بالعالم":             "مرحبا-بالعالم",
		"ＦＵＬＬ width ①":              "full-width-1",
		"🚀":                         "post",
		"":                          "post",
		"Search":                    "search-2",
		strings.Repeat("長", 60):     strings.Repeat("長", 33),
		"e\u0301te\u0301 caf\u00e9": "ete-cafe",
	} {
		got := names.Of(title)
		if got != want {
			t.Errorf("%q gives %q, want %q", title, got, want)
		}
		if code, message := names.Check(got); code != "" {
			t.Errorf("%q gives %q, which %s", title, got, message)
		}
	}
}

func TestCheck(t *testing.T) {
	for s, want := range map[string]string{
		"a-b2": "", "": "", "日本語": "", "größe": "", "search": "reserved",
		"A": "pattern", "a--b": "pattern", "-a": "pattern", "a-": "pattern", "a b": "pattern", "É": "pattern", "e\u0301": "pattern", "a/b": "pattern", "a\xff": "pattern",
	} {
		if code, _ := names.Check(s); code != want {
			t.Errorf("%q: %q, want %q", s, code, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Go が好き")
	f.Fuzz(func(t *testing.T, title string) {
		if got := names.Of(title); !utf8.ValidString(got) || len(got) > slug.Max {
			t.Fatalf("%q gives %q", title, got)
		} else if code, message := names.Check(got); code != "" {
			t.Fatalf("%q gives %q, which %s", title, got, message)
		}
	})
}
