package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
)

// leaves are the commands that do something, by what is typed for them.
func leaves(root *cobra.Command) (all []*cobra.Command) {
	for _, c := range root.Commands() {
		if c.HasSubCommands() {
			all = append(all, leaves(c)...)
		} else if !c.Hidden && c.Runnable() {
			all = append(all, c)
		}
	}
	return all
}

func tree(t *testing.T, args ...string) []*cobra.Command {
	t.Helper()
	a := kit.New(&terminal.IO{Out: os.Stdout, Err: os.Stderr, In: os.Stdin}, func(string) string { return "" }, "test")
	all := leaves(newRoot(a, args))
	if len(all) < 150 {
		t.Fatalf("only %d commands", len(all))
	}
	return all
}

// TestEveryCommandHasAnExample that is a command line of its own.
func TestEveryCommandHasAnExample(t *testing.T) {
	for _, c := range tree(t) {
		if !strings.Contains(c.Example, c.CommandPath()) && !strings.Contains(c.Example, "svcctl "+c.Parent().Name()) {
			t.Errorf("%s has the example %q", c.CommandPath(), c.Example)
		}
	}
}

// TestEverythingCompletes: no argument and no flag is left to the shell, which would
// offer files, but those that are files.
func TestEverythingCompletes(t *testing.T) {
	takesFile := func(use string) bool { return strings.Contains(use, "FILE") || strings.Contains(use, "DIR") }
	for _, c := range tree(t, cobra.ShellCompRequestCmd) {
		if c.ValidArgsFunction == nil && !takesFile(c.Use) {
			t.Errorf("%s completes files", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, has := c.GetFlagCompletionFunc(f.Name); !has && !isFile(f.Name) {
				t.Errorf("%s --%s completes files", c.CommandPath(), f.Name)
			}
		})
	}
	// What a flag's help names in words is what is offered.
	for _, c := range tree(t, cobra.ShellCompRequestCmd) {
		if f := c.LocalFlags().Lookup("on-drift"); f != nil {
			c.SetContext(t.Context())
			complete, _ := c.GetFlagCompletionFunc(f.Name)
			offered, _ := complete(c, nil, "")
			for _, word := range []string{"fail", "merge", "theirs", "ours"} {
				if strings.Contains(f.Usage, word) != slices.Contains(offered, word) {
					t.Errorf("%s --on-drift offers %v, its help says %q", c.CommandPath(), offered, f.Usage)
				}
			}
		}
	}
	// Only a shell that asks pays for it.
	for _, c := range tree(t) {
		if c.CommandPath() == "svcctl chat open" && c.ValidArgsFunction != nil {
			t.Error("commands complete while they run")
		}
	}
}

func isFile(flag string) bool {
	for _, f := range []string{"file", "dir", "static", "media"} {
		if f == flag {
			return true
		}
	}
	return false
}
