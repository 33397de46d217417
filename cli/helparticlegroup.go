package cli

import (
	"context"
	"regexp"
	"strconv"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var categoryView = output.View[api.Category]{
	ID: func(c *api.Category) string { return c.ID },
	Columns: []output.Column[api.Category]{
		{Name: "slug", Value: func(c *api.Category) string { return c.Slug }, Flex: true},
		{Name: "name", Value: func(c *api.Category) string { return c.Name }, Flex: true},
		{Name: "position", Value: func(c *api.Category) string { return strconv.Itoa(c.Position) }},
		{Name: "id", Value: func(c *api.Category) string { return c.ID }},
	},
}

var categoryRef = regexp.MustCompile(`^cat_[0-9a-z]{26}$`)

// categoryID is the id of the category that ref names, by id or slug; "" of "".
func categoryID(ctx context.Context, c *sdk.Client, ref string) (string, error) {
	if ref == "" || categoryRef.MatchString(ref) {
		return ref, nil
	}
	for found, err := range c.Helpdesk.Categories(ctx) {
		if err != nil {
			return "", err
		}
		if found.Slug == ref {
			return found.ID, nil
		}
	}
	return "", &failure{Exit: exitNotFound, Code: "not_found", Message: "there is no category " + terminal.Line(ref), Hint: "svcctl help-article category list"}
}

const aCategory = "a category: its id or slug"

func newCategory(a *app) *cobra.Command {
	return group("category", "Categories of help articles", []string{"categories"},
		newCategoryList(a), newCategoryCreate(a), newCategoryPatch(a), newCategoryDelete(a))
}

func newCategoryList(a *app) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List categories by their position", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			return showList(a, l, categoryView, c.Helpdesk.Categories(cmd.Context()))
		},
	}
	l.add(cmd)
	return cmd
}

func newCategoryCreate(a *app) *cobra.Command {
	var w writeFlags
	var in api.CategoryCreate
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a category", Aliases: []string{"new"}, Args: exactly("a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.writer(w)
			if err != nil {
				return err
			}
			in.Name = args[0]
			made, err := c.Helpdesk.CreateCategory(cmd.Context(), in, w.options()...)
			if err != nil {
				return err
			}
			return a.categoryResult("created", made)
		},
	}
	w.add(cmd)
	cmd.Flags().StringVar(&in.Slug, "slug", "", "name in addresses")
	cmd.Flags().IntVar(&in.Position, "position", 0, "place on the help pages, ascending")
	return cmd
}

func newCategoryPatch(a *app) *cobra.Command {
	var w writeFlags
	var name, slug string
	var position int
	cmd := &cobra.Command{Use: "patch CATEGORY", Short: "Change a category", Aliases: []string{"update"}, Args: exactly(aCategory)}
	w.add(cmd)
	f := cmd.Flags()
	f.StringVar(&name, "name", "", "name")
	f.StringVar(&slug, "slug", "", "name in addresses")
	f.IntVar(&position, "position", 0, "place on the help pages, ascending")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := a.writer(w)
		if err != nil {
			return err
		}
		var patch api.CategoryPatch
		if patch.ID, err = categoryID(cmd.Context(), c, args[0]); err != nil {
			return err
		}
		if f.Changed("name") {
			patch.Name = api.Some(name)
		}
		if f.Changed("slug") {
			patch.Slug = api.Some(slug)
		}
		if f.Changed("position") {
			patch.Position = api.Some(position)
		}
		changed, err := c.Helpdesk.UpdateCategory(cmd.Context(), patch, w.options()...)
		if err != nil {
			return err
		}
		return a.categoryResult("changed", changed)
	}
	return cmd
}

func (a *app) categoryResult(done string, c *api.Category) error {
	a.io.Say("%s %s", done, c.Slug)
	p, err := a.printer()
	if err != nil {
		return err
	}
	if p.Structured() || p.Format != "" {
		return showOne(a, categoryView, c)
	}
	return a.printText(c.ID + "\n")
}

func newCategoryDelete(a *app) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{
		Use: "delete CATEGORY", Short: "Delete a category; its articles are left without one", Aliases: []string{"rm"}, Args: exactly(aCategory),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.writer(w)
			if err != nil {
				return err
			}
			id, err := categoryID(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if !w.dryRun {
				if err := a.confirm("deleting the category "+terminal.Line(args[0]), args[0]); err != nil {
					return err
				}
			}
			if err := c.Helpdesk.DeleteCategory(cmd.Context(), api.CategoryRef{ID: id}, w.options()...); err != nil {
				return err
			}
			a.io.Say("deleted %s", args[0])
			return nil
		},
	}
	w.add(cmd)
	return cmd
}

var gapView = output.View[api.Gap]{
	ID: func(g *api.Gap) string { return g.ID },
	Columns: []output.Column[api.Gap]{
		{Name: "id", Value: func(g *api.Gap) string { return g.ID }},
		{Name: "asked", Value: func(g *api.Gap) string { return strconv.Itoa(g.Count) }},
		{Name: "question", Value: func(g *api.Gap) string { return g.Question }, Flex: true},
		when("last", func(g *api.Gap) api.Time { return g.UpdatedAt }),
		{Name: "state", Value: func(g *api.Gap) string { return g.State }, Wide: true},
		{Name: "article", Value: func(g *api.Gap) string { return g.ArticleID }, Wide: true},
	},
}

func newGap(a *app) *cobra.Command {
	return group("gap", "Questions that no help article answers", []string{"gaps"}, newGapList(a), newGapDismiss(a), newGapDraft(a))
}

func newGapList(a *app) *cobra.Command {
	var l listFlags
	var state string
	cmd := &cobra.Command{
		Use: "list", Short: "List questions without an answer", Aliases: []string{"ls"}, Args: exactly(),
		Example: "  svcctl help-article gap list --sort -count",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			return showList(a, l, gapView, c.Helpdesk.Gaps(cmd.Context(), api.GapQuery{PageQuery: l.page(), State: state}))
		},
	}
	l.add(cmd)
	cmd.Flags().StringVar(&state, "state", "open", "open, drafted or dismissed")
	return cmd
}

func newGapDismiss(a *app) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{
		Use: "dismiss ID", Short: "Set a question aside", Args: exactly("the gap's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.writer(w)
			if err != nil {
				return err
			}
			g, err := c.Helpdesk.DismissGap(cmd.Context(), args[0], w.options()...)
			if err != nil {
				return err
			}
			a.io.Say("dismissed %s", terminal.Line(g.Question))
			return nil
		},
	}
	w.add(cmd)
	return cmd
}

func newGapDraft(a *app) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{
		Use: "draft ID", Short: "Make a draft help article of a question", Args: exactly("the gap's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.writer(w)
			if err != nil {
				return err
			}
			article, err := c.Helpdesk.DraftGap(cmd.Context(), args[0], w.options()...)
			if err != nil {
				return err
			}
			a.io.Say("drafted %s; svcctl help-article edit %s", article.Slug, article.Slug)
			return a.articleResult(article)
		},
	}
	w.add(cmd)
	return cmd
}
