package posts_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// TestDamagedPost stores a post whose record is whole and whose JSON is not. The
// check names the record, and so does every change of it, which leaves it as it is.
func TestDamagedPost(t *testing.T) {
	for name, broken := range map[string]string{"cut off": `{"id":"post_x","tit`, "of other types": `{"id":"post_x","title":5}`} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "svc.db")
			store, err := bolt.Open(path, bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			raw := kv.NewTable[struct {
				JSON    []byte `cbor:"1,keyasint"`
				Version int    `cbor:"2,keyasint"`
			}]("post")
			if err := store.Update(t.Context(), func(tx kv.Tx) error {
				return raw.Insert(tx, "team_a", "post_x", &struct {
					JSON    []byte `cbor:"1,keyasint"`
					Version int    `cbor:"2,keyasint"`
				}{[]byte(broken), 1})
			}); err != nil {
				t.Fatal(err)
			}
			s := posts.New(store, event.New(store, posts.Events()))
			for what, change := range map[string]func(context.Context) error{
				"update": func(ctx context.Context) error {
					_, err := s.Update(ctx, alice, api.PostPatch{PostRef: api.PostRef{ID: "post_x"}, PostChanges: api.PostChanges{Title: api.Some("Whole again")}})
					return err
				},
				"delete": func(ctx context.Context) error {
					_, err := s.Delete(ctx, alice, api.PostRef{ID: "post_x"})
					return err
				},
			} {
				if corrupt, ok := errors.AsType[*kv.CorruptError](change(t.Context())); !ok || !strings.Contains(corrupt.Error(), "post_x") {
					t.Errorf("%s: %v", what, corrupt)
				}
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			var said []string
			if _, err := bolt.Check(path, func(key []byte, reason string) { said = append(said, kv.Describe(key)+": "+reason) }, posts.Tables()...); err != nil {
				t.Fatal(err)
			}
			if len(said) != 1 || !strings.Contains(said[0], "post_x") || !strings.Contains(said[0], "does not decode") {
				t.Errorf("the check says %q", said)
			}
		})
	}
}
