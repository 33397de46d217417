package substack

import (
	"testing"
	"testing/fstest"
)

// FuzzRead: whatever an export says, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add("post_id,title,is_published,post_date\n1.a,T,true,2020-01-01T00:00:00Z\n", `<div class="image-gallery-embed" data-attrs='{"gallery":{"images":[1,{"src":2}]}}'></div>`)
	f.Add("\ufeffpost_id\n\"1.../../x\"\n", `<div class="footnote"><a class="footnote-number">1</a></div><a class="image-link"><img></a>`)
	f.Fuzz(func(t *testing.T, list, text string) {
		out, _, err := Read(fstest.MapFS{"posts.csv": {Data: []byte(list)}, "posts/1.a.html": {Data: []byte(text)}}, "")
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

// TestNamesOutside: a list cannot name files outside of the export.
func TestNamesOutside(t *testing.T) {
	out, _, err := Read(fstest.MapFS{"posts.csv": {Data: []byte("post_id,title,is_published\n../../etc/passwd,T,true\n")}, "etc/passwd.html": {Data: []byte("x")}}, "")
	if err != nil || len(out.Entries) != 1 || out.Entries[0].HTML != "" {
		t.Errorf("got %v and %+v", err, out.Entries)
	}
}
