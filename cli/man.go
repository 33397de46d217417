package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgesvc.dev/svc/cli/internal/kit"
)

func newMan(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page (svcctl man > svcctl.1)", Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var b strings.Builder
			root := cmd.Root()
			fmt.Fprintf(&b, ".TH SVCCTL 1 \"\" \"svcctl %s\"\n.SH NAME\nsvcctl \\- %s\n.SH SYNOPSIS\n.B svcctl\nCOMMAND [ARGUMENTS] [FLAGS]\n", a.Version, roff(root.Short))
			fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.SH COMMANDS\n", roff(root.Long))
			walk(root, 0, func(c *cobra.Command, depth int) {
				if depth > 0 && !c.HasSubCommands() {
					fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(c.UseLine()), roff(c.Short))
					manFlags(&b, c.LocalNonPersistentFlags())
				}
			})
			b.WriteString(".SH GLOBAL FLAGS\n")
			manFlags(&b, root.PersistentFlags())
			for _, name := range topicNames() {
				text, err := topics.ReadFile("topics/" + name + ".txt")
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, ".SH %s\n.nf\n%s.fi\n", strings.ToUpper(name), roff(string(text)))
			}
			return a.PrintText(b.String())
		},
	}
}

func manFlags(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			fmt.Fprintf(b, ".RS\n.TP\n.B \\-\\-%s\n%s\n.RE\n", roff(f.Name), roff(f.Usage))
		}
	})
}

// roff escapes what the formatter would take as its own.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
