package noun_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/cli/tui/internal/tuitest"
	"edgesvc.dev/svc/sdk/api"
)

// pictures is a noun of three objects, which remembers what was done.
type pictures struct {
	names []string
	done  []string
	fault error
}

func (p *pictures) noun() browse.Noun {
	return browse.Noun{
		Name: "media", Title: "Images", Changed: "media.", Columns: []browse.Column{{Name: "name", Flex: true}, {Name: "size"}},
		Command: func(row *browse.Row) string { return "svcctl media get " + row.ID },
		List: func(context.Context, string, string) (*browse.Page, error) {
			page := &browse.Page{}
			for i, name := range p.names {
				size := fmt.Sprint((i * 7) % 10)
				page.Rows = append(page.Rows, browse.Row{ID: fmt.Sprint("med_", i), Label: name, Cells: []string{name, size + " kB"}, Keys: []string{name, size},
					Detail: func() *browse.Detail {
						return &browse.Detail{Facts: [][2]string{{"name", name}}, Text: "## About\n\nA *picture*."}
					}})
			}
			return page, p.fault
		},
		Verbs: []browse.Verb{{Key: "D", Name: "delete", Doc: "Delete an image", Typed: true, Do: func(_ context.Context, row *browse.Row) (string, error) {
			p.done = append(p.done, row.ID)
			return "deleted " + row.Label, nil
		}}},
	}
}

func open(t *testing.T, p *pictures, w, h int, keys ...string) *tuitest.World {
	t.Helper()
	s := tuitest.New(t, w, h, func(s *tuitest.World) { s.Config.Nouns = []browse.Noun{p.noun()} })
	s.Keys(append([]string{":", "m", "e", "d", "i", "a", "enter"}, keys...)...)
	return s
}

// TestByName opens a noun by its name, orders, narrows and leaves it.
func TestByName(t *testing.T) {
	p := &pictures{names: []string{"dog", "cat", "bird"}}
	s := open(t, p, 100, 24)
	s.Sees(":media", "Images · 3", "▸ dog", "About", "A picture.")
	s.Keys("s")
	s.Sees("by name ↑", "▸ dog")
	s.Keys("S", "home")
	s.Sees("by name ↓", "▸ dog")
	s.Keys("/", "c", "a", "enter")
	s.Sees("Images · 1", "▸ cat")
	s.Keys("1", ":", "m", "e", "d", "i", "a", "enter")
	s.Sees("Images · 1", "/ca", "by name ↓") // as it was left
	s.Keys("esc", "esc")
	s.Sees("Posts ·")
}

// TestVerbsOfNouns: what ends an object has its name typed, and nothing is done
// while read-only.
func TestVerbsOfNouns(t *testing.T) {
	p := &pictures{names: []string{"dog", "cat"}}
	s := open(t, p, 100, 24, "R", "D")
	s.Sees("read-only")
	s.Keys("R", "D", "n", "o", "enter")
	s.Sees("! that was not it")
	if len(p.done) > 0 {
		t.Fatalf("did %v", p.done)
	}
	s.Keys("D", "d", "o", "g", "enter")
	s.Sees("✓ deleted dog")
	if len(p.done) != 1 || p.done[0] != "med_0" {
		t.Errorf("did %v", p.done)
	}
}

// TestNounsAreLive: a change of the noun is read, and an error is said.
func TestNounsAreLive(t *testing.T) {
	p := &pictures{names: []string{"dog"}}
	s := open(t, p, 80, 24)
	p.names = append(p.names, "cat")
	s.Do(screen.Changed{Changes: []api.Change{{Type: "post.updated"}}})
	s.Misses("cat")
	s.Do(screen.Changed{Changes: []api.Change{{Type: "media.uploaded"}}})
	s.Sees("cat")
	p.fault = errors.New("no way there")
	s.Keys("r")
	s.Sees("could not list Images: no way there")
}

// TestNounsFit at every size that has a screen.
func TestNounsFit(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {59, 14}, {80, 24}, {120, 40}} {
		p := &pictures{names: []string{strings.Repeat("a very long name ", 9), "鳥の写真", "b"}}
		s := open(t, p, size[0], size[1])
		s.Sees("Images")
		s.Keys("enter", "z", "esc", "?")
		s.View()
	}
}

// TestNamesComeFirst: what was typed is opened, and not what mentions it.
func TestNamesComeFirst(t *testing.T) {
	p := &pictures{}
	n := p.noun()
	n.Name, n.Title = "key", "API keys"
	s := tuitest.New(t, 80, 24, func(s *tuitest.World) { s.Config.Nouns = []browse.Noun{n} })
	s.Keys(":", "k", "e", "y", "enter")
	s.Sees("API keys · 0", "Nothing here yet.")
}
