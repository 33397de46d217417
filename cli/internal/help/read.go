package help

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var list = crud.Lister[api.Article, api.ArticleQuery]{
	Path: "help-article", Plural: "help articles, newest first", Example: "--status draft --category orders", View: view,
	Help:    map[string]string{"tag": "with this tag"},
	Refs:    map[string]crud.Lookup{"categoryId": nouns.Category.Lookup("category", "of this category: its id or slug")},
	Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Article, api.ArticleQuery] { return c.Articles.List }),
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

type search struct {
	app     *kit.App
	limit   int
	status  string
	locale  string
	explain bool
}

func newSearch(a *kit.App) *cobra.Command {
	o := &search{app: a}
	cmd := &cobra.Command{
		Use: "search QUESTION...", Short: "Find the help articles that answer a question", Args: kit.AtLeast("a question"),
		Example: "  svcctl help-article search \"how do refunds work\" --explain",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), strings.Join(args, " ")) },
	}
	f := cmd.Flags()
	f.IntVarP(&o.limit, "limit", "L", 10, "most articles to show")
	f.StringVar(&o.status, "status", "published", "draft, published or archived")
	f.StringVar(&o.locale, "locale", "", "only articles of this language, such as de")
	f.BoolVar(&o.explain, "explain", false, "tell how much of the question each article has, and in which sections")
	return cmd
}

func (o *search) run(ctx context.Context, q string) error {
	if o.limit < 1 || o.limit > 50 {
		return kit.Usage("--limit goes from 1 to 50")
	}
	c, err := o.app.Client()
	if err != nil {
		return err
	}
	hits, err := c.Helpdesk.Search(ctx, api.HelpSearch{Q: q, Limit: o.limit, Status: strings.ToUpper(o.status), Locale: o.locale})
	if err != nil {
		return err
	}
	p, err := o.app.Printer()
	if err != nil {
		return err
	}
	if !o.explain || p.Structured() || p.Format != "" {
		return kit.ShowList(o.app, kit.ListFlags{All: true}, hitView, kit.List(hits))
	}
	return o.tell(hits)
}

// tell shows a person why each article was found.
func (o *search) tell(hits []api.HelpHit) error {
	if len(hits) == 0 {
		o.app.IO.Say("no article has a word of it; svcctl help-article gap list shows what visitors missed")
		return nil
	}
	for i := range hits {
		if err := o.explainHit(&hits[i]); err != nil {
			return err
		}
	}
	return nil
}

func (o *search) explainHit(h *api.HelpHit) error {
	style := o.app.IO.OutStyle()
	var b strings.Builder
	fmt.Fprintf(&b, "%s  /%s\n  score %.2f, %.0f %% of the question\n", terminal.Line(h.Title), h.Slug, h.Score, 100*h.Covered)
	for _, s := range h.Sections {
		if len(s.Path) > 0 {
			fmt.Fprintf(&b, "  %s  #%s\n", terminal.Line(strings.Join(s.Path, " › ")), terminal.Line(s.Anchor))
		}
		if s.Snippet != "" {
			fmt.Fprintf(&b, "  %s\n", style.Dim("“"+terminal.Line(s.Snippet)+"”"))
		}
	}
	_, err := fmt.Fprint(o.app.IO.Out, b.String())
	return err
}
