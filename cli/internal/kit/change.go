package kit

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Change is an argument such as +vip, which adds a name, or -vip, which
// removes it.
type Change struct {
	Name string
	Add  bool
}

// TakesChanges lets cmd take +name and -name among its flags. A flag is
// --name, or one letter that the command knows: -o is a flag, -old removes old.
// After -- nothing is a flag. run gets the other arguments, checked by cmd.Args.
func (a *App) TakesChanges(cmd *cobra.Command, run func(cmd *cobra.Command, args []string, changes []Change) error) *cobra.Command {
	check := cmd.Args
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagParsing = true
	cmd.RunE = func(cmd *cobra.Command, raw []string) error {
		cmd.InheritedFlags() // makes those of svcctl known to cmd
		changes, rest := splitChanges(cmd.Flags(), raw)
		if err := cmd.Flags().Parse(rest); err != nil {
			return FlagError(cmd, err)
		}
		if help, err := cmd.Flags().GetBool("help"); err == nil && help {
			return cmd.Help()
		}
		if err := a.FlagPrinter().Check(); err != nil {
			return err
		}
		args := cmd.Flags().Args()
		if err := check(cmd, args); err != nil {
			return err
		}
		return run(cmd, args, changes)
	}
	return cmd
}

// splitChanges takes +name and -name out of the arguments and leaves flags with
// their values, and everything else.
func splitChanges(flags *pflag.FlagSet, raw []string) (changes []Change, rest []string) {
	for i := 0; i < len(raw); i++ {
		arg := raw[i]
		flag, inline := flagOf(flags, arg)
		switch {
		case arg == "--":
			for _, arg := range raw[i+1:] {
				if c, ok := parseChange(arg); ok {
					changes = append(changes, c)
				} else {
					rest = append(rest, arg)
				}
			}
			return changes, rest
		case flag != nil && !inline && flag.NoOptDefVal == "" && i+1 < len(raw):
			rest = append(rest, arg, raw[i+1])
			i++
		case flag != nil || strings.HasPrefix(arg, "--"):
			rest = append(rest, arg)
		default:
			if c, ok := parseChange(arg); ok {
				changes = append(changes, c)
			} else {
				rest = append(rest, arg)
			}
		}
	}
	return changes, rest
}

// flagOf is the flag that an argument names, and whether its value is with it.
func flagOf(flags *pflag.FlagSet, arg string) (flag *pflag.Flag, inline bool) {
	name, _, inline := strings.Cut(arg, "=")
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return flags.Lookup(long), inline
	}
	if len(name) == 2 && name[0] == '-' && name[1] != '-' {
		return flags.ShorthandLookup(name[1:]), inline
	}
	return nil, false
}

func parseChange(arg string) (Change, bool) {
	if len(arg) < 2 || arg[0] != '+' && arg[0] != '-' {
		return Change{}, false
	}
	return Change{Name: arg[1:], Add: arg[0] == '+'}, true
}
