package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
)

// alias is a name for a longer command line.
type alias struct {
	Name    string `json:"name"`
	Command string `json:"command"`
}

var aliasView = output.View[alias]{
	ID: func(a *alias) string { return a.Name },
	Columns: []output.Column[alias]{
		{Name: "name", Value: func(a *alias) string { return a.Name }},
		{Name: "command", Value: func(a *alias) string { return a.Command }, Flex: true},
	},
}

func newAlias(a *kit.App) *cobra.Command {
	return kit.Group("alias", "Your own names for command lines", nil, newAliasSet(a), newAliasList(a))
}

func newAliasSet(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "set NAME COMMAND", Short: "Set an alias; an empty command removes it", Args: kit.Exactly("a name", "a command line"),
		Example: "  svcctl alias set drafts 'post list --status draft'",
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if isCommand(name) || strings.HasPrefix(name, "-") || strings.ContainsAny(name, " \t") {
				return kit.Usage("%q cannot be an alias: it is a command, or no single word", name)
			}
			if _, err := kit.SplitWords(args[1]); err != nil {
				return err
			}
			return a.EditContexts(func(f *settings.File, _ settings.Secrets) error {
				if f.Aliases == nil {
					f.Aliases = map[string]string{}
				}
				f.Aliases[name] = args[1]
				if args[1] == "" {
					delete(f.Aliases, name)
				}
				return nil
			})
		},
	}
}

func newAliasList(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List aliases", Aliases: []string{"ls"}, Args: kit.Exactly(),
		Example: "  svcctl alias list",
		RunE: func(*cobra.Command, []string) error {
			f, err := settings.Read(settings.Dir(a.Getenv))
			if err != nil {
				return err
			}
			all := []alias{}
			for name, command := range f.Aliases {
				all = append(all, alias{name, command})
			}
			slices.SortFunc(all, func(x, y alias) int { return strings.Compare(x.Name, y.Name) })
			return kit.ShowList(a, kit.ListFlags{All: true}, aliasView, kit.List(all))
		},
	}
}

// expandAlias replaces a first word that is no command. The configuration is
// only read for such a word.
func expandAlias(a *kit.App, args []string) ([]string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || isCommand(args[0]) {
		return args, nil
	}
	f, err := settings.Read(settings.Dir(a.Getenv))
	if err != nil {
		return nil, err
	}
	command, ok := f.Aliases[args[0]]
	if !ok {
		return args, nil
	}
	words, err := kit.SplitWords(command)
	if err != nil {
		return nil, err
	}
	return append(words, args[1:]...), nil
}

func isCommand(name string) bool {
	return name == "help" || name == "completion" || strings.HasPrefix(name, cobra.ShellCompRequestCmd) ||
		slices.ContainsFunc(entries(), func(e entry) bool { return slices.Contains(e.names, name) })
}

// aliases are their names, for completion.
func aliases(_ context.Context, a *kit.App) ([]string, error) {
	f, err := settings.Read(settings.Dir(a.Getenv))
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(f.Aliases)), nil
}
