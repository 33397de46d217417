package posts

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

type kind = event.Kind[api.Post]

// append adds one event about the post of r, without its content.
func (s *Service) append(tx kv.Tx, who op.Caller, k kind, r *record, previous map[string]any) error {
	return event.AppendEncoded(s.log, tx, who, k, op.Encoded[api.Post]{JSON: r.JSON}, previous)
}

func (s *Service) announceNew(tx kv.Tx, who op.Caller, r *record) error {
	p := r.post()
	kinds := []kind{created}
	if p.PublishedAt != 0 {
		kinds = append(kinds, published)
	}
	if p.PublishAt != 0 {
		kinds = append(kinds, scheduled)
	}
	return s.announce(tx, who, r, nil, kinds...)
}

// announce appends the events of one change, each with all of what changed.
func (s *Service) announce(tx kv.Tx, who op.Caller, r *record, previous map[string]any, kinds ...kind) error {
	for _, k := range kinds {
		if err := s.append(tx, who, k, r, previous); err != nil {
			return err
		}
	}
	return nil
}
