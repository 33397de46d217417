package cli

import (
	"context"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

type articleNew struct {
	app      *app
	fields   postFields
	write    writeFlags
	category string
	publish  bool
}

func newArticleCreate(a *app) *cobra.Command {
	o := &articleNew{app: a}
	cmd := &cobra.Command{
		Use: "create [FILE|-]", Short: "Create a help article from a file, standard input or flags", Aliases: []string{"new"}, Args: atMostOne,
		Example: "  svcctl help-article create returns.md --category orders --publish\n  echo '# Returns' | svcctl help-article create -",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.fields.title, "title", "", "title")
	f.StringVar(&o.fields.content, "content", "", "HTML, or @file with HTML or (.md) Markdown, @- for standard input")
	f.StringVar(&o.fields.description, "description", "", "excerpt; made from the content without it")
	f.StringVar(&o.fields.slug, "slug", "", "name in addresses")
	f.StringSliceVar(&o.fields.tags, "tag", nil, "tags; more than one with commas or again")
	f.StringVar(&o.fields.locale, "locale", "", "language, such as en or de-AT")
	f.StringVar(&o.category, "category", "", "category: its id or slug")
	f.BoolVar(&o.publish, "publish", false, "publish it at once")
	o.fields.changed = f.Changed
	o.write.add(cmd)
	return cmd
}

func (o *articleNew) run(ctx context.Context, args []string) error {
	f, dir, err := o.fields.file(o.app, args)
	if err != nil {
		return err
	}
	if f == nil {
		return &failure{Exit: exitUsage, Code: "usage", Message: "there is nothing to create a help article from", Hint: "svcctl help-article create FILE.md, or --title and --content"}
	}
	if o.publish {
		o.fields.status = api.ArticlePublished
	}
	o.fields.apply(f)
	if err := f.Check(); err != nil {
		return usage("%v", err)
	}
	if f.Title == "" {
		return &failure{Exit: exitUsage, Code: "usage", Message: "a help article needs a title", Hint: "--title, or a first heading in the file"}
	}
	c, err := o.app.writer(o.write)
	if err != nil {
		return err
	}
	in, err := o.input(ctx, c, f, dir)
	if err != nil {
		return err
	}
	article, err := c.Helpdesk.Create(ctx, in, o.write.options()...)
	if err != nil {
		return err
	}
	o.app.io.Say("created %s (%s, %s)", article.Slug, article.ID, article.Status)
	return o.app.articleResult(article)
}

func (o *articleNew) input(ctx context.Context, c *sdk.Client, f *postfile.File, dir string) (api.ArticleCreate, error) {
	content, err := o.app.content(ctx, c, f, dir)
	if err != nil {
		return api.ArticleCreate{}, err
	}
	post, err := f.Create(content)
	if err != nil {
		return api.ArticleCreate{}, err
	}
	in, err := articleCreate(post)
	if err != nil {
		return in, err
	}
	in.CategoryID, err = categoryID(ctx, c, o.category)
	return in, err
}

// articleResult prints an article that a command changed: its id where no format
// was asked for, so that it can be used in the next command.
func (a *app) articleResult(article *api.Article) error {
	printer, err := a.printer()
	if err != nil {
		return err
	}
	if printer.Structured() || printer.Format != "" {
		return showOne(a, articleView, article)
	}
	return a.printText(article.ID + "\n")
}

func newArticleEdit(a *app) *cobra.Command {
	find := func(ctx context.Context, c *sdk.Client, ref string) (*api.Post, error) {
		return asPost(findArticle(ctx, c, ref))
	}
	return newEdit(&postEdit{app: a, find: find, texts: articleTexts}, "edit ARTICLE", "help article")
}

func newArticleSync(a *app) *cobra.Command {
	return newSync(&postSync{app: a, noun: "help article", texts: articleTexts}, "help-article")
}

// newArticleMove is a verb that changes the status of articles. It goes on after
// one that refuses, and fails with the first refusal.
func newArticleMove(a *app, verb, short, done string,
	move func(*sdk.HelpdeskService, context.Context, api.ArticleRef, ...sdk.CallOption) (*api.Article, error),
) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{Use: verb + " ARTICLE...", Short: short, Args: atLeast(anArticle)}
	w.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		var failed error
		for _, ref := range args {
			c, article, err := a.openArticle(ctx, w, ref)
			if err == nil {
				article, err = move(c.Helpdesk, ctx, api.ArticleRef{ID: article.ID}, w.options()...)
			}
			switch {
			case isDryRun(err):
			case err != nil && failed == nil:
				failed = err
			case err != nil:
				a.report(explain(ctx, err))
			default:
				a.io.Say("%s %s", done, article.Slug)
			}
		}
		return failed
	}
	return cmd
}

type articleDelete struct {
	app     *app
	write   writeFlags
	archive bool
}

func newArticleDelete(a *app) *cobra.Command {
	o := &articleDelete{app: a}
	cmd := &cobra.Command{
		Use: "delete ARTICLE", Short: "Delete an archived help article for good", Aliases: []string{"rm"}, Args: exactly(anArticle),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.write.add(cmd)
	cmd.Flags().BoolVar(&o.archive, "archive", false, "archive it first if it is not")
	return cmd
}

func (o *articleDelete) run(ctx context.Context, ref string) error {
	c, article, err := o.app.openArticle(ctx, o.write, ref)
	if err != nil {
		return err
	}
	archived := article.Status == api.ArticleArchived
	if !archived && !o.archive {
		return &failure{Exit: exitConflict, Code: "invalid_transition", Message: "only archived help articles can be deleted; " + article.Slug + " is " + article.Status, Hint: "svcctl help-article archive " + article.Slug + ", or --archive"}
	}
	if !o.write.dryRun {
		if err := o.app.confirm("deleting "+terminal.Line(article.Title)+" for good", article.Slug); err != nil {
			return err
		}
	}
	if !archived {
		if _, err := c.Helpdesk.Archive(ctx, api.ArticleRef{ID: article.ID}); err != nil {
			return err
		}
	}
	if err := c.Helpdesk.Delete(ctx, api.ArticleRef{ID: article.ID}, o.write.options()...); err != nil {
		return err
	}
	o.app.io.Say("deleted %s (%s)", article.Slug, article.ID)
	return nil
}
