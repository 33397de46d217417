package kit

import (
	"github.com/spf13/cobra"
)

// Group is a noun: it has verbs and does nothing itself.
func Group(use, short string, aliases []string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Aliases: aliases, Args: cobra.ArbitraryArgs, RunE: RunGroup}
	c.AddCommand(verbs...)
	return c
}

// RunGroup is what a noun without a verb does: it shows its help, or says which
// verb was meant.
func RunGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	f := &Failure{Exit: ExitUsage, Code: "usage", Message: "there is no command " + cmd.CommandPath() + " " + args[0]}
	cmd.SuggestionsMinimumDistance = 2
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		f.Hint = cmd.CommandPath() + " " + similar[0]
	} else {
		f.Hint = cmd.CommandPath() + " --help"
	}
	return f
}

// Exactly takes just these arguments; anything else is a usage error.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return needs(cmd, args, names)
		}
		return nil
	}
}

// AtLeast takes these arguments, and repeats the last.
func AtLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return needs(cmd, args, names)
		}
		return nil
	}
}

// AtMostOne takes one argument or none.
func AtMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return Usage("%s takes one argument at most, not %d", cmd.CommandPath(), len(args))
	}
	return nil
}

func needs(cmd *cobra.Command, args, names []string) error {
	if len(args) < len(names) {
		return &Failure{Exit: ExitUsage, Code: "usage", Message: cmd.CommandPath() + " needs " + names[len(args)], Hint: cmd.UseLine()}
	}
	return Usage("%s takes %d arguments, not %d", cmd.CommandPath(), len(names), len(args))
}
