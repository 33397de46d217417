package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/surface/mcp"
	"edgesvc.dev/svc/sdk/api"
)

func TestLongTextIsCut(t *testing.T) {
	d := start(t, settings{})
	s := d.connect(t, "svc_full")
	for name, content := range map[string]string{
		"ascii": strings.Repeat("word ", 100_000), "wide": strings.Repeat("日本", 40_000), "quotes": strings.Repeat(`"\`, 40_000), "just over": strings.Repeat("x", 19_999),
	} {
		post := d.posts.put("team_a", name, content)
		var got struct {
			api.Post
			Truncated bool
		}
		text := textOf(t, call(t, s, "get_post", map[string]any{"id": post.ID}, &got))
		if n := utf8.RuneCountInString(text); n > mcp.MaxAnswer || n < mcp.MaxAnswer/4 {
			t.Errorf("%s: %d characters", name, n)
		}
		kept := strings.TrimSuffix(got.Content, "…")
		if !got.Truncated || kept == got.Content || !strings.HasPrefix(content, kept) {
			t.Errorf("%s: truncated %v, content of %d ends with %.20q", name, got.Truncated, len(got.Content), got.Content[len(got.Content)-10:])
		}
		if got.ID != post.ID || got.UpdatedAt != post.UpdatedAt || got.Version != 1 {
			t.Errorf("%s: the other members changed: %+v", name, got.Post)
		}
	}
	post := d.posts.put("team_a", "short", "x")
	if text := textOf(t, call(t, s, "get_post", map[string]any{"id": post.ID}, nil)); strings.Contains(text, "truncated") {
		t.Errorf("a short answer says %s", text)
	}
}

// A page that is too long becomes a shorter page, not a page with holes: its
// cursor leads to the first post that was left out.
func TestLongPagesAreShortened(t *testing.T) {
	d := start(t, settings{})
	for i := range 60 {
		d.posts.put("team_a", fmt.Sprintf("Post %d", i), strings.Repeat("x", 1500))
	}
	s := d.connect(t, "svc_read")
	var ids []string
	for cursor, pages := "", 0; ; pages++ {
		args := map[string]any{"limit": 50, "include": "content"}
		if cursor != "" {
			args["cursor"] = cursor
		}
		var page struct {
			api.Page[api.Post]
			Truncated bool
		}
		text := textOf(t, call(t, s, "list_posts", args, &page))
		if len(text) > mcp.MaxAnswer || page.Truncated != (len(page.Data) < 12 && page.HasMore) && pages == 0 {
			t.Errorf("page %d: %d characters, %d posts, truncated %v", pages, len(text), len(page.Data), page.Truncated)
		}
		if pages == 0 && !page.Truncated {
			t.Errorf("the first page of %d posts does not say that it is shorter than asked for", len(page.Data))
		}
		for _, p := range page.Data {
			if len(p.Content) != 1500 {
				t.Errorf("%s has content of %d", p.ID, len(p.Content))
			}
			ids = append(ids, p.ID)
		}
		if cursor = page.NextCursor; !page.HasMore {
			break
		}
	}
	if len(ids) != 60 {
		t.Fatalf("the pages have %d posts, want 60", len(ids))
	}
	for i, id := range ids {
		if want := fmt.Sprintf("post_team_a_%d", i); id != want {
			t.Fatalf("post %d is %s, want %s", i, id, want)
		}
	}
}

func TestOnePostLongerThanAPage(t *testing.T) {
	d := start(t, settings{})
	for range 3 {
		d.posts.put("team_a", "Long", strings.Repeat("x", 30_000))
	}
	var page struct {
		api.Page[api.Post]
		Truncated bool
	}
	text := textOf(t, call(t, d.connect(t, "svc_read"), "list_posts", map[string]any{"include": "content"}, &page))
	if len(text) > mcp.MaxAnswer || len(page.Data) != 1 || page.NextCursor != "c1" || !page.Truncated {
		t.Errorf("%d characters, %d posts, next %q, truncated %v", len(text), len(page.Data), page.NextCursor, page.Truncated)
	}
}

// Names are not text: cutting them would make one member of two.
func TestNamesAreKept(t *testing.T) {
	long := map[string]string{}
	for i := range 250 {
		long[fmt.Sprintf("%s%03d", strings.Repeat("n", 60), i)] = strings.Repeat("v", 60)
	}
	body, err := json.Marshal(map[string]any{"metadata": long})
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Metadata map[string]string }
	cut := mcp.Fit(body)
	if err := json.Unmarshal(cut, &got); err != nil || len(got.Metadata) != len(long) || utf8.RuneCount(cut) > mcp.MaxAnswer {
		t.Errorf("%d bytes with %d of %d members: %v", len(cut), len(got.Metadata), len(long), err)
	}
	for name := range got.Metadata {
		if _, ok := long[name]; !ok {
			t.Fatalf("member %q is new", name)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add([]byte(`{"a":"b"}`), 30_000)
	f.Add([]byte(`{"data":[{"id":1,"n":12345678901234567890}],"\u0000":null}`), 3)
	f.Add([]byte(`{"a":{"b":[[["x"]],true,1e400]}}`), 9_000)
	f.Fuzz(func(t *testing.T, seed []byte, times int) {
		if !json.Valid(seed) || !utf8.Valid(seed) || seed[0] != '{' || times < 1 || times > 50_000 || len(seed) > 1000 {
			return
		}
		var v any
		if strictJSON(seed, &v) != nil {
			return
		}
		body := fmt.Appendf(nil, `{"x":%s,"list":[%s],"text":%q}`, seed, strings.TrimSuffix(strings.Repeat(string(seed)+",", 1+times/len(seed)), ","), strings.Repeat("é", times))
		cut := mcp.Fit(body)
		if !json.Valid(cut) || utf8.RuneCount(cut) > mcp.MaxAnswer {
			t.Fatalf("%d characters, valid %v", utf8.RuneCount(cut), json.Valid(cut))
		}
		if utf8.RuneCount(body) <= mcp.MaxAnswer && !bytes.Equal(body, cut) {
			t.Fatalf("a short answer was changed:\n%s\n%s", body, cut)
		}
	})
}
