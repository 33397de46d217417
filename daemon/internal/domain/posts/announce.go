package posts

import (
	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// append adds one event about the post of r, without its content.
func (s *Service) append(tx kv.Tx, who op.Caller, typ string, r *record, previous map[string]any) error {
	c := event.Change{Team: who.Team, Actor: who.Actor, Type: typ, Object: jsontext.Value(r.JSON), RequestID: who.RequestID}
	if len(previous) > 0 {
		c.Previous = previous
	}
	return s.log.Append(tx, c)
}

func (s *Service) announceNew(tx kv.Tx, who op.Caller, r *record) error {
	p := r.post()
	types := []string{"post.created"}
	if p.PublishedAt != 0 {
		types = append(types, "post.published")
	}
	if p.PublishAt != 0 {
		types = append(types, "post.scheduled")
	}
	for _, typ := range types {
		if err := s.append(tx, who, typ, r, nil); err != nil {
			return err
		}
	}
	return nil
}

// announce appends the events of one change, each with all of what changed.
func (s *Service) announce(tx kv.Tx, who op.Caller, r *record, before, after *api.Post, previous map[string]any, cause string) error {
	for _, typ := range eventTypes(before, after, previous, cause) {
		if err := s.append(tx, who, typ, r, previous); err != nil {
			return err
		}
	}
	return nil
}

// eventTypes says what a change was. What no other event tells of is an update.
func eventTypes(before, after *api.Post, previous map[string]any, cause string) []string {
	var types []string
	if cause != "" {
		types = append(types, cause)
	} else if edited(before, after, previous) {
		types = append(types, "post.updated")
	}
	if before.Status == api.PostArchived && after.Status != api.PostArchived {
		types = append(types, "post.restored")
	}
	switch {
	case before.PublishedAt == 0 && after.PublishedAt != 0:
		types = append(types, "post.published")
	case before.PublishedAt != 0 && after.PublishedAt == 0 && after.Status == api.PostDraft:
		types = append(types, "post.unpublished")
	}
	if before.Status != api.PostArchived && after.Status == api.PostArchived {
		types = append(types, "post.archived")
	}
	if before.PublishAt != after.PublishAt && before.Status == after.Status {
		types = append(types, "post.scheduled")
	}
	if len(types) == 0 {
		types = append(types, "post.updated")
	}
	return types
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
