package cli

import (
	"github.com/spf13/cobra"
)

// allFields is --json without names.
const allFields = "*"

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "svcctl",
		Short:         "Publish and generate posts with svc",
		Long:          "svcctl works with a svc daemon: posts, generation jobs, keys, and everything else over its API.\n\nStart with svcctl login; svcctl help --map shows every command.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,
		// A wrong -o or --jq is found before anything is done.
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.flagPrinter().Check() },
	}
	a.addGlobalFlags(root)
	root.SetOut(a.io.Out)
	root.SetErr(a.io.Err)
	root.SetIn(a.io.In)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%v", err) })
	root.AddGroup(&cobra.Group{ID: "content", Title: "Content:"}, &cobra.Group{ID: "account", Title: "Account:"}, &cobra.Group{ID: "tools", Title: "Tools:"})
	addTo(root, "content", newPost(a), newJob(a), newMedia(a), newHelpArticle(a), newWidget(a), newAgent(a), newCanned(a), newTask(a), newModel(a), newEvent(a), newChat(a))
	addTo(root, "account", newLogin(a), newLogout(a), newWhoami(a), newStatus(a), newContext(a), newKey(a))
	addTo(root, "tools", newTUI(a), newAPI(a), newMCP(a), newDoctor(a), newConfig(a), newAlias(a), newVersion(a), newMan(a))
	root.SetHelpCommandGroupID("tools")
	root.SetCompletionCommandGroupID("tools")
	root.SetHelpCommand(newHelp(a))
	return root
}

func (a *app) addGlobalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	f.StringVar(&a.flags.Context, "context", "", "use this context instead of the current one")
	f.StringVar(&a.flags.URL, "url", "", "address of the daemon")
	f.StringVar(&a.flags.URL, "base-url", "", "the same as --url")
	_ = f.MarkHidden("base-url") // the flag exists
	f.BoolVar(&a.flags.Insecure, "insecure", false, "allow plain http:// to another machine")
	f.StringVarP(&a.flags.Output, "output", "o", "", "table, wide, json, jsonl, yaml, csv or ids")
	f.StringVar(&a.flags.json, "json", "", "JSON; --json=id,slug keeps these fields")
	f.Lookup("json").NoOptDefVal = allFields
	f.StringVar(&a.flags.jq, "jq", "", "filter the JSON with a jq expression")
	f.StringVar(&a.flags.template, "template", "", "format the JSON with a Go template")
	f.BoolVar(&a.flags.debug, "debug", false, "tell about each request (or SVC_DEBUG=api)")
	f.BoolVar(&a.io.NoInput, "no-input", a.io.NoInput, "never ask anything")
	f.BoolVarP(&a.flags.yes, "yes", "y", false, "go on without asking")
}

func addTo(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// group is a noun: it has verbs and does nothing itself.
func group(use, short string, aliases []string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Aliases: aliases, Args: cobra.ArbitraryArgs, RunE: runGroup}
	c.AddCommand(verbs...)
	return c
}

func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	f := &failure{Exit: exitUsage, Code: "usage", Message: "there is no command " + cmd.CommandPath() + " " + args[0]}
	cmd.SuggestionsMinimumDistance = 2
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		f.Hint = cmd.CommandPath() + " " + similar[0]
	} else {
		f.Hint = cmd.CommandPath() + " --help"
	}
	return f
}

// exactly and atLeast are cobra's checks as usage errors.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return needs(cmd, args, names)
		}
		return nil
	}
}

func atLeast(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return needs(cmd, args, names)
		}
		return nil
	}
}

func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("%s takes one argument at most, not %d", cmd.CommandPath(), len(args))
	}
	return nil
}

func needs(cmd *cobra.Command, args, names []string) error {
	if len(args) < len(names) {
		return &failure{Exit: exitUsage, Code: "usage", Message: cmd.CommandPath() + " needs " + names[len(args)], Hint: cmd.UseLine()}
	}
	return usage("%s takes %d arguments, not %d", cmd.CommandPath(), len(names), len(args))
}
