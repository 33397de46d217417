package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgesvc.dev/svc/cli/internal/atomicfile"
	"edgesvc.dev/svc/cli/internal/kit"
)

type man struct {
	app *kit.App
	dir string
}

func newMan(a *kit.App) *cobra.Command {
	o := &man{app: a}
	cmd := &cobra.Command{
		Use: "man [COMMAND...]", Short: "Print the manual page of a command, or write those of all commands",
		Example: "  svcctl man post sync | man -l -\n  svcctl man --dir /usr/local/share/man/man1",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Root(), args) },
	}
	cmd.Flags().StringVar(&o.dir, "dir", "", "write a page for each command into this folder")
	_ = cmd.MarkFlagDirname("dir") // the flag exists
	cmd.ValidArgsFunction = completeCommands
	return cmd
}

// completeCommands offers the commands below those that were typed.
func completeCommands(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	of, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, c := range of.Commands() {
		if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), begun) {
			names = append(names, c.Name()+"\t"+c.Short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (o *man) run(root *cobra.Command, args []string) error {
	if o.dir == "" {
		cmd, err := find(root, args)
		if err != nil {
			return err
		}
		return o.app.PrintText(o.page(cmd))
	}
	if len(args) > 0 {
		return kit.Usage("--dir takes no command: it writes the pages of all")
	}
	n := 0
	var failed error
	walk(root, 0, func(c *cobra.Command, _ int) {
		n++
		if failed == nil {
			failed = atomicfile.Write(filepath.Join(o.dir, pageName(c)+".1"), []byte(o.page(c)), 0o644)
		}
	})
	if failed == nil {
		o.app.IO.Say("wrote %s to %s", kit.Count(n, "page"), o.dir)
	}
	return failed
}

// pageName is the name of a command's page: svcctl-post-list.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func (o *man) page(c *cobra.Command) string {
	var b strings.Builder
	section := func(title, format string, args ...any) { fmt.Fprintf(&b, ".SH "+title+"\n"+format, args...) }
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"svcctl %s\"\n", roff(strings.ToUpper(pageName(c))), o.app.Version)
	section("NAME", "%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	section("SYNOPSIS", ".nf\n%s\n.fi\n", roff(c.UseLine()))
	long := c.Long
	if long == "" {
		long = c.Short
	}
	section("DESCRIPTION", "%s\n", roff(strings.TrimSuffix(long, ".")+"."))
	if len(c.Aliases) > 0 {
		fmt.Fprintf(&b, ".PP\nAlso called %s.\n", roff(strings.Join(c.Aliases, ", ")))
	}
	if c.HasAvailableSubCommands() {
		section("COMMANDS", "")
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(pageName(child)), roff(child.Short))
			}
		}
	}
	if flags := c.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
		section("OPTIONS", "")
		manFlags(&b, flags)
	}
	if c.Example != "" {
		section("EXAMPLES", ".nf\n%s\n.fi\n", roff(c.Example))
	}
	if c.HasParent() {
		section("SEE ALSO", ".BR %s (1),\n.BR svcctl (1)\nfor the options of every command\n", roff(pageName(c.Parent())))
		return b.String()
	}
	section("GLOBAL OPTIONS", "")
	manFlags(&b, c.PersistentFlags())
	for _, name := range topicNames() {
		text, err := topics.ReadFile("topics/" + name + ".txt")
		if err == nil {
			section(strings.ToUpper(name), ".nf\n%s.fi\n", roff(string(text)))
		}
	}
	return b.String()
}

func manFlags(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := `\-\-` + roff(f.Name)
		if f.Shorthand != "" {
			name = `\-` + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", name, roff(f.Usage))
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
