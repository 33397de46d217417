package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgesvc.dev/svc/cli/internal/chat"
	"edgesvc.dev/svc/cli/internal/contexts"
	"edgesvc.dev/svc/cli/internal/help"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/mcp"
	"edgesvc.dev/svc/cli/internal/post"
	"edgesvc.dev/svc/cli/internal/task"
	"edgesvc.dev/svc/cli/internal/team"
)

// arguments are what fits where a usage line says so in capitals. Commands of which
// more is known complete for themselves.
var arguments = map[string]kit.Names{
	"CONV": chat.Names, "POST": post.Slugs, "ARTICLE": help.Slugs, "TASK": task.Names, "RUN": kit.Fixed(),
	"MEMBER": team.Members, "chat MEMBER": kit.Fixed("none"), "MESSAGE": kit.Fixed(), "TEXT": kit.Fixed(), "EMAIL": kit.Fixed(),
	"context NAME": contexts.Names, "context [NAME]": contexts.Names, "context NEW": kit.Fixed(), "alias NAME": aliases,
	"config NAME": kit.Fixed("context", "output", "editor"), "mcp NAME": mcp.Tools,
	"claude|cursor|vscode": kit.Fixed("claude", "cursor", "vscode"),
}

// files are the arguments and flags that take a file: shells complete them.
var files = []string{"FILE", "DIR", "file", "dir", "static", "media"}

// words are those that a flag takes.
var words = map[string][]string{
	"status": {"draft", "published", "archived"}, "on-drift": {"fail", "merge", "theirs", "ours"}, "prune": {"archive", "none"}, "slug-from": {"name", "path"},
	"missing-images": {"note", "fail"}, "format": {"md", "html", "jsonl"}, "placement": {"header", "query"}, "locale": {"de", "en", "es", "fr", "it", "nl", "pt"},
	"accent-color": {"#"}, "grace": {"1h", "24h", "7d"}, "expires": {"30d", "90d", "365d"},
	"since": {"1h", "24h", "7d"}, "publish-at": {"2h", "1d", "7d"},
}

// completeAll gives every command and flag below c that completes nothing for
// itself what fits it, and otherwise keeps shells from offering files.
func completeAll(a *kit.App, c *cobra.Command) {
	for _, sub := range c.Commands() {
		completeAll(a, sub)
	}
	if !c.Runnable() || c.HasSubCommands() {
		return
	}
	if c.ValidArgsFunction == nil {
		completeArguments(a, c)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, has := c.GetFlagCompletionFunc(f.Name); has || slices.Contains(files, f.Name) {
			return
		}
		_ = c.RegisterFlagCompletionFunc(f.Name, a.Completion(kit.Fixed(words[f.Name]...))) // the flag exists
	})
}

func completeArguments(a *kit.App, c *cobra.Command) {
	var names []kit.Names
	for word := range strings.FieldsSeq(strings.TrimPrefix(c.Use, c.Name())) {
		of := arguments[word]
		if own := arguments[c.Parent().Name()+" "+word]; own != nil {
			of = own
		}
		switch {
		case of != nil:
			names = append(names, of)
		case slices.ContainsFunc(files, func(file string) bool { return strings.Contains(word, file) }):
			if len(names) == 0 {
				return // shells offer files
			}
			names = append(names, kit.Fixed())
		case word == "[flags]" || strings.HasPrefix(word, "-"):
		default:
			names = append(names, kit.Fixed())
		}
	}
	a.CompleteArgs(c, append(names, kit.Fixed())...)
}
