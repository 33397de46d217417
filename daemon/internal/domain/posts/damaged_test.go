package posts_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// storedPost is a record of posts as the store has it.
type storedPost struct {
	JSON    []byte `cbor:"1,keyasint"`
	Version int    `cbor:"2,keyasint"`
}

// TestDamagedPost stores a post whose record is whole and whose JSON is not. The
// check names the record, and so does every change of it, which leaves it as it is.
// Reading answers with what is stored, unless that cannot be a post at all; a list
// steps over it then.
func TestDamagedPost(t *testing.T) {
	for name, row := range map[string]struct{ broken, read string }{
		"cut off":        {`{"id":"ID","tit`, ""},
		"empty":          {``, ""},
		"of other types": {`{"id":"ID","title":5}`, `{"id":"ID","title":5}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s, store := w.posts, w.Store
			made, err := s.Create(t.Context(), alice, api.PostCreate{Title: "Whole", Content: "x"})
			if err != nil {
				t.Fatal(err)
			}
			id := made.Of.Post.ID
			listed := strings.ReplaceAll(row.read, "ID", id)
			read := listed
			if read != "" {
				read = strings.TrimSuffix(read, "}") + `,"content":"x"}`
			}
			raw := kv.NewTable[storedPost]("post") // without the indexes, which stay
			if err := store.Update(t.Context(), func(tx kv.Tx) error {
				return raw.Put(tx, alice.Team, id, &storedPost{[]byte(strings.ReplaceAll(row.broken, "ID", id)), 1})
			}); err != nil {
				t.Fatal(err)
			}
			for what, change := range map[string]func(context.Context) error{
				"update": func(ctx context.Context) error {
					_, err := s.Update(ctx, alice, api.PostPatch{PostRef: api.PostRef{ID: id}, PostChanges: api.PostChanges{Title: api.Some("Whole again")}})
					return err
				},
				"delete": func(ctx context.Context) error {
					_, err := s.Delete(ctx, alice, api.PostRef{ID: id})
					return err
				},
			} {
				if corrupt, ok := errors.AsType[*kv.CorruptError](change(t.Context())); !ok || !strings.Contains(corrupt.Error(), id) {
					t.Errorf("%s: %v", what, corrupt)
				}
			}
			got, err := s.Get(t.Context(), alice, api.TextGet{ID: id})
			if corrupt, ok := errors.AsType[*kv.CorruptError](err); string(got.JSON) != read || ok != (read == "") || ok && !strings.Contains(corrupt.Error(), id) {
				t.Errorf("get: %s %v", got.JSON, err)
			}
			for include, want := range map[string]string{"": listed, "content": read} {
				page, err := s.List(t.Context(), alice, api.PostQuery{PageQuery: api.PageQuery{Limit: 10}, Include: include})
				if err != nil || string(page.JSON) != `{"data":[`+want+`],"hasMore":false}` {
					t.Errorf("list: %s %v", page.JSON, err)
				}
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			var said []string
			if _, err := bolt.Check(w.Path(), func(key []byte, reason string) { said = append(said, kv.Describe(key)+": "+reason) }, posts.Tables()...); err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(said, "\n"); !strings.Contains(text, id+": ") || !strings.Contains(text, "does not decode") {
				t.Errorf("the check says %q", said)
			}
		})
	}
}
