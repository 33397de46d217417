package safehtml_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

func TestSummarize(t *testing.T) {
	long := strings.Repeat("word ", 100)
	tests := []struct {
		name, in, excerpt string
		words             int
	}{
		{"empty", "", "", 0},
		{"paragraphs", "<p>One two.</p><p>Three</p>", "One two. Three", 3},
		{"inline tags join", "<p>un<b>believ</b>able</p>", "unbelievable", 1},
		{"line break parts", "one<br>two", "one two", 2},
		{"headings count but do not open", "<h1>Big title</h1><p>Body text</p>", "Body text", 4},
		{"headings when there is nothing else", "<h1>Big title</h1>", "Big title", 2},
		{"code counts but does not open", "<pre><code>x := 1</code></pre><p>It sets x.</p>", "It sets x.", 5},
		{"entities", "<p>Fish &amp; chips&nbsp;now &lt;3</p>", "Fish & chips now <3", 4},
		{"hidden text", "<style>p{color:red}</style><script>if (a < b) c()</script><!-- no > <b>no</b> --><p>Shown</p>", "Shown", 1},
		{"quoted angle brackets", `<p title="a > b" data-x='>'>Shown</p>`, "Shown", 1},
		{"angle bracket in text", "3 < 4 and 5 > 4", "3 < 4 and 5 > 4", 5},
		{"apostrophes and hyphens", "<p>Don't re-enter — ever!</p>", "Don't re-enter — ever!", 3},
		{"Japanese", "<p>今日は良い天気。</p>", "今日は良い天気。", 4},
		{"Arabic", "<p>مرحبا بالعالم</p>", "مرحبا بالعالم", 2},
		{"cut between words", "<p>" + long + "</p>", strings.TrimSpace(long[:240]) + "…", 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			excerpt, words := safehtml.Summarize(tt.in)
			if excerpt != tt.excerpt || words != tt.words {
				t.Errorf("Summarize(%q)\n got %q, %d\nwant %q, %d", tt.in, excerpt, words, tt.excerpt, tt.words)
			}
		})
	}
}

func TestExcerptLength(t *testing.T) {
	for _, in := range []string{strings.Repeat("漢", 400), strings.Repeat("long ", 90), strings.Repeat("x", 500)} {
		for _, n := range []int{1, 2, 20, 160} {
			got := safehtml.Excerpt(in, n)
			if length := utf8.RuneCountInString(got); length > n || !strings.HasSuffix(got, "…") {
				t.Errorf("Excerpt(%.9s…, %d) = %q: %d characters", in, n, got, length)
			}
		}
	}
}

func TestReadingMinutes(t *testing.T) {
	for words, want := range map[int]int{0: 0, 1: 1, 200: 1, 201: 2, 1000: 5} {
		if got := safehtml.ReadingMinutes(words); got != want {
			t.Errorf("ReadingMinutes(%d) = %d, want %d", words, got, want)
		}
	}
}

func TestText(t *testing.T) {
	in := "<h1>Title</h1>\n<p>One\n  <em>two</em></p><ul><li>a</li><li>b</li></ul><pre>  x\n    y</pre><table><tr><td>c</td><td>d</td></tr></table><script>no</script>"
	want := "Title\nOne two\na\nb\n  x\n    y\nc d"
	if got := safehtml.Text(in); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestHeadings(t *testing.T) {
	in := `<h1>One <em>and</em> only</h1><p id="deep--wide">x</p><h3>Deep &amp; wide</h3><h2></h2><h2 ID='own id'>Bad id</h2>` +
		`<h2 id=mine>Mine</h2><h2>Mine</h2><h2 data-a='id="no"'>Last<h3>One and only</h3><a name="x">y</a>`
	want := []safehtml.Heading{
		{Level: 1, Text: "One and only", ID: "one-and-only"}, {Level: 3, Text: "Deep & wide", ID: "deep--wide-1"},
		{Level: 2, Text: "Bad id", ID: "bad-id"}, {Level: 2, Text: "Mine", ID: "mine"}, {Level: 2, Text: "Mine", ID: "mine-1"},
		{Level: 2, Text: "Last", ID: "last"}, {Level: 3, Text: "One and only", ID: "one-and-only-1"},
	}
	if got := safehtml.Headings(in); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := safehtml.Headings(safehtml.Sanitize(in)); !reflect.DeepEqual(got, want) {
		t.Errorf("sanitised it has other headings: %+v", got)
	}
}
