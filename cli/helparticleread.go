package cli

import (
	"context"
	"fmt"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

type articleList struct {
	app                   *app
	list                  listFlags
	status, tag, category string
}

func newArticleList(a *app) *cobra.Command {
	o := &articleList{app: a}
	cmd := &cobra.Command{
		Use: "list", Short: "List help articles, newest first", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.list.add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.status, "status", "", "draft, published or archived")
	f.StringVar(&o.tag, "tag", "", "with this tag")
	f.StringVar(&o.category, "category", "", "of this category: its id or slug")
	return cmd
}

func (o *articleList) run(ctx context.Context) error {
	c, err := o.app.client()
	if err != nil {
		return err
	}
	q := api.ArticleQuery{PageQuery: o.list.page(), Status: strings.ToUpper(o.status), Tag: o.tag}
	if q.CategoryID, err = categoryID(ctx, c, o.category); err != nil {
		return err
	}
	return showList(o.app, o.list, articleView, c.Helpdesk.All(ctx, q))
}

type articleGet struct {
	app           *app
	md, html, web bool
}

func newArticleGet(a *app) *cobra.Command {
	o := &articleGet{app: a}
	cmd := &cobra.Command{
		Use: "get ARTICLE", Short: "Show a help article", Aliases: []string{"show"}, Args: exactly(anArticle),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVar(&o.md, "md", false, "print Markdown with front matter")
	cmd.Flags().BoolVar(&o.html, "html", false, "print the HTML as it is stored")
	cmd.Flags().BoolVar(&o.web, "web", false, "open the public page in the browser")
	cmd.MarkFlagsMutuallyExclusive("md", "html", "web")
	return cmd
}

func (o *articleGet) run(ctx context.Context, ref string) error {
	c, article, err := o.app.openArticle(ctx, writeFlags{}, ref)
	if err != nil {
		return err
	}
	switch {
	case o.html:
		return o.app.printText(article.Content + "\n")
	case o.md:
		p, err := asPost(article, nil)
		if err != nil {
			return err
		}
		b, err := fileText(p, false)
		if err != nil {
			return err
		}
		return o.app.printText(string(b))
	case o.web:
		me, err := c.Me(ctx)
		if err != nil {
			return err
		}
		return o.app.open(o.app.settings.URL + "/" + me.Team.Slug + "/help/" + article.Slug)
	}
	return o.show(article)
}

// show prints an article: for a person its members, and then the text.
func (o *articleGet) show(article *api.Article) error {
	printer, err := o.app.printer()
	if err != nil {
		return err
	}
	if err := showOne(o.app, articleView, article); err != nil || printer.Structured() || printer.Format == "ids" || printer.Format == "csv" {
		return err
	}
	md, err := postfile.Markdown(article.Content)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(o.app.io.Out, "\n"+terminal.Clean(md))
	return err
}

var hitView = output.View[api.HelpHit]{
	ID: func(h *api.HelpHit) string { return h.ArticleID },
	Columns: []output.Column[api.HelpHit]{
		{Name: "slug", Value: func(h *api.HelpHit) string { return h.Slug }, Flex: true},
		{Name: "title", Value: func(h *api.HelpHit) string { return h.Title }, Flex: true},
		{Name: "answer", Value: func(h *api.HelpHit) string { return h.Quote }, Flex: true},
		{Name: "score", Value: func(h *api.HelpHit) string { return fmt.Sprintf("%.2f", h.Score) }, Wide: true},
		{Name: "covered", Value: func(h *api.HelpHit) string { return fmt.Sprintf("%.0f %%", 100*h.Covered) }, Wide: true},
		{Name: "id", Value: func(h *api.HelpHit) string { return h.ArticleID }, Wide: true},
	},
}

type articleSearch struct {
	app     *app
	limit   int
	status  string
	explain bool
}

func newArticleSearch(a *app) *cobra.Command {
	o := &articleSearch{app: a}
	cmd := &cobra.Command{
		Use: "search QUESTION...", Short: "Find the help articles that answer a question", Args: atLeast("a question"),
		Example: "  svcctl help-article search \"how do refunds work\" --explain",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), strings.Join(args, " ")) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.limit, "limit", "L", 10, "most articles to show")
	f.StringVar(&o.status, "status", "published", "draft, published or archived")
	f.BoolVar(&o.explain, "explain", false, "tell how well each article answers, and with what words")
	return cmd
}

func (o *articleSearch) run(ctx context.Context, q string) error {
	if o.limit < 1 || o.limit > 50 {
		return usage("--limit goes from 1 to 50")
	}
	c, err := o.app.client()
	if err != nil {
		return err
	}
	hits, err := c.Helpdesk.Search(ctx, api.HelpSearch{Q: q, Limit: o.limit, Status: strings.ToUpper(o.status)})
	if err != nil {
		return err
	}
	p, err := o.app.printer()
	if err != nil {
		return err
	}
	if !o.explain || p.Structured() || p.Format != "" {
		return showList(o.app, listFlags{all: true}, hitView, list(hits))
	}
	return o.tell(hits)
}

// tell shows a person why each article was found.
func (o *articleSearch) tell(hits []api.HelpHit) error {
	if len(hits) == 0 {
		o.app.io.Say("no article holds enough of the question's words in one place; svcctl help-article gap list shows what visitors missed")
		return nil
	}
	style := o.app.io.OutStyle()
	for _, h := range hits {
		_, err := fmt.Fprintf(o.app.io.Out, "%s  /%s\n  score %.2f, %.0f %% of the question's words in one place\n", terminal.Line(h.Title), h.Slug, h.Score, 100*h.Covered)
		if err == nil && h.Quote != "" {
			_, err = fmt.Fprintf(o.app.io.Out, "  %s\n", style.Dim("“"+terminal.Line(h.Quote)+"”"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
