package kit

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// patience is how long a shell waits for the daemon to name things.
const patience = 2 * time.Second

// Completion offers names that a daemon knows. Where it cannot be asked there is
// nothing to offer: the command itself says why.
func (a *App) Completion(names Names) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), patience)
		defer cancel()
		found, err := names(ctx, a)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var fitting []string
		for _, name := range found {
			if strings.HasPrefix(name, begun) {
				fitting = append(fitting, name)
			}
		}
		return fitting, cobra.ShellCompDirectiveNoFileComp
	}
}

// Names are what a daemon knows that fits an argument or a flag.
type Names = func(context.Context, *App) ([]string, error)

// Fixed are names that are always the same.
func Fixed(names ...string) Names {
	return func(context.Context, *App) ([]string, error) { return names, nil }
}

// CompleteFirst offers names as the first argument of a command.
func (a *App) CompleteFirst(cmd *cobra.Command, names Names) {
	a.CompleteArgs(cmd, names, Fixed())
}

// CompleteArgs offers names for each argument of a command; the last ones also
// for all that follow.
func (a *App) CompleteArgs(cmd *cobra.Command, names ...Names) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return a.Completion(names[min(len(args), len(names)-1)])(cmd, args, begun)
	}
}
