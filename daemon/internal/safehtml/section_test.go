package safehtml_test

import (
	"reflect"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

func TestSections(t *testing.T) {
	type section struct {
		path []string
		text string
	}
	long := strings.Repeat("word ", 80)
	for _, tt := range []struct {
		name, in string
		want     []section
	}{
		{"none", "", nil},
		{"no heading", "<p>One</p><p>two</p>", []section{{nil, "One\ntwo"}}},
		{"before the first", "Intro<h2>A</h2><p>a</p>", []section{{nil, "Intro"}, {[]string{"A"}, "a"}}},
		{"nothing before the first", "<div> <h2>A</h2><p>a</p></div>", []section{{[]string{"A"}, "a"}}},
		{"path", "<h1>T</h1>t<h3>C</h3>c<h2>B</h2><h3>D &amp; <em>E</em></h3>d<h1>U</h1>u", []section{
			{[]string{"T"}, "t"}, {[]string{"T", "C"}, "c"}, {[]string{"T", "B"}, ""}, {[]string{"T", "B", "D & E"}, "d"}, {[]string{"U"}, "u"},
		}},
		{"a heading without text", `<h2>A</h2>a<h2><img src="x"></h2>b<h3/>c`, []section{{[]string{"A"}, "a\nb\nc"}}},
		{"never closed", "<h2>A<h3>B</h3>b<h2>C", []section{{[]string{"A"}, ""}, {[]string{"A", "B"}, "b"}, {[]string{"C"}, ""}}},
		{"never closed, with all the rest", "<h2>" + long, []section{{[]string{strings.TrimSpace(long[:299]) + "…"}, strings.TrimSpace(long)}}},
		{"inside code", "<pre>a\n<h2>b</h2></pre>c", []section{{nil, "a\nb\nc"}}},
		{"in a comment", "<!-- <h2>no</h2> -->a<script><h2>no</h2></script>", []section{{nil, "a"}}},
		{"lists and tables", "<h2>A</h2><ul><li>x</li><li>y</li></ul><table><tr><td>1</td><td>2</td></tr></table>", []section{{[]string{"A"}, "x\ny\n1 2"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []section
			for _, s := range safehtml.Sections(tt.in) {
				got = append(got, section{s.Path, s.Text()})
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// The anchors of sections are the ids of their headings on a page.
func TestAnchors(t *testing.T) {
	in := `Intro<h2>Set up</h2>a<pre><h2>Set up</h2></pre><h3 id="own">Other</h3>b<h2><img></h2><h2>Set up</h2>c<h4>Größe &amp; more`
	got := safehtml.Anchors(in, safehtml.Sections(in))
	if want := []string{"", "set-up", "own", "set-up-2", "größe--more"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzSections holds that no section has text that the document has not, and that
// all of its text is in one.
func FuzzSections(f *testing.F) {
	for _, seed := range []string{
		"Intro<h1>One</h1><p>a<h2>Two<h3>Three</h3><pre> x\n <h2>y</h2></pre><table><tr><td>1<td>2</table>",
		"<h1></h1><h2/>x<h3><h4>a</h5>b", "<script><h1></script><h1>a</h1>", "<h1", "<h2>a<!-- </h2>", "a<h2>b</h2>c</h2>d",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		whole := safehtml.Text(src)
		words := 0
		for _, s := range safehtml.Sections(src) {
			text := s.Text()
			if !strings.Contains(whole, text) {
				t.Fatalf("%q\nhas the section %q, which is not in its text %q", src, text, whole)
			}
			words += len(strings.Fields(text))
			if n := len(s.Path); n > 0 {
				words += len(strings.Fields(s.Path[n-1]))
			}
		}
		if all := len(strings.Fields(whole)); words < all {
			t.Fatalf("%q: %d words of %d are in a section", src, words, all)
		}
	})
}
