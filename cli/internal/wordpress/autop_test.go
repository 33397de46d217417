package wordpress

import (
	"io"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/exported"
)

// TestAutop: lines become breaks, empty lines paragraphs, and what is a block
// already stays one.
func TestAutop(t *testing.T) {
	for in, want := range map[string]string{
		"one\ntwo\n\nthree":                         "<p>one<br>\ntwo</p>\n<p>three</p>",
		"a<br />\nb":                                "<p>a<br>\nb</p>",
		"text\n<h2>Head</h2>\nmore":                 "<p>text</p>\n<h2>Head</h2>\n<p>more</p>",
		"<ul>\n<li>one</li>\n<li>two</li>\n</ul>":   "<ul>\n<li>one</li>\n<li>two</li>\n</ul>",
		"<pre>a\n\n\nb</pre>":                       "<pre>a\n\n\nb</pre>",
		"<blockquote>one\n\ntwo</blockquote>":       "<blockquote><p>one</p>\n<p>two</p></blockquote>",
		"<a href=\"x\"\ntitle=\"y\">link</a>":       "<p><a href=\"x\" title=\"y\">link</a></p>",
		"<figure><img src=\"x\"></figure>\n\nbelow": "<figure><img src=\"x\"></figure>\n<p>below</p>",
		"  \n\n ":           "",
		"<div>inside</div>": "<div>inside</div>",
		"<script>\nlet a\n\nlet b\n</script>\n\nafter": "<script>\nlet a\n\nlet b\n</script>\n<p>after</p>",
	} {
		if got := strings.TrimSpace(autop(in)); got != want {
			t.Errorf("autop(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

// TestBrackets: what is a mark is translated or left out, what is text stays.
func TestBrackets(t *testing.T) {
	for in, want := range map[string]string{
		"he wrote [sic] and [1], a[0] = b[i]":                  "he wrote [sic] and [1], a[0] = b[i]",
		"[[caption]]":                                          "[caption]",
		"[button link=\"/x\"]Go[/button]":                      "Go",
		"[x_y][z]":                                             "[z]",
		"<code>[gallery ids=\"1\"]</code>":                     "<code>[gallery ids=\"1\"]</code>",
		"[youtube]abcdefghijk[/youtube]":                       "<p><a href=\"https://www.youtube.com/watch?v=abcdefghijk\">www.youtube.com/watch?v=abcdefghijk</a></p>",
		"[youtube https://youtu.be/x&w=1]":                     "<p><a href=\"https://youtu.be/x&amp;w=1\">youtu.be/x&amp;w=1</a></p>",
		"[code lang=“go”]a < b[/code]":                         "<pre><code class=\"language-go\">a &lt; b\n</code></pre>",
		"[caption caption=\"Under\"]<img src=\"x\">[/caption]": "<figure><img src=\"x\"><figcaption>Under</figcaption></figure>",
		"[": "[",
	} {
		c := &content{export: &export{}, item: &item{}, changes: new(changes)}
		if got := c.shortcodes(in); got != want {
			t.Errorf("shortcodes(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}

// FuzzRead: whatever a file says, it is read or refused.
func FuzzRead(f *testing.F) {
	head := `<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><link>https://a.example</link>`
	f.Add(head + `<item><title>A</title><content:encoded><![CDATA[[caption][gallery ids="1"]<!-- wp:block {"ref":1} /-->]]></content:encoded><wp:post_id>1</wp:post_id></item></channel></rss>`)
	f.Add(head + `<item><content:encoded>&lt;!-- wp:code {"language":"go"} --&gt;&lt;pre>x</content:encoded><wp:status>publish</wp:status></item>`)
	f.Fuzz(func(t *testing.T, text string) {
		out, _, err := Read(readers(text), Options{})
		if err != nil {
			return
		}
		for _, e := range out.Entries {
			if e.Key == "" || e.Name == "" {
				t.Errorf("an entry without a name: %+v", e)
			}
		}
	})
}

type changes = exported.Changes

func readers(text string) []io.Reader { return []io.Reader{strings.NewReader(text)} }
