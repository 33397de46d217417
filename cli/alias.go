package cli

import (
	"fmt"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"github.com/spf13/cobra"
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

func newAlias(a *app) *cobra.Command {
	return group("alias", "Your own names for command lines", nil, newAliasSet(a), newAliasList(a))
}

func newAliasSet(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "set NAME COMMAND", Short: "Set an alias; an empty command removes it", Args: exactly("a name", "a command line"),
		Example: "  svcctl alias set drafts 'post list --status draft'",
		RunE: func(cmd *cobra.Command, args []string) error {
			name := args[0]
			if isCommand(cmd.Root(), name) || strings.HasPrefix(name, "-") || strings.ContainsAny(name, " \t") {
				return usage("%q cannot be an alias: it is a command, or no single word", name)
			}
			if _, err := splitWords(args[1]); err != nil {
				return err
			}
			return a.editContexts(func(f *settings.File, _ settings.Secrets) error {
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

func newAliasList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List aliases", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			f, err := settings.Read(settings.Dir(a.getenv))
			if err != nil {
				return err
			}
			aliases := []alias{}
			for name, command := range f.Aliases {
				aliases = append(aliases, alias{name, command})
			}
			slices.SortFunc(aliases, func(x, y alias) int { return strings.Compare(x.Name, y.Name) })
			return showList(a, listFlags{all: true}, aliasView, list(aliases))
		},
	}
}

// expandAlias replaces a first word that is no command. The configuration is
// only read for such a word.
func (a *app) expandAlias(root *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || isCommand(root, args[0]) {
		return args, nil
	}
	f, err := settings.Read(settings.Dir(a.getenv))
	if err != nil {
		return nil, err
	}
	command, ok := f.Aliases[args[0]]
	if !ok {
		return args, nil
	}
	words, err := splitWords(command)
	if err != nil {
		return nil, err
	}
	return append(words, args[1:]...), nil
}

func isCommand(root *cobra.Command, name string) bool {
	return name == "help" || name == "completion" || strings.HasPrefix(name, cobra.ShellCompRequestCmd) ||
		slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
}

// splitWords splits a command line at spaces, minding single and double quotes.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, usage("a quote is not closed in %s", fmt.Sprintf("%q", line))
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
