package cli

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
)

//go:embed topics/*.txt
var topics embed.FS

type helpOptions struct {
	app   *kit.App
	shape string
}

func newHelp(a *kit.App) *cobra.Command {
	o := &helpOptions{app: a}
	cmd := &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help on a command or topic; --map shows all commands",
		Long:  "Topics: " + strings.Join(topicNames(), ", ") + ".",
		RunE:  func(cmd *cobra.Command, args []string) error { return o.run(cmd.Root(), args) },
	}
	cmd.Example = "  svcctl help post sync\n  svcctl help exit-codes\n  svcctl help --map=json"
	cmd.ValidArgsFunction = completeHelp
	cmd.Flags().StringVar(&o.shape, "map", "", "show every command: tree, paths or json")
	cmd.Flags().Lookup("map").NoOptDefVal = "tree"
	return cmd
}

// completeHelp offers commands, and the topics as the first word.
func completeHelp(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	names, directive := completeCommands(cmd, args, begun)
	for _, topic := range topicNames() {
		if len(args) == 0 && strings.HasPrefix(topic, begun) {
			names = append(names, topic+"\ta topic")
		}
	}
	return names, directive
}

func topicNames() []string {
	entries, err := fs.ReadDir(topics, "topics")
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".txt")
	}
	return names
}

func (o *helpOptions) run(root *cobra.Command, args []string) error {
	if o.shape != "" {
		return o.commandMap(root)
	}
	if len(args) == 1 {
		if text, err := topics.ReadFile("topics/" + args[0] + ".txt"); err == nil {
			return o.app.PrintText(string(text))
		}
	}
	cmd, err := find(root, args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	return cmd.Help()
}

// find is the command that the arguments name.
func find(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return nil, &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "there is no command or topic " + strings.Join(args, " "),
			Hint: "topics are " + strings.Join(topicNames(), ", ")}
	}
	return cmd, nil
}

// commandInfo is a command as --map=json shows it.
type commandInfo struct {
	Path    string     `json:"path"`
	Short   string     `json:"short"`
	Use     string     `json:"use"`
	Aliases []string   `json:"aliases,omitempty"`
	Flags   []flagInfo `json:"flags,omitempty"`
}

type flagInfo struct {
	Name    string `json:"name"`
	Short   string `json:"short,omitempty"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Usage   string `json:"usage"`
}

func (o *helpOptions) commandMap(root *cobra.Command) error {
	var all []commandInfo
	walk(root, 0, func(c *cobra.Command, _ int) { all = append(all, describe(c)) })
	switch o.shape {
	case "json":
		p := output.Printer{IO: o.app.IO, Format: "json", JQ: o.app.Flags.JQ}
		raw, err := json.Marshal(all)
		if err != nil {
			return err
		}
		return p.Value(json.RawMessage(raw))
	case "paths":
		for _, c := range all {
			fmt.Fprintln(o.app.IO.Out, c.Path)
		}
		return nil
	case "tree":
		walk(root, 0, func(c *cobra.Command, depth int) {
			fmt.Fprintf(o.app.IO.Out, "%-32s %s\n", strings.Repeat("  ", depth)+c.Name(), c.Short)
		})
		return nil
	}
	return kit.Usage("--map is tree, paths or json, not %q", o.shape)
}

func walk(c *cobra.Command, depth int, visit func(*cobra.Command, int)) {
	visit(c, depth)
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			walk(child, depth+1, visit)
		}
	}
}

func describe(c *cobra.Command) commandInfo {
	info := commandInfo{Path: c.CommandPath(), Short: c.Short, Use: c.UseLine(), Aliases: c.Aliases}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			info.Flags = append(info.Flags, flagInfo{f.Name, f.Shorthand, f.Value.Type(), f.DefValue, f.Usage})
		}
	})
	return info
}
