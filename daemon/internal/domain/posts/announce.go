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
	for _, k := range kinds {
		if err := s.append(tx, who, k, r, nil); err != nil {
			return err
		}
	}
	return nil
}

// announce appends the events of one change, each with all of what changed.
func (s *Service) announce(tx kv.Tx, who op.Caller, r *record, before, after *api.Post, previous map[string]any, cause *kind) error {
	for _, k := range eventKinds(before, after, previous, cause) {
		if err := s.append(tx, who, k, r, previous); err != nil {
			return err
		}
	}
	return nil
}

// eventKinds says what a change was. What no other event tells of is an update.
func eventKinds(before, after *api.Post, previous map[string]any, cause *kind) []kind {
	var kinds []kind
	if cause != nil {
		kinds = append(kinds, *cause)
	} else if edited(before, after, previous) {
		kinds = append(kinds, updated)
	}
	if before.Status == api.PostArchived && after.Status != api.PostArchived {
		kinds = append(kinds, restored)
	}
	switch {
	case before.PublishedAt == 0 && after.PublishedAt != 0:
		kinds = append(kinds, published)
	case before.PublishedAt != 0 && after.PublishedAt == 0 && after.Status == api.PostDraft:
		kinds = append(kinds, unpublished)
	}
	if before.Status != api.PostArchived && after.Status == api.PostArchived {
		kinds = append(kinds, archived)
	}
	if before.PublishAt != after.PublishAt && before.Status == after.Status {
		kinds = append(kinds, scheduled)
	}
	if len(kinds) == 0 {
		kinds = append(kinds, updated)
	}
	return kinds
}

// edited reports a change of anything but the status and its times.
func edited(before, after *api.Post, previous map[string]any) bool {
	if before.Content != after.Content {
		return true
	}
	for name := range previous {
		switch name {
		case "status", "publishAt", "publishedAt", "archivedAt":
		default:
			return true
		}
	}
	return false
}
