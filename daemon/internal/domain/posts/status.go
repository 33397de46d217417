package posts

import (
	"cmp"
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// settle makes the times of a post agree with its status. A post is public
// exactly when PublishedAt is set; one that has no real body yet is held back,
// whatever its status. What is public stays so.
func settle(p *api.Post, now api.Time) {
	p.Held = heldBack(p)
	switch p.Status {
	case api.PostPublished:
		p.PublishAt, p.ArchivedAt = 0, 0
		if p.PublishedAt == 0 && p.Held == "" {
			p.PublishedAt = cmp.Or(p.Date, now)
		}
	case api.PostArchived:
		p.PublishAt, p.PublishedAt = 0, 0
		if p.ArchivedAt == 0 {
			p.ArchivedAt = now
		}
	default:
		p.PublishedAt, p.ArchivedAt = 0, 0
	}
}

// heldBack is why a post that is to be public cannot be read yet, "" for no
// reason.
func heldBack(p *api.Post) string {
	switch {
	case p.Status != api.PostPublished || p.PublishedAt != 0:
		return ""
	case p.Content == "" && p.Generation != nil && pending(p.Generation.State):
		return api.HeldGenerating
	case p.Content == "" && p.Generation != nil && p.Generation.State != api.JobCompleted:
		return api.HeldFailed
	case p.Content == "":
		return api.HeldEmpty
	case text.Unfinished(p.Content) > 0:
		return api.HeldUnfinished
	}
	return ""
}

// moved is the operation of a verb that changes the status.
func (s *Service) moved(verb string) op.Do {
	return op.Func(func(ctx context.Context, who op.Caller, in api.PostRef) (api.Post, error) {
		return s.move(ctx, who, in, verb)
	})
}

func (s *Service) move(ctx context.Context, who op.Caller, ref api.PostRef, verb string) (api.Post, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Post, error) {
		return s.change(tx, who, ref, func(p *api.Post) error { return texts.Status.Apply(p, verb) })
	})
}

// Delete removes a draft or an archived post, with its revisions.
func (s *Service) Delete(ctx context.Context, who op.Caller, in api.PostRef) (api.Deleted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.remove(tx, who, in)
	})
}

func (s *Service) remove(tx kv.Tx, who op.Caller, in api.PostRef) error {
	r, err := stored(tx, who.Team, in.ID)
	if err != nil {
		return err
	}
	if err := op.CheckVersion(in.IfMatch, r.Version); err != nil {
		return err
	}
	p := r.post()
	if err := texts.CheckDelete(p); err != nil {
		return err
	}
	kv.UseReserve(tx)
	if p.PublishAt != 0 {
		if err := s.schedule.Remove(tx, in.ID); err != nil {
			return err
		}
	}
	if err := revisions.Drop(tx, who.Team, in.ID); err != nil {
		return err
	}
	if err := texts.Addresses.Drop(tx, who.Team, p.Aliases); err != nil {
		return err
	}
	if err := table.Delete(tx, who.Team, in.ID); err != nil {
		return err
	}
	if err := search.Deleted(tx, searched, who.Team); err != nil {
		return err
	}
	return s.append(tx, who, deleted, r, nil)
}

// checkSchedule refuses a time to publish that cannot be kept.
func (s *Service) checkSchedule(p *api.Post) error {
	if p.Status != api.PostDraft {
		return api.Invalid("/publishAt", "not_a_draft", "publishAt is for drafts; this post would be %s", p.Status)
	}
	if p.PublishAt <= s.now() {
		return api.Invalid("/publishAt", "too_small", "publishAt must be in the future")
	}
	return nil
}

// reschedule brings the queue in line with the time at which a post publishes
// by itself.
func (s *Service) reschedule(tx kv.Tx, team string, before, after *api.Post) error {
	switch {
	case before.PublishAt == after.PublishAt:
		return nil
	case after.PublishAt == 0:
		return s.schedule.Remove(tx, after.ID)
	default:
		return s.schedule.Add(tx, queue.Item{ID: after.ID, Team: team}, after.PublishAt.Time())
	}
}
