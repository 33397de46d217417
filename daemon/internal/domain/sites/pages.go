package sites

import (
	"net/url"
	"slices"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// CarryChat lets pages at these addresses carry the chat of a site, the team's
// first for "", and returns its id.
func (s *Service) CarryChat(tx kv.Tx, who *op.Caller, id string, addresses []string) (string, error) {
	if id == "" {
		first, err := sites.List(tx, who.Team, kv.Page[site]{Index: "c", Ascending: true, Limit: 1, Skip: op.Unreadable})
		if err != nil {
			return "", err
		}
		if len(first.IDs) == 0 {
			return "", api.Invalid("/chat", "no_site", "the team has no site whose chat the pages could carry: make one with svcctl widget create")
		}
		id = first.IDs[0]
	}
	v, err := sites.Get(tx, who.Team, id)
	if err != nil {
		return "", err
	}
	missing := slices.DeleteFunc(originsOf(addresses), func(o string) bool { return slices.Contains(v.Origins, o) })
	if len(missing) == 0 {
		return id, nil
	}
	_, err = s.changeSite(tx, *who, api.SiteRef{ID: id}, "sites.update", func(v *site) {
		v.Origins = append(slices.Clone(v.Origins), missing...)
	})
	return id, err
}

// originsOf are the origins of addresses, each once.
func originsOf(addresses []string) (origins []string) {
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil {
			continue // the daemon's own addresses are checked when it starts
		}
		if host, ok := originHost(u); ok && !slices.Contains(origins, u.Scheme+"://"+host) {
			origins = append(origins, u.Scheme+"://"+host)
		}
	}
	return origins
}
