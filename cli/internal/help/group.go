package help

import (
	"context"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
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
	for found, err := range c.Categories.All(ctx, api.CategoryQuery{}) {
		if err != nil {
			return "", err
		}
		if found.Slug == ref {
			return found.ID, nil
		}
	}
	return "", &kit.Failure{Exit: kit.ExitNotFound, Code: "not_found", Message: "there is no category " + terminal.Line(ref), Hint: "svcctl help-article category list"}
}

const aCategory = "a category: its id or slug"

func newCategory(a *kit.App) *cobra.Command {
	return kit.Group("category", "Categories of help articles", []string{"categories"},
		newCategoryList(a), newCategoryCreate(a), newCategoryPatch(a), newCategoryDelete(a))
}

func newCategoryList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List categories by their position", Aliases: []string{"ls"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			return kit.ShowList(a, l, categoryView, c.Categories.All(cmd.Context(), api.CategoryQuery{}))
		},
	}
	l.Add(cmd)
	return cmd
}

func newCategoryCreate(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	var in api.CategoryCreate
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create a category", Aliases: []string{"new"}, Args: kit.Exactly("a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			in.Name = args[0]
			made, err := c.Categories.Create(cmd.Context(), in, w.Options()...)
			if err != nil {
				return err
			}
			return categoryResult(a, "created", made)
		},
	}
	w.Add(cmd)
	cmd.Flags().StringVar(&in.Slug, "slug", "", "name in addresses")
	cmd.Flags().IntVar(&in.Position, "position", 0, "place on the help pages, ascending")
	return cmd
}

func newCategoryPatch(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	var name, slug string
	var position int
	cmd := &cobra.Command{Use: "patch CATEGORY", Short: "Change a category", Aliases: []string{"update"}, Args: kit.Exactly(aCategory)}
	w.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&name, "name", "", "name")
	f.StringVar(&slug, "slug", "", "name in addresses")
	f.IntVar(&position, "position", 0, "place on the help pages, ascending")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := a.Writer(w)
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
		changed, err := c.Categories.Update(cmd.Context(), patch, w.Options()...)
		if err != nil {
			return err
		}
		return categoryResult(a, "changed", changed)
	}
	return cmd
}

func categoryResult(a *kit.App, done string, c *api.Category) error {
	a.IO.Say("%s %s", done, c.Slug)
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if p.Structured() || p.Format != "" {
		return kit.ShowOne(a, categoryView, c)
	}
	return a.PrintText(c.ID + "\n")
}

func newCategoryDelete(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "delete CATEGORY", Short: "Delete a category; its articles are left without one", Aliases: []string{"rm"}, Args: kit.Exactly(aCategory),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			id, err := categoryID(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if !w.DryRun {
				if err := a.Confirm("deleting the category "+terminal.Line(args[0]), args[0]); err != nil {
					return err
				}
			}
			if err := c.Categories.Delete(cmd.Context(), api.Ref{ID: id}, w.Options()...); err != nil {
				return err
			}
			a.IO.Say("deleted %s", args[0])
			return nil
		},
	}
	w.Add(cmd)
	return cmd
}

var gapView = output.View[api.Gap]{
	ID: func(g *api.Gap) string { return g.ID },
	Columns: []output.Column[api.Gap]{
		{Name: "id", Value: func(g *api.Gap) string { return g.ID }},
		{Name: "asked", Value: func(g *api.Gap) string { return strconv.Itoa(g.Count) }},
		{Name: "question", Value: func(g *api.Gap) string { return g.Question }, Flex: true},
		kit.When("last", func(g *api.Gap) api.Time { return g.UpdatedAt }),
		{Name: "state", Value: func(g *api.Gap) string { return g.State }, Wide: true},
		{Name: "article", Value: func(g *api.Gap) string { return g.ArticleID }, Wide: true},
	},
}

func newGap(a *kit.App) *cobra.Command {
	return kit.Group("gap", "Questions that no help article answers", []string{"gaps"}, newGapList(a), newGapDismiss(a), newGapDraft(a))
}

func newGapList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	var state string
	cmd := &cobra.Command{
		Use: "list", Short: "List questions without an answer", Aliases: []string{"ls"}, Args: kit.Exactly(),
		Example: "  svcctl help-article gap list --sort -count",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			return kit.ShowList(a, l, gapView, c.Gaps.All(cmd.Context(), api.GapQuery{PageQuery: l.Page(), State: state}))
		},
	}
	l.Add(cmd)
	cmd.Flags().StringVar(&state, "state", "open", "open, drafted or dismissed")
	return cmd
}

func newGapDismiss(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "dismiss ID", Short: "Set a question aside", Args: kit.Exactly("the gap's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			g, err := c.Gaps.Dismiss(cmd.Context(), api.Ref{ID: args[0]}, w.Options()...)
			if err != nil {
				return err
			}
			a.IO.Say("dismissed %s", terminal.Line(g.Question))
			return nil
		},
	}
	w.Add(cmd)
	return cmd
}

func newGapDraft(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "draft ID", Short: "Make a draft help article of a question", Args: kit.Exactly("the gap's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			article, err := c.Gaps.Draft(cmd.Context(), api.Ref{ID: args[0]}, w.Options()...)
			if err != nil {
				return err
			}
			a.IO.Say("drafted %s; svcctl help-article edit %s", article.Slug, article.Slug)
			return articleResult(a, article)
		},
	}
	w.Add(cmd)
	return cmd
}
