package help

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func newRevision(a *kit.App) *cobra.Command {
	list := crud.Lister[api.ArticleRevision, api.ArticleRevisionQuery]{
		Path: "help-article revision", Plural: "the earlier texts of a help article, newest first", Argument: "ARTICLE", Wanted: anArticle, Of: "id", Flags: map[string]string{"include": "-"},
		Columns: crud.Columns[api.ArticleRevision]("number title~ age=createdAt by=actorId"), IDMember: "number",
		Refs: map[string]crud.Lookup{"id": {Find: crud.ByKey(articleIDOf), Names: slugs}},
		Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.ArticleRevision, api.ArticleRevisionQuery] {
			return c.Articles.Revisions
		}),
	}
	restore := func(ctx context.Context, c *sdk.Client, ref string, n int, options []sdk.CallOption) error {
		id, err := articleIDOf(ctx, c, ref)
		if err != nil {
			return err
		}
		article, err := c.Articles.RestoreRevision(ctx, api.ArticleRevisionRef{ID: id, N: n}, options...)
		if err != nil {
			return err
		}
		a.IO.Say("restored revision %s of %s (version %d)", strconv.Itoa(n), article.Slug, article.Version)
		return articleResult(a, article)
	}
	return kit.Group("revision", "Earlier texts of help articles", []string{"revisions"}, list.New(a), writing.NewRestore(a, "help-article", "help article", anArticle, slugs, restore))
}
