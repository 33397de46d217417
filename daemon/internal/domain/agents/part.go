package agents

import "edgesvc.dev/svc/daemon/internal/domain"

// Schema is what this package keeps and tells.
func Schema() domain.Schema { return domain.Schema{Tables: Tables(), Events: Events()} }

// Part is the service as the daemon joins it.
func (s *Service) Part() domain.Part {
	return domain.Part{Name: "agents", Ops: s.Ops(), Sweep: s.Sweep}
}
