package daemon

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"edgesvc.dev/svc/daemon/internal/domain/helpdesk"
	"edgesvc.dev/svc/daemon/internal/domain/media"
	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/domain/sites"
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
	sites *sites.Service
	hosts map[string]string // team slug by host
}

// found turns the store's NotFound into false.
func found(err error) (bool, error) {
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return false, nil
	}
	return err == nil, err
}

// BySlug implements public.Source.
func (s *site) BySlug(ctx context.Context, slug string) (p public.Publication, ok bool, err error) {
	p.Team, p.Site, err = s.team.Publication(ctx, slug)
	if ok, err = found(err); !ok || err != nil {
		return p, ok, err
	}
	if p.HasPosts, err = s.posts.AnyPublished(ctx, p.ID); err != nil {
		return p, ok, err
	}
	if p.HasHelp, err = s.desk.AnyPublished(ctx, p.ID); err != nil {
		return p, ok, err
	}
	if p.Site.Chat != api.ChatOff {
		err = s.checkChat(ctx, &p)
	}
	return p, ok, err
}

// checkChat takes the chat off pages whose site was deleted.
func (s *site) checkChat(ctx context.Context, p *public.Publication) error {
	teamID, _, err := s.sites.SiteByID(ctx, p.Site.ChatSiteID)
	if ok, err := found(err); err != nil {
		return err
	} else if !ok || teamID != p.ID {
		p.Site.Chat = api.ChatOff
	}
	return nil
}

// ByHost implements public.Source.
func (s *site) ByHost(ctx context.Context, host string) (public.Publication, bool, error) {
	slug, ok := s.hosts[host]
	if !ok {
		return public.Publication{}, false, nil
	}
	return s.BySlug(ctx, slug)
}

// addresses are where the pages of a team are: at the hosts of its own, and below
// its slug on the daemon's. They end with a slash.
func (d *Daemon) addresses(slug string) []string {
	var all []string
	for host, of := range pairs(d.cfg.SiteHosts) {
		if of == slug {
			all = append(all, public.HostBase(d.base, host)+"/")
		}
	}
	slices.Sort(all)
	return append(all, d.base+"/"+url.PathEscape(slug)+"/")
}

// OnlyTeam implements public.Source.
func (s *site) OnlyTeam(ctx context.Context) (api.Team, bool, error) { return s.team.Only(ctx) }

// Posts implements public.Source.
func (s *site) Posts(ctx context.Context, teamID string, q public.Query) (public.Posts, error) {
	page, err := s.posts.PublishedPosts(ctx, teamID, posts.PublicQuery(q))
	return public.Posts(page), err
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

// Related implements public.Source.
func (s *site) Related(ctx context.Context, teamID string, p api.Post, limit int) ([]api.Post, error) {
	return s.posts.Related(ctx, teamID, p, limit)
}

// PostSearch implements public.Source.
func (s *site) PostSearch(ctx context.Context, teamID, q string, limit int) ([]api.PostHit, error) {
	hits, err := s.posts.FindPublished(ctx, teamID, q, limit)
	return hits.Data, err
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
