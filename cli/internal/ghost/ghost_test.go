package ghost

import (
	"encoding/json"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/exported"
)

// FuzzRead: whatever a file says, it is read or refused.
func FuzzRead(f *testing.F) {
	f.Add(`{"db":[{"meta":{"version":"2"},"data":{"posts":[{"id":"1","slug":"a","html":"<p>x</p>","published_at":1400000000000}],"posts_tags":[{"post_id":"1","tag_id":"2"}]}}]}`)
	f.Add(`{"data":{"posts":[{"id":1,"mobiledoc":"{\"sections\":[[10,0],[1,\"p\",[[0,[0],9,\"x\"]]]],\"markups\":[[\"a\",[\"href\"]]],\"cards\":[[\"image\"]]}"}]}}`)
	f.Add(`{"data":{"posts":[{"id":1,"lexical":"{\"root\":{\"children\":[{\"type\":\"list\",\"children\":[null,{\"type\":\"gallery\",\"images\":[1]}]}]}}"}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		out, _, err := Read(strings.NewReader(text), Options{Site: "https://a.example"})
		if err != nil {
			return
		}
		for _, e := range out.Entries {
			if e.Key == "" {
				t.Errorf("an entry without a key: %+v", e)
			}
		}
	})
}

// TestDepth: a document that is nested deeper than anybody writes is refused.
func TestDepth(t *testing.T) {
	deep := strings.Repeat(`{"type":"list","children":[`, 500) + `{"type":"text","text":"x"}` + strings.Repeat("]}", 500)
	if _, err := lexical(`{"root":{"children":[`+deep+`]}}`, new(exported.Changes)); err == nil {
		t.Error("500 lists in each other are read")
	}
	b, err := json.Marshal(map[string]any{"data": map[string]any{"posts": []any{map[string]any{"id": "1", "slug": "x", "html": strings.Repeat("<div>", 2000) + "x"}}}})
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := Read(strings.NewReader(string(b)), Options{})
	if err != nil || out.Entries[0].Err == nil {
		t.Errorf("got %v and %+v", err, out.Entries[0])
	}
}
