package team

import "edgesvc.dev/svc/daemon/internal/domain"

// Schema is what this package keeps.
func Schema() domain.Schema { return domain.Schema{Tables: Tables()} }

// Part is the service as the daemon joins it.
func (s *Service) Part() domain.Part { return domain.Part{Name: "team", Ops: s.Ops(), Run: s.Run} }
