package help

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func newCategory(a *kit.App) *cobra.Command { return nouns.Category.Command(a) }

func newGap(a *kit.App) *cobra.Command {
	return kit.Group("gap", "Questions that no help article answers", []string{"gaps"}, gaps.New(a),
		newGapVerb(a, "dismiss", "Dismiss a question: repeated questions are still counted", func(ctx context.Context, c *sdk.Client, ref api.Ref, options []sdk.CallOption) error {
			g, err := c.Gaps.Dismiss(ctx, ref, options...)
			if err == nil {
				a.IO.Say("dismissed %s", terminal.Line(g.Question))
			}
			return err
		}),
		newGapVerb(a, "draft", "Make a draft help article of a question", func(ctx context.Context, c *sdk.Client, ref api.Ref, options []sdk.CallOption) error {
			article, err := c.Gaps.Draft(ctx, ref, options...)
			if err != nil {
				return err
			}
			a.IO.Say("drafted %s; svcctl help-article edit %s", article.Slug, article.Slug)
			return texts.Result(a, article)
		}))
}

var gaps = crud.Lister[api.Gap, api.GapQuery]{
	Path: "help-article gap", Plural: "questions without an answer", Columns: crud.Columns[api.Gap]("id asked=count question~ last=updatedAt +state +article=articleId"),
	Defaults: map[string]string{"state": "open"},
	Connect:  crud.Keyed(func(c *sdk.Client) crud.Pages[api.Gap, api.GapQuery] { return c.Gaps.List }),
}

// newGapVerb is a verb about one gap.
func newGapVerb(a *kit.App, verb, short string, do func(context.Context, *sdk.Client, api.Ref, []sdk.CallOption) error) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: verb + " ID", Short: short, Args: kit.Exactly("the gap's id"), Example: "  svcctl help-article gap " + verb + " gap_01j…",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			return do(cmd.Context(), c, api.Ref{ID: args[0]}, w.Options())
		},
	}
	w.Add(cmd)
	a.CompleteFirst(cmd, gaps.Names)
	return cmd
}
