package help

import (
	"context"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Browse is help articles, their categories and revisions, and the questions
// without an answer, for screens.
func Browse(a *kit.App) []browse.Noun {
	return []browse.Noun{browseArticles(a), browseGaps(a), browseRevisions(a), nouns.Category.Browse(a, crud.Screen[api.Category]{})}
}

func browseArticles(a *kit.App) browse.Noun {
	move := func(key, verb, doc, done string, do func(*sdk.ArticlesService, context.Context, api.Ref, ...sdk.CallOption) (*api.Article, error)) browse.Verb {
		return browse.Verb{Key: key, Name: verb, Doc: doc, Do: func(ctx context.Context, row *browse.Row) (string, error) {
			c, err := a.Client()
			if err != nil {
				return "", err
			}
			_, err = do(c.Articles, ctx, api.Ref{ID: row.ID})
			return done + " " + row.Label, err
		}}
	}
	n := list.Browse(a, crud.Screen[api.Article]{
		Changed: "article.", Label: func(v *api.Article) string { return v.Slug },
		Text: func(v *api.Article) (string, error) { return postfile.Markdown(v.Content) },
		Get: func(ctx context.Context, id string) (*api.Article, error) {
			c, err := a.Client()
			if err != nil {
				return nil, err
			}
			return c.Articles.Get(ctx, id)
		},
		Edit: func(ctx context.Context, t browse.Terminal, row *browse.Row) (string, error) {
			on, said := a.At(t.In, t.Out, t.Err)
			err := editor(on).Run(ctx, row.ID)
			return said(), err
		},
		Verbs: []browse.Verb{
			move("p", "publish", "Publish the article", "published", (*sdk.ArticlesService).Publish),
			move("u", "unpublish", "Make a published article a draft", "unpublished", (*sdk.ArticlesService).Unpublish),
			move("a", "archive", "Archive the article", "archived", (*sdk.ArticlesService).Archive),
			{Key: "D", Name: "delete", Doc: "Delete a draft or an archived article", Typed: true, Do: func(ctx context.Context, row *browse.Row) (string, error) {
				c, err := a.Client()
				if err != nil {
					return "", err
				}
				return "deleted " + row.Label, c.Articles.Delete(ctx, api.Ref{ID: row.ID})
			}},
		},
	})
	return n
}

func browseGaps(a *kit.App) browse.Noun {
	verb := func(key, name, doc string, do func(ctx context.Context, c *sdk.Client, ref api.Ref) (string, error)) browse.Verb {
		return browse.Verb{Key: key, Name: name, Doc: doc, Do: func(ctx context.Context, row *browse.Row) (string, error) {
			c, err := a.Client()
			if err != nil {
				return "", err
			}
			return do(ctx, c, api.Ref{ID: row.ID})
		}}
	}
	n := gaps.Browse(a, crud.Screen[api.Gap]{
		Changed: "article.gap", Label: func(g *api.Gap) string { return g.Question },
		Verbs: []browse.Verb{
			verb("n", "draft", "Make a draft help article of the question", func(ctx context.Context, c *sdk.Client, ref api.Ref) (string, error) {
				article, err := c.Gaps.Draft(ctx, ref)
				if err != nil {
					return "", err
				}
				return "drafted " + article.Slug, nil
			}),
			verb("x", "dismiss", "Dismiss the question", func(ctx context.Context, c *sdk.Client, ref api.Ref) (string, error) {
				g, err := c.Gaps.Dismiss(ctx, ref)
				if err != nil {
					return "", err
				}
				return "dismissed " + g.Question, nil
			}),
		},
	})
	n.Command = func(*browse.Row) string { return "svcctl help-article gap list" }
	return n
}

func browseRevisions(a *kit.App) browse.Noun {
	n := revisions.Browse(a, crud.Screen[api.ArticleRevision]{
		Changed: "article.", Text: func(r *api.ArticleRevision) (string, error) { return postfile.Markdown(r.Content) },
		Verbs: []browse.Verb{texts.BrowseRestore(a, restore)},
	})
	n.Name, n.Title, n.Of = "article-revision", "Earlier texts of a help article", "help-article"
	n.Command = func(row *browse.Row) string { return "svcctl help-article revision list " + row.Of }
	return n
}

// BrowseSync is the plan of a folder of help articles for a screen.
func BrowseSync(a *kit.App) browse.Noun { return syncer(a).Browse(a, "help-article-sync") }
