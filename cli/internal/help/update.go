package help

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk/api"
)

type update struct {
	app      *kit.App
	fields   writing.Fields
	write    kit.WriteFlags
	category string
	changed  func(flag string) bool
}

func newUpdate(a *kit.App) *cobra.Command {
	o := &update{app: a, write: kit.WriteFlags{Versioned: true}}
	cmd := &cobra.Command{
		Use: "update ARTICLE", Short: "Change some of a help article", Aliases: []string{"patch"}, Args: kit.Exactly(anArticle),
		Example: "  svcctl help-article update returns --title 'Returns and refunds' --if-match 7\n  svcctl help-article update returns --content @returns.md",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	addFields(cmd, &o.fields)
	cmd.Flags().StringVar(&o.fields.Status, "status", "", "draft, published or archived")
	nouns.Category.Lookup("category", "category: its id or slug; empty for none").Add(a, cmd, &o.category)
	o.changed = cmd.Flags().Changed
	o.write.Add(cmd)
	a.CompleteFirst(cmd, texts.Slugs)
	return cmd
}

func (o *update) run(ctx context.Context, ref string) error {
	version, err := o.write.Version()
	if err != nil {
		return err
	}
	if !o.fields.Any() && !o.changed("category") {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "say what to change", Hint: "svcctl help-article update " + ref + " --title, --content, --category …; svcctl help-article edit " + ref}
	}
	c, article, err := texts.Open(ctx, o.app, o.write, ref)
	if err != nil {
		return err
	}
	f, content, err := o.fields.Patched(ctx, o.app, c)
	if err != nil {
		return err
	}
	patch, err := o.patch(ctx, f, article, content)
	if err != nil {
		return err
	}
	patch.IfMatch = version
	changed, err := c.Articles.Update(ctx, patch, o.write.Options()...)
	if err != nil {
		return err
	}
	o.app.IO.Say("changed %s (version %d)", changed.Slug, changed.Version)
	return texts.Result(o.app, changed)
}

func (o *update) patch(ctx context.Context, f *postfile.File, article *api.Article, content *string) (api.ArticlePatch, error) {
	var patch api.ArticlePatch
	in, _, err := f.Patch(asPost(article), content)
	if err != nil {
		return patch, err
	}
	if patch, err = articlePatch(in); err != nil {
		return patch, err
	}
	switch {
	case o.category != "":
		id, err := nouns.Category.ID(ctx, o.app, o.category)
		if err != nil {
			return patch, err
		}
		patch.CategoryID = api.Some(id)
	case o.changed("category"):
		patch.CategoryID = api.Null[string]()
	}
	patch.ID = article.ID
	return patch, nil
}
