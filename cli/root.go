package cli

import (
	"slices"
	"strings"

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
	"edgesvc.dev/svc/cli/internal/site"
	"edgesvc.dev/svc/cli/internal/task"
	"edgesvc.dev/svc/cli/internal/team"
	"edgesvc.dev/svc/cli/internal/widget"
)

// entry is a command below svcctl. Its names are here so that a command line
// makes only the command that it names: all of them take longer than some run.
type entry struct {
	group string
	names []string // the name and its aliases
	make  func(*kit.App) *cobra.Command
}

// entries are the commands.
func entries() []entry {
	return []entry{
		{"content", []string{"post", "posts"}, post.New},
		{"content", []string{"job", "jobs"}, job.New},
		{"content", []string{"media"}, media.New},
		{"content", []string{"help-article", "help-articles"}, help.New},
		{"content", []string{"widget", "widgets"}, widget.New},
		{"content", []string{"site"}, site.New},
		{"content", []string{"agent", "agents"}, agent.New},
		{"content", []string{"canned", "canned-response", "canned-responses"}, canned.New},
		{"content", []string{"task", "tasks"}, task.New},
		{"content", []string{"model", "models"}, model.New},
		{"content", []string{"event", "events"}, event.New},
		{"content", []string{"chat", "chats", "conversation", "conversations"}, chat.New},
		{"account", []string{"login"}, login.New},
		{"account", []string{"logout"}, login.NewLogout},
		{"account", []string{"whoami"}, login.NewWhoami},
		{"account", []string{"status"}, login.NewStatus},
		{"account", []string{"context", "contexts", "ctx"}, contexts.New},
		{"account", []string{"key", "keys"}, key.New},
		{"account", []string{"team"}, team.New},
		{"account", []string{"member", "members"}, team.NewMember},
		{"account", []string{"session", "sessions"}, team.NewSession},
		{"account", []string{"brand"}, team.NewBrand},
		{"account", []string{"audit"}, team.NewAudit},
		{"tools", []string{"tui", "ui"}, screens.New},
		{"tools", []string{"api"}, raw.New},
		{"tools", []string{"mcp"}, mcp.New},
		{"tools", []string{"doctor"}, newDoctor},
		{"tools", []string{"config"}, config.New},
		{"tools", []string{"alias"}, newAlias},
		{"tools", []string{"version"}, newVersion},
		{"tools", []string{"man"}, newMan},
	}
}

// wanted are the commands that a command line needs: the one that it names, or
// all where it names none of them, or one that looks at all.
func wanted(args []string) []entry {
	if len(args) == 0 || args[0] == "man" {
		return entries()
	}
	if args[0] == "--version" {
		return nil
	}
	for _, e := range entries() {
		if slices.Contains(e.names, args[0]) {
			return []entry{e}
		}
	}
	return entries()
}

// newRoot is svcctl, with the commands that args need.
func newRoot(a *kit.App, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "svcctl",
		Short:         "Publish and generate posts with svc",
		Long:          "svcctl works with a svc daemon: posts, generation jobs, keys, and everything else over its API.\n\nStart with svcctl login; svcctl help --map shows every command.",
		Version:       a.Version,
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
	root.SetVersionTemplate(versionLine(a) + "\n")
	root.SetFlagErrorFunc(kit.FlagError)
	root.AddGroup(&cobra.Group{ID: "content", Title: "Content:"}, &cobra.Group{ID: "account", Title: "Account:"}, &cobra.Group{ID: "tools", Title: "Tools:"})
	for _, e := range wanted(args) {
		c := e.make(a)
		c.GroupID = e.group
		root.AddCommand(c)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completeAll(a, root)
	}
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
