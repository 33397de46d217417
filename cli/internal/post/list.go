package post

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk/api"
)

type list struct {
	app            *kit.App
	list           kit.ListFlags
	status, tag    string
	search, model  string
	since, before  string
	includeContent bool
}

func newList(a *kit.App) *cobra.Command {
	o := &list{app: a}
	cmd := &cobra.Command{
		Use: "list", Short: "List posts, newest first", Aliases: []string{"ls"}, Args: kit.Exactly(),
		Example: "  svcctl post list --status draft --jq '.[].slug'\n  svcctl post list --since 7d --sort -wordCount",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.list.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.status, "status", "", "draft, published or archived")
	f.StringVar(&o.tag, "tag", "", "with this tag")
	f.StringVar(&o.search, "search", "", "with these words in title, description, slug or tags")
	f.StringVar(&o.model, "model", "", "written by this model")
	f.StringVar(&o.since, "since", "", "created not longer ago than 7d, 3h, or since a time")
	f.StringVar(&o.before, "before", "", "created before a time, or longer ago than 7d")
	f.BoolVar(&o.includeContent, "content", false, "add the content to JSON output")
	return cmd
}

func (o *list) run(ctx context.Context) error {
	q := api.PostQuery{PageQuery: o.list.Page(), Status: strings.ToUpper(o.status), Tag: o.tag, Q: o.search, Model: o.model}
	var err error
	if q.CreatedAfter, err = kit.ParseSince(o.since); err != nil {
		return err
	}
	if q.CreatedBefore, err = kit.ParseSince(o.before); err != nil {
		return err
	}
	if o.includeContent {
		q.Include = "content"
		q.Limit = min(q.Limit, 20) // a page of long posts stays below the answer's limit
	}
	c, err := o.app.Client()
	if err != nil {
		return err
	}
	return kit.ShowList(o.app, o.list, view, c.Posts.All(ctx, q))
}
