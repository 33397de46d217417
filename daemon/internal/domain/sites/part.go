package sites

import (
	"edgesvc.dev/svc/daemon/internal/domain"
	"edgesvc.dev/svc/kv"
)

// Schema is what this package keeps and tells.
func Schema() domain.Schema { return domain.Schema{Tables: Tables(), Events: Events()} }

// Tables are what verifies sites in a store: each table in itself, then that
// every owner has its site.
func Tables() []kv.Checker {
	return []kv.Checker{
		sites, owners,
		kv.Reference[owner, site]{From: owners, To: sites, Follow: func(_, id string, v *owner) (string, string, func(*site) bool) {
			return v.Team, id, func(*site) bool { return true }
		}},
	}
}

// Part is the service as the daemon joins it.
func (s *Service) Part() domain.Part { return domain.Part{Name: "sites", Ops: s.Ops()} }
