package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// SitesService manages the websites that embed the widget.
type SitesService struct{ t *transport }

// List returns one page of sites.
func (s *SitesService) List(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.Site], error) {
	return do[api.Page[api.Site]](ctx, s.t, operation("sites.list", "data"), q, options)
}

// All yields the sites of every page.
func (s *SitesService) All(ctx context.Context, q api.PageQuery, options ...CallOption) iter.Seq2[*api.Site, error] {
	return all(q, func(page api.PageQuery) (*api.Page[api.Site], error) { return s.List(ctx, page, options...) })
}

// Get returns one site.
func (s *SitesService) Get(ctx context.Context, id string, options ...CallOption) (*api.Site, error) {
	return s.one(ctx, "sites.get", api.SiteGet{ID: id}, options)
}

// Create adds a site.
func (s *SitesService) Create(ctx context.Context, in api.SiteCreate, options ...CallOption) (*api.Site, error) {
	return s.one(ctx, "sites.create", in, options)
}

// Update changes what in names.
func (s *SitesService) Update(ctx context.Context, in api.SitePatch, options ...CallOption) (*api.Site, error) {
	return s.one(ctx, "sites.update", in, options)
}

// Delete takes the widget off the site's pages. The conversations stay.
func (s *SitesService) Delete(ctx context.Context, in api.SiteRef, options ...CallOption) error {
	return none(ctx, s.t, "sites.delete", in, options)
}

// RotateSecret gives the site another signing secret; it is never shown again,
// and the one before ends at once.
func (s *SitesService) RotateSecret(ctx context.Context, in api.SiteRef, options ...CallOption) (*api.SiteSecretRolled, error) {
	return do[api.SiteSecretRolled](ctx, s.t, operation("sites.rotateSecret", "secret"), in, options)
}

// InstallSnippet returns the markup to paste into the site's pages.
func (s *SitesService) InstallSnippet(ctx context.Context, in api.SiteInstall, options ...CallOption) (*api.SiteSnippet, error) {
	return do[api.SiteSnippet](ctx, s.t, operation("sites.installSnippet", "html"), in, options)
}

func (s *SitesService) one(ctx context.Context, name string, in any, options []CallOption) (*api.Site, error) {
	return do[api.Site](ctx, s.t, operation(name, "id"), in, options)
}
