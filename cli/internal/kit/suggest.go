package kit

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError is a mistake in the flags of a command, with the flag that was meant.
func FlagError(cmd *cobra.Command, err error) error {
	f := &Failure{Exit: ExitUsage, Code: "usage", Message: err.Error()}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return f
	}
	f.Hint = cmd.CommandPath() + " --help"
	if name := similarFlag(cmd, unknown.GetSpecifiedName()); name != "" && unknown.GetSpecifiedShortnames() == "" {
		f.Hint = "--" + name
	}
	return f
}

// similarFlag is the flag of cmd whose name is nearest to a mistyped one, "" when
// none is near. cobra compares the names of commands, so that the flags are made
// commands for it.
func similarFlag(cmd *cobra.Command, typed string) string {
	var flags cobra.Command
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	for flags.SuggestionsMinimumDistance = 1; flags.SuggestionsMinimumDistance <= 2; flags.SuggestionsMinimumDistance++ {
		if names := flags.SuggestionsFor(typed); len(names) > 0 {
			return names[0]
		}
	}
	return ""
}
