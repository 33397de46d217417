package search

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// found is what a question finds, of documents that have the text.
func found(question string, texts ...string) *Found {
	var docs []*Document
	for i, text := range texts {
		docs = append(docs, &Document{ID: string(rune('a' + i)), Title: "Title", HTML: "<p>" + text + "</p>"})
	}
	return newView(pack(docs...), 1).find(Query{Text: question, Limit: 10})
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("Nothing of the kind stands here, and so on it goes for long. ", 3)
	for _, tt := range []struct{ name, question, text, marks, has string }{
		{"words and forms", "refunded parcels", "A refund comes when the parcel is back.", "refund parcel", "A refund comes"},
		{"of another word", "invoice", "The bill is in the box.", "bill", "The bill"},
		{"a slip", "refnud", "A refund comes.", "refund", ""},
		{"a compound once", "sign-up", "The sign-up is free", "sign-up", ""},
		{"in the middle of a long text", "giraffe", filler + "The giraffe eats " + filler, "giraffe", "The giraffe eats"},
		{"one long sentence", "giraffe neck", strings.Repeat("word ", 50) + "the giraffe has a neck " + strings.Repeat("word ", 50), "giraffe neck", "…"},
		{"outside the first plane", "parcel", "😀 𝒳 the parcel 😀", "parcel", "😀"},
		{"without spaces", "返品", "商品の返品について", "返品", ""},
		{"nothing of it", "giraffe", "The lion roars.", "", "The lion roars."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := found(tt.question, tt.text, "giraffe refund invoice parcel")
			s := f.Snippet(tt.text)
			units := utf16.Encode([]rune(s.Text))
			var marked []string
			for _, m := range s.Marks {
				marked = append(marked, string(utf16.Decode(units[m[0]:m[1]])))
			}
			if got := strings.Join(marked, " "); got != tt.marks || !strings.Contains(s.Text, tt.has) {
				t.Errorf("%q marks %q, want %q and %q", s.Text, got, tt.marks, tt.has)
			}
			if n := utf8.RuneCountInString(s.Text); n > maxSnippet {
				t.Errorf("%d characters", n)
			}
			for part := range strings.SplitSeq(strings.Trim(s.Text, "…"), "…") {
				if !strings.Contains(tt.text, strings.TrimSpace(part)) {
					t.Errorf("%q does not stand in the text", part)
				}
			}
		})
	}
}

// The passage of a text is a part of it, word for word, with the words that were
// searched for.
func TestPassage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, question, html, want string }{
		{"a line", "refund", "<p>One thing.</p><p>A refund takes five days.</p><p>A refund.</p>", "A refund takes five days."},
		{"most words", "refund days", "<p>A refund.</p><p>A refund takes five days.</p>", "A refund takes five days."},
		{"sentences of a long line", "giraffe", "<p>" + strings.Repeat("Not here. ", 40) + "The giraffe.</p>", "The giraffe."},
		{"a row of a table", "giraffe", "<table><tr><th>Animal</th><th>Neck</th></tr><tr><td>giraffe</td><td>long</td></tr></table>", "giraffe long"},
		{"code", "giraffe", "<pre>  one\n\n  giraffe = long\n</pre>", "giraffe = long"},
		{"smart quotes", "giraffe", "<p>The “giraffe” isn’t short</p>", "The “giraffe” isn’t short"},
		{"nothing", "giraffe", "", ""},
		{"a label above a text without the words", "giraffe", "<p>Info</p><p>The lion roars in the morning.</p>", "The lion roars in the morning."},
		{"a label with the words", "giraffe", "<p>A giraffe</p><p>The lion roars in the morning.</p>", "A giraffe"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := safehtml.Text(tt.html)
			f := found(tt.question, "giraffe refund days", text)
			if got := f.Passage(text); !strings.Contains(got, tt.want) || !strings.Contains(text, got) || len(got) > maxPassage {
				t.Errorf("%q of %q, want %q", got, text, tt.want)
			}
		})
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"refund", "refund", 0}, {"refnud", "refund", 1}, {"refun", "refund", 1}, {"refunds", "refund", 1}, {"rafund", "refund", 1},
		{"subscribtion", "subscription", 1}, {"adress", "address", 1}, {"abc", "xyz", 3}, {"", "ab", 2}, {"kitten", "sitting", 3},
	} {
		if got := distance(c.a, c.b, 3); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if c.want > 1 && distance(c.a, c.b, 1) <= 1 {
			t.Errorf("%s and %s are near", c.a, c.b)
		}
	}
}

func TestInterleave(t *testing.T) {
	t.Parallel()
	list := func(names string) (hits []Hit) {
		for name := range strings.FieldsSeq(names) {
			hits = append(hits, Hit{ID: name})
		}
		return hits
	}
	got := ids(interleave(list("a b c"), list("d c b e"), 4))
	if want := []string{"b", "c", "a", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
