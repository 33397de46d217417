package post

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func newList(a *kit.App) *cobra.Command {
	list := crud.Lister[api.Post, api.PostQuery]{
		Path: "post", Plural: "posts, newest first", View: view,
		Help: map[string]string{
			"tag": "with this tag", "model": "written by this model", "q": "with these words, the best first (at most 200)",
			"createdAfter": "created not longer ago than 7d, 3h, or since a time", "createdBefore": "created before a time, or longer ago than 7d",
		},
		Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Post, api.PostQuery] { return c.Posts.List }),
		More: func(cmd *cobra.Command) func(map[string]json.RawMessage) {
			content := cmd.Flags().Bool("content", false, "add the content to JSON output")
			return func(query map[string]json.RawMessage) {
				if *content {
					query["include"] = json.RawMessage(`"content"`)
				}
			}
		},
	}
	cmd := list.New(a)
	cmd.Example = "  svcctl post list --status draft --jq '.[].slug'\n  svcctl post list --since 7d --sort -wordCount\n  svcctl post list -q \"how to bake bread\""
	return cmd
}
