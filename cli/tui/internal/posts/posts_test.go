package posts_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/cli/tui/internal/tuitest"
	"edgesvc.dev/svc/sdk/api"
)

// TestGoldens shows the posts at four sizes, as testdata/*.golden has it.
func TestGoldens(t *testing.T) {
	tuitest.Goldens(t,
		tuitest.State{Name: "posts", Keys: nil},
		tuitest.State{Name: "posts-preview", Keys: []string{"z"}},
		tuitest.State{Name: "posts-filter", Keys: []string{"/", "g", "o"}},
		tuitest.State{Name: "archive-many", Keys: []string{" ", " ", "a"}},
		tuitest.State{Name: "delete", Keys: []string{"down", "down", "down", "down", "D"}},
	)
}

func TestEmptyGolden(t *testing.T) {
	s := tuitest.New(t, 80, 24, tuitest.Empty)
	s.Keys("1")
	tuitest.Golden(t, "empty-posts", s.View())
}

func TestPublishAndArchive(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("p")
	s.Sees("▸● Why Go for the edge", "✓ published why-go")
	s.Keys(" ", " ", "a")
	s.Sees("Archive 2 posts?")
	s.Keys("n")
	if len(s.Posts.Calls) != 1 {
		t.Fatalf("archived without consent: %v", s.Posts.Calls)
	}
	s.Keys("a", "y")
	if diff := cmp.Diff([]string{"ARCHIVED post_01j0000000000000000000000a", "ARCHIVED post_01j0000000000000000000000b"}, s.Posts.Calls[1:]); diff != "" {
		t.Error(diff)
	}
	s.Keys("home", "D")
	s.Sees("for good?", "type why-go:")
	s.Keys("o", "n", "enter")
	s.Sees("that was not it")
	s.Keys("D", "w", "h", "y", "-", "g", "o", "enter")
	s.Sees("deleted why-go")
	if got := s.Posts.Calls[len(s.Posts.Calls)-1]; got != "delete post_01j0000000000000000000000a" {
		t.Errorf("called %s", got)
	}
}

// TestDelete: a draft is deleted at once, a published post only from the archive.
func TestDelete(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("p", "D")
	s.Sees("! a published post cannot be deleted")
	s.Misses("✓")
	s = tuitest.New(t, 100, 24)
	s.Keys("D")
	s.Sees("for good?", "type why-go:")
	s.Keys("w", "h", "y", "-", "g", "o", "enter")
	if diff := cmp.Diff([]string{"delete post_01j0000000000000000000000a"}, s.Posts.Calls); diff != "" {
		t.Error(diff)
	}
}

// TestHeldBackIsTold: a post that is published and not public is not said to be.
func TestHeldBackIsTold(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Posts.Content = "<p>[to complete] Say why.</p>"
	s.Keys("p")
	s.Sees("why-go is held back and not public yet")
	s.Misses("published why-go")
}

func TestRefusalIsTold(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Posts.Refuse = errors.New("slug is taken")
	s.Keys("p")
	s.Sees("✗ could not publish why-go: slug is taken", "▸○ Why Go for the edge")
}

// TestPostsAreLive: what others change is seen without a key; the filter stays.
func TestPostsAreLive(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("/", "g", "o", "enter")
	s.Posts.Page.Data[0].Title, s.Posts.Page.Data[0].Version = "Why Go, again", 9
	s.Do(screen.Changed{Changes: []api.Change{{Type: "article.updated", ID: "art_1"}}})
	s.Misses("Why Go, again")
	s.Do(screen.Changed{Changes: []api.Change{{Type: "post.updated", ID: s.Posts.Page.Data[0].ID}}})
	s.Sees("Why Go, again", "/go")
	s.Misses("Pricing, explained")
}

// TestOrderAndFind: the order is the person's, and what is looked for is shown
// although the filter leaves it out.
func TestOrderAndFind(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("s", "s")
	s.Sees("by title")
	s.Keys("/", "g", "o", "enter")
	s.Do(screen.GoTo{Screen: "Posts", ID: s.Posts.Page.Data[1].ID})
	s.Sees("/go", "Pricing, explained", "by title")
}
