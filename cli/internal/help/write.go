package help

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/postfile"
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
	addFields(cmd, &o.fields)
	nouns.Category.Lookup("category", "category: its id or slug").Add(a, cmd, &o.category)
	cmd.Flags().BoolVar(&o.publish, "publish", false, "publish it at once")
	o.write.Add(cmd)
	return cmd
}

// addFields gives cmd the flags of the members that an article has.
func addFields(cmd *cobra.Command, o *writing.Fields) {
	f := cmd.Flags()
	f.StringVar(&o.Title, "title", "", "title")
	f.StringVar(&o.Content, "content", "", "HTML, or @file with HTML or (.md) Markdown, @- for standard input")
	f.StringVar(&o.Description, "description", "", "excerpt; made from the content without it")
	f.StringVar(&o.Slug, "slug", "", "name in addresses")
	f.StringSliceVar(&o.Tags, "tag", nil, "tags; separate them with commas or repeat the flag")
	f.StringVar(&o.Locale, "locale", "", "language, such as en or de-AT")
	o.Changed = f.Changed
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
	return texts.Result(o.app, article)
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
	if o.category != "" {
		in.CategoryID, err = nouns.Category.ID(ctx, o.app, o.category)
	}
	return in, err
}

func newEdit(a *kit.App) *cobra.Command {
	return writing.NewEdit(editor(a), "edit ARTICLE", "help article")
}

// editor is what edits the help articles of a team.
func editor(a *kit.App) *writing.Editor {
	find := func(ctx context.Context, c *sdk.Client, ref string) (*api.Post, error) {
		return orPost(texts.Find(ctx, c, ref))
	}
	return &writing.Editor{App: a, Find: find, Texts: asTexts}
}

func newSync(a *kit.App) *cobra.Command {
	return writing.NewSync(syncer(a))
}

func syncer(a *kit.App) *writing.Syncer {
	return &writing.Syncer{App: a, Page: "/help/", Noun: "help article", Group: "help-article", Texts: inFolders}
}
