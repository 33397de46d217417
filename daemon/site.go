package daemon

import (
	"context"
	"errors"

	"edgesvc.dev/svc/daemon/internal/domain/helpdesk"
	"edgesvc.dev/svc/daemon/internal/domain/media"
	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// site is what the public pages are made of.
type site struct {
	team  *team.Service
	posts *posts.Service
	media *media.Service
	desk  *helpdesk.Service
	hosts map[string]string // team slug by host
}

// found turns the store's NotFound into false.
func found(err error) (bool, error) {
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return false, nil
	}
	return err == nil, err
}

// TeamBySlug implements public.Source.
func (s *site) TeamBySlug(ctx context.Context, slug string) (api.Team, bool, error) {
	t, err := s.team.TeamBySlug(ctx, slug)
	ok, err := found(err)
	return t, ok, err
}

// TeamByHost implements public.Source.
func (s *site) TeamByHost(ctx context.Context, host string) (api.Team, bool, error) {
	slug, ok := s.hosts[host]
	if !ok {
		return api.Team{}, false, nil
	}
	return s.TeamBySlug(ctx, slug)
}

// OnlyTeam implements public.Source.
func (s *site) OnlyTeam(ctx context.Context) (api.Team, bool, error) { return s.team.Only(ctx) }

// Posts implements public.Source.
func (s *site) Posts(ctx context.Context, teamID string, q public.Query) (api.Page[api.Post], error) {
	return s.posts.PublishedPosts(ctx, teamID, posts.PublicQuery(q))
}

// Post implements public.Source.
func (s *site) Post(ctx context.Context, teamID, slug string) (api.Post, bool, error) {
	return s.posts.PublishedPost(ctx, teamID, slug)
}

// PostAddress implements public.Source.
func (s *site) PostAddress(ctx context.Context, teamID, slug string) (string, bool, error) {
	return s.posts.PublicAddress(ctx, teamID, slug)
}

// Around implements public.Source.
func (s *site) Around(ctx context.Context, teamID string, p api.Post) (newer, older *api.Post, err error) {
	return s.posts.PublishedAround(ctx, teamID, p)
}

// Media implements public.Source.
func (s *site) Media(ctx context.Context, id string) (public.Media, bool, error) {
	c, err := s.media.Open(ctx, id)
	ok, err := found(err)
	if !ok {
		return public.Media{}, false, err
	}
	return public.Media{MIME: c.MIME, Size: c.Size, Bytes: c}, true, nil
}

// Help implements public.Source.
func (s *site) Help(ctx context.Context, teamID string) ([]api.Article, []api.Category, error) {
	return s.desk.Published(ctx, teamID)
}

// HelpArticle implements public.Source.
func (s *site) HelpArticle(ctx context.Context, teamID, slug string) (api.Article, bool, error) {
	return s.desk.PublishedArticle(ctx, teamID, slug)
}

// HelpAddress implements public.Source.
func (s *site) HelpAddress(ctx context.Context, teamID, slug string) (string, bool, error) {
	return s.desk.PublicAddress(ctx, teamID, slug)
}

// HelpSearch implements public.Source.
func (s *site) HelpSearch(ctx context.Context, teamID, q string, limit int) ([]api.HelpHit, error) {
	who := op.Caller{Kind: op.System, Team: teamID}
	hits, err := s.desk.Find(ctx, who, api.HelpSearch{Q: q, Limit: limit, Status: api.ArticlePublished})
	return hits.Data, err
}

// RateHelp implements public.Source.
func (s *site) RateHelp(ctx context.Context, teamID, articleID string, helpful bool) error {
	return s.desk.Rate(ctx, teamID, articleID, helpful)
}
