package help

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var revisions = crud.Lister[api.ArticleRevision, api.RevisionQuery]{
	Path: "help-article revision", Plural: "the earlier texts of a help article, newest first", Argument: "ARTICLE", Wanted: anArticle, Of: "id", Flags: map[string]string{"include": "-"},
	Columns: crud.Columns[api.ArticleRevision]("number title~ age=createdAt by=actorId"), IDMember: "number",
	Refs: map[string]crud.Lookup{"id": {Find: crud.ByKey(texts.FindID), Names: texts.Slugs}},
	Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.ArticleRevision, api.RevisionQuery] {
		return c.Articles.Revisions
	}),
}

func newRevision(a *kit.App) *cobra.Command {
	return kit.Group("revision", "Earlier texts of help articles", []string{"revisions"}, revisions.New(a), texts.NewRestore(a, restore))
}

func restore(ctx context.Context, c *sdk.Client, id string, n int, options ...sdk.CallOption) (*api.Article, error) {
	return c.Articles.RestoreRevision(ctx, api.RevisionRef{ID: id, N: n}, options...)
}
