package help

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

type articleNew struct {
	app      *kit.App
	fields   writing.Fields
	write    kit.WriteFlags
	category string
	publish  bool
}

func newCreate(a *kit.App) *cobra.Command {
	o := &articleNew{app: a}
	cmd := &cobra.Command{
		Use: "create [FILE|-]", Short: "Create a help article from a file, standard input or flags", Aliases: []string{"new"}, Args: kit.AtMostOne,
		Example: "  svcctl help-article create returns.md --category orders --publish\n  echo '# Returns' | svcctl help-article create -",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.fields.Title, "title", "", "title")
	f.StringVar(&o.fields.Content, "content", "", "HTML, or @file with HTML or (.md) Markdown, @- for standard input")
	f.StringVar(&o.fields.Description, "description", "", "excerpt; made from the content without it")
	f.StringVar(&o.fields.Slug, "slug", "", "name in addresses")
	f.StringSliceVar(&o.fields.Tags, "tag", nil, "tags; more than one with commas or again")
	f.StringVar(&o.fields.Locale, "locale", "", "language, such as en or de-AT")
	f.StringVar(&o.category, "category", "", "category: its id or slug")
	f.BoolVar(&o.publish, "publish", false, "publish it at once")
	o.fields.Changed = f.Changed
	o.write.Add(cmd)
	return cmd
}

func (o *articleNew) run(ctx context.Context, args []string) error {
	f, dir, err := o.fields.File(o.app, args)
	if err != nil {
		return err
	}
	if f == nil {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "there is nothing to create a help article from", Hint: "svcctl help-article create FILE.md, or --title and --content"}
	}
	if o.publish {
		o.fields.Status = api.ArticlePublished
	}
	o.fields.Apply(f)
	if err := f.Check(); err != nil {
		return kit.Usage("%v", err)
	}
	if f.Title == "" {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "a help article needs a title", Hint: "--title, or a first heading in the file"}
	}
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	in, err := o.input(ctx, c, f, dir)
	if err != nil {
		return err
	}
	article, err := c.Articles.Create(ctx, in, o.write.Options()...)
	if err != nil {
		return err
	}
	o.app.IO.Say("created %s (%s, %s)", article.Slug, article.ID, article.Status)
	return articleResult(o.app, article)
}

func (o *articleNew) input(ctx context.Context, c *sdk.Client, f *postfile.File, dir string) (api.ArticleCreate, error) {
	content, err := writing.Content(ctx, o.app, c, f, dir)
	if err != nil {
		return api.ArticleCreate{}, err
	}
	post, err := f.Create(content)
	if err != nil {
		return api.ArticleCreate{}, err
	}
	in, err := create(post)
	if err != nil {
		return in, err
	}
	in.CategoryID, err = categoryID(ctx, c, o.category)
	return in, err
}

// articleResult prints an article that a command changed: its id where no format
// was asked for, so that it can be used in the next command.
func articleResult(a *kit.App, article *api.Article) error {
	printer, err := a.Printer()
	if err != nil {
		return err
	}
	if printer.Structured() || printer.Format != "" {
		return kit.ShowOne(a, view, article)
	}
	return a.PrintText(article.ID + "\n")
}

func newEdit(a *kit.App) *cobra.Command {
	find := func(ctx context.Context, c *sdk.Client, ref string) (*api.Post, error) {
		return asPost(findArticle(ctx, c, ref))
	}
	return writing.NewEdit(&writing.Editor{App: a, Find: find, Texts: texts}, "edit ARTICLE", "help article")
}

func newSync(a *kit.App) *cobra.Command {
	return writing.NewSync(&writing.Syncer{App: a, Noun: "help article", Texts: texts}, "help-article")
}

// newMove is a verb that changes the status of articles. It goes on after
// one that refuses, and fails with the first refusal.
func newMove(a *kit.App, verb, short, done string,
	move func(*sdk.ArticlesService, context.Context, api.ArticleRef, ...sdk.CallOption) (*api.Article, error),
) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{Use: verb + " ARTICLE...", Short: short, Args: kit.AtLeast(anArticle)}
	w.Add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		var failed error
		for _, ref := range args {
			c, article, err := openArticle(ctx, a, w, ref)
			if err == nil {
				article, err = move(c.Articles, ctx, api.ArticleRef{ID: article.ID}, w.Options()...)
			}
			switch {
			case kit.IsDryRun(err):
			case err != nil && failed == nil:
				failed = err
			case err != nil:
				a.Report(kit.Explain(ctx, err))
			default:
				a.IO.Say("%s %s", done, article.Slug)
			}
		}
		return failed
	}
	return cmd
}

type articleDelete struct {
	app     *kit.App
	write   kit.WriteFlags
	archive bool
}

func newDelete(a *kit.App) *cobra.Command {
	o := &articleDelete{app: a}
	cmd := &cobra.Command{
		Use: "delete ARTICLE", Short: "Delete an archived help article for good", Aliases: []string{"rm"}, Args: kit.Exactly(anArticle),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.write.Add(cmd)
	cmd.Flags().BoolVar(&o.archive, "archive", false, "archive it first if it is not")
	return cmd
}

func (o *articleDelete) run(ctx context.Context, ref string) error {
	c, article, err := openArticle(ctx, o.app, o.write, ref)
	if err != nil {
		return err
	}
	archived := article.Status == api.ArticleArchived
	if !archived && !o.archive {
		return &kit.Failure{Exit: kit.ExitConflict, Code: "invalid_transition", Message: "only archived help articles can be deleted; " + article.Slug + " is " + article.Status, Hint: "svcctl help-article archive " + article.Slug + ", or --archive"}
	}
	if !o.write.DryRun {
		if err := o.app.Confirm("deleting "+terminal.Line(article.Title)+" for good", article.Slug); err != nil {
			return err
		}
	}
	if !archived {
		if _, err := c.Articles.Archive(ctx, api.ArticleRef{ID: article.ID}); err != nil {
			return err
		}
	}
	if err := c.Articles.Delete(ctx, api.ArticleRef{ID: article.ID}, o.write.Options()...); err != nil {
		return err
	}
	o.app.IO.Say("deleted %s (%s)", article.Slug, article.ID)
	return nil
}
