package access

import "edgesvc.dev/svc/daemon/internal/domain"

// Schema is what this package keeps.
func Schema() domain.Schema { return domain.Schema{Tables: Tables()} }

// Part is the service as the daemon joins it.
func (s *Service) Part() domain.Part {
	return domain.Part{Name: "access", Ops: s.Ops(), Run: s.Run, Sweep: s.Sweep}
}
