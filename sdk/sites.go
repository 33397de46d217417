package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// SitesService manages the websites that embed the widget, in a member's session.
// Deleting a site takes the widget off its pages; the conversations stay.
type SitesService struct {
	Resource[api.Site, api.SiteCreate, api.SitePatch, api.PageQuery]
}

// RotateSecret gives the site another signing secret, which is shown once. The
// secret before it ends at once.
func (s *SitesService) RotateSecret(ctx context.Context, ref api.Ref, options ...CallOption) (*api.SiteSecretRolled, error) {
	return do[api.SiteSecretRolled](ctx, s.t, "sites.rotateSecret", ref, options)
}

// InstallSnippet returns the markup to paste into the site's pages.
func (s *SitesService) InstallSnippet(ctx context.Context, in api.SiteInstall, options ...CallOption) (*api.SiteSnippet, error) {
	return do[api.SiteSnippet](ctx, s.t, "sites.installSnippet", in, options)
}
