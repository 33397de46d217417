package chat

import (
	"net/http"
	"slices"

	"edgesvc.dev/svc/sdk/api"
)

// SiteChanged ends the visits that a site as it is now would not let in: those
// from a page that is not its own any more, those whose proof rests on an earlier
// secret, and all of them when the site is gone.
func (s *Service) SiteChanged(id string, now api.Site, exists bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for v := range s.hub.sites[id] {
		if e := v.unwelcome(&now, exists); e != nil {
			v.endWith(e)
		}
	}
}

// unwelcome is why the visit may not go on, nil when it may.
func (v *Visit) unwelcome(now *api.Site, exists bool) *api.Error {
	switch {
	case !exists:
		return api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such site any more.")
	case v.origin != "" && !slices.Contains(now.AllowedOrigins, v.origin):
		return api.NewError(http.StatusForbidden, api.CodeOriginNotAllowed, "Pages of this origin may not use the site any more.")
	case v.until > 0 && v.keys.secret != now.Secret.Version, v.until == 0 && now.Identity == identityRequired:
		return api.NewError(http.StatusUnauthorized, api.CodeInvalidCredentials, "The site has to prove again who the visitor is. Connect again.")
	}
	return nil
}

// endWith lets nothing of the visitor in any more and has the transport close
// the connection. The hub's lock is held.
func (v *Visit) endWith(e *api.Error) {
	v.over = e
	v.box.End(api.ChatOut{T: "error", Code: string(e.Code), Message: e.Detail, Fatal: true})
}
