package cli

import (
	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/agent"
	"edgesvc.dev/svc/cli/internal/canned"
	"edgesvc.dev/svc/cli/internal/chat"
	"edgesvc.dev/svc/cli/internal/config"
	"edgesvc.dev/svc/cli/internal/contexts"
	"edgesvc.dev/svc/cli/internal/event"
	"edgesvc.dev/svc/cli/internal/help"
	"edgesvc.dev/svc/cli/internal/job"
	"edgesvc.dev/svc/cli/internal/key"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/login"
	"edgesvc.dev/svc/cli/internal/mcp"
	"edgesvc.dev/svc/cli/internal/media"
	"edgesvc.dev/svc/cli/internal/model"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/post"
	"edgesvc.dev/svc/cli/internal/raw"
	"edgesvc.dev/svc/cli/internal/screens"
	"edgesvc.dev/svc/cli/internal/task"
	"edgesvc.dev/svc/cli/internal/team"
	"edgesvc.dev/svc/cli/internal/widget"
)

func newRoot(a *kit.App) *cobra.Command {
	root := &cobra.Command{
		Use:           "svcctl",
		Short:         "Publish and generate posts with svc",
		Long:          "svcctl works with a svc daemon: posts, generation jobs, keys, and everything else over its API.\n\nStart with svcctl login; svcctl help --map shows every command.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          kit.RunGroup,
		// A wrong -o or --jq is found before anything is done.
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.FlagPrinter().Check() },
	}
	addGlobalFlags(a, root)
	root.SetOut(a.IO.Out)
	root.SetErr(a.IO.Err)
	root.SetIn(a.IO.In)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return kit.Usage("%v", err) })
	root.AddGroup(&cobra.Group{ID: "content", Title: "Content:"}, &cobra.Group{ID: "account", Title: "Account:"}, &cobra.Group{ID: "tools", Title: "Tools:"})
	addTo(root, "content", post.New(a), job.New(a), media.New(a), help.New(a), widget.New(a), agent.New(a), canned.New(a), task.New(a), model.New(a), event.New(a), chat.New(a))
	addTo(root, "account", login.New(a), login.NewLogout(a), login.NewWhoami(a), login.NewStatus(a), contexts.New(a), key.New(a),
		team.New(a), team.NewMember(a), team.NewSession(a), team.NewBrand(a), team.NewAudit(a))
	addTo(root, "tools", screens.New(a), raw.New(a), mcp.New(a), newDoctor(a), config.New(a), newAlias(a), newVersion(a), newMan(a))
	root.SetHelpCommandGroupID("tools")
	root.SetCompletionCommandGroupID("tools")
	root.SetHelpCommand(newHelp(a))
	return root
}

func addGlobalFlags(a *kit.App, root *cobra.Command) {
	f := root.PersistentFlags()
	f.SortFlags = false
	f.StringVar(&a.Flags.Context, "context", "", "use this context instead of the current one")
	f.StringVar(&a.Flags.URL, "url", "", "address of the daemon")
	f.StringVar(&a.Flags.URL, "base-url", "", "the same as --url")
	_ = f.MarkHidden("base-url") // the flag exists
	f.BoolVar(&a.Flags.Insecure, "insecure", false, "allow plain http:// to another machine")
	f.StringVarP(&a.Flags.Output, "output", "o", "", "table, wide, json, jsonl, yaml, csv or ids")
	f.StringVar(&a.Flags.JSON, "json", "", "JSON; --json=id,slug keeps these fields")
	f.Lookup("json").NoOptDefVal = kit.AllFields
	f.StringVar(&a.Flags.JQ, "jq", "", "filter the JSON with a jq expression")
	f.StringVar(&a.Flags.Template, "template", "", "format the JSON with a Go template")
	f.BoolVar(&a.Flags.Debug, "debug", false, "tell about each request (or SVC_DEBUG=api)")
	f.BoolVar(&a.IO.NoInput, "no-input", a.IO.NoInput, "never ask anything")
	f.BoolVarP(&a.Flags.Yes, "yes", "y", false, "go on without asking")
	formats := cobra.FixedCompletions(output.Formats(), cobra.ShellCompDirectiveNoFileComp)
	_ = root.RegisterFlagCompletionFunc("output", formats)                       // the flag exists
	_ = root.RegisterFlagCompletionFunc("context", a.Completion(contexts.Names)) // the flag exists
}

func addTo(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}
