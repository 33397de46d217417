package helpdesk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/domain/helpdesk"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// Without an article nothing is opened or written.
func TestIndexIsMadeWhenItIsNeeded(t *testing.T) {
	w := newWorld(t)
	if got := w.found("anything"); got != "" {
		t.Error(got)
	}
	if _, err := os.Stat(w.indexDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the index is there without an article: %v", err)
	}
}

// Whatever became of the folder, a search finds what the store holds.
func TestIndexIsMadeAnew(t *testing.T) {
	for name, harm := range map[string]func(*world){
		"gone":        func(w *world) { w.remove(w.indexDir()) },
		"empty":       func(w *world) { w.remove(w.indexDir()); w.makeDir(w.indexDir()) },
		"a file":      func(w *world) { w.remove(w.indexDir()); w.write(w.indexDir(), "no index") },
		"damaged":     func(w *world) { w.eachFile(func(path string) { w.write(path, "\x00damaged") }) },
		"cut off":     func(w *world) { w.eachFile(func(path string) { w.check(os.Truncate(path, 10)) }) },
		"left behind": func(w *world) { w.makeDir(w.indexDir() + ".new") },
		"untouched":   func(*world) {},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.article("Walrus", "<p>One</p>")
			if w.found("walrus") != "Walrus" {
				t.Fatal("not found at first")
			}
			w.check(w.desk.Close())
			harm(w)
			w.start()
			w.article("Walrus calf", "<p>Two</p>")
			if got := len(w.search("walrus")); got != 2 {
				t.Errorf("%d articles found, want 2", got)
			}
		})
	}
}

// A process that dies between the change and the index leaves a log that is
// longer than the index knows.
func TestIndexCatchesUp(t *testing.T) {
	w := newWorld(t)
	a := w.article("Walrus", "<p>One</p>")
	w.found("walrus")
	for i := range 300 { // more than a batch
		w.article(fmt.Sprint("Seal ", i), "<p>Two</p>")
	}
	w.patch(a.ID, `"title":"Otter"`)
	w.restart()
	if w.found("walrus") != "" || w.found("otter") != "Otter" || len(w.search("seal")) != 5 {
		t.Error("the index has not caught up")
	}
}

// After a restored backup the index knows of events that the log has not, or
// has others at their places.
func TestIndexOfOtherData(t *testing.T) {
	for name, further := range map[string]int{"shorter log": 0, "another log": 9} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.article("Walrus", "<p>One</p>")
			w.article("Seal", "<p>Two</p>")
			w.found("walrus")
			w.check(w.desk.Close())

			store, err := bolt.Open(filepath.Join(t.TempDir(), "svc.db"), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			w.store, w.log = store, event.New(store, helpdesk.Events())
			w.start()
			w.article("Otter", "<p>Three</p>")
			for range further {
				w.article("Otter", "<p>Three</p>")
			}
			if w.found("walrus") != "" || w.found("seal") != "" || len(w.search("otter")) != min(further+1, 5) {
				t.Errorf("the index is still that of the other data: %q", w.found("seal"))
			}
		})
	}
}

func TestReindex(t *testing.T) {
	w := newWorld(t)
	w.article("Walrus", "<p>One</p>")
	w.draft("Seal")
	for range 2 {
		if got := must[api.Reindexed](w, "helpdesk.reindex", `{}`); got.Articles != 2 {
			t.Errorf("%+v", got)
		}
		if w.found("walrus") != "Walrus" {
			t.Error("not found after the index was made anew")
		}
	}
}

// Writers, searches, rebuilds and the follower run beside each other; what was
// written is found by its writer at once.
func TestSearchBesideWrites(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	var follower, clients conc.WaitGroup
	follower.Go(func() {
		if err := w.desk.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	for i := range 4 {
		clients.Go(func() {
			for n := range 10 {
				word := fmt.Sprintf("walrus%c%c", 'a'+i, 'a'+n)
				_, err := w.desk.Create(t.Context(), alice, api.ArticleCreate{Title: word, Content: "<p>x</p>", Status: api.ArticlePublished})
				if err != nil {
					t.Error(err)
				}
				hits, err := w.desk.Search(t.Context(), "team_a", word, 1)
				if err != nil || len(hits) != 1 || hits[0].Title != word {
					t.Errorf("%s: %+v, %v", word, hits, err)
				}
				if n == 5 {
					if _, err := w.desk.Reindex(t.Context(), alice, api.None{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	clients.Wait()
	stop()
	follower.Wait()
}

// A store that is closed ends searches with its error.
func TestSearchAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	w.article("Walrus", "<p>One</p>")
	w.check(w.store.Close())
	if _, err := w.desk.Search(t.Context(), "team_a", "walrus", 1); !errors.Is(err, kv.ErrClosed) {
		t.Error(err)
	}
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(path string)      { w.check(os.RemoveAll(path)) }
func (w *world) makeDir(path string)     { w.check(os.MkdirAll(path, 0o700)) }
func (w *world) write(path, text string) { w.check(os.WriteFile(path, []byte(text), 0o600)) }
func (w *world) eachFile(f func(string)) {
	w.check(filepath.WalkDir(w.indexDir(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			f(path)
		}
		return err
	}))
}
