package jobs

import "edgesvc.dev/svc/daemon/internal/domain"

// Schema is what this package keeps and tells.
func Schema() domain.Schema { return domain.Schema{Tables: Tables()} }

// Part is the service as the daemon joins it.
func (s *Service) Part() domain.Part {
	return domain.Part{Name: "jobs", Ops: s.Ops(), Streams: s.Streams(), Run: s.Run, Reclaim: s.Reclaim}
}
