package cli

import (
	"os"
	"slices"
	"testing"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
)

// TestEntries: the names by which a command is found are those that it has, no
// two have one, and a command line makes the command that it names.
func TestEntries(t *testing.T) {
	a := kit.New(&terminal.IO{Out: os.Stdout, Err: os.Stderr, In: os.Stdin}, func(string) string { return "" }, "test")
	seen := map[string]bool{}
	for _, e := range entries() {
		c := e.make(a)
		if want := append([]string{c.Name()}, c.Aliases...); !slices.Equal(e.names, want) {
			t.Errorf("the entry has the names %q, its command %q", e.names, want)
		}
		for _, name := range e.names {
			if seen[name] {
				t.Errorf("two commands are named %s", name)
			}
			seen[name] = true
			if found, _, err := newRoot(a, []string{name}).Find([]string{name}); err != nil || found.Name() != c.Name() {
				t.Errorf("svcctl %s is %v, %v", name, found.Name(), err)
			}
		}
	}
	for _, args := range [][]string{{}, {"help"}, {"--help"}, {"man"}, {"psot"}, {"__complete", "po"}, {"-o", "json", "post", "list"}} {
		if n := len(wanted(args)); n != len(entries()) {
			t.Errorf("%q makes %d commands, want all %d", args, n, len(entries()))
		}
	}
}
