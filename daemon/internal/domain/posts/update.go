package posts

import (
	"context"
	"reflect"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Update changes the members that are present. When nothing differs afterwards
// nothing happens: same version, no event.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.PostPatch) (api.Post, error) {
	publishes := in.Status.Set && in.Status.Value == api.PostPublished || in.PublishAt.Set && in.PublishAt.Value != 0 || in.PublishedAt.Set
	if publishes {
		if err := who.Require(op.PostsPublish); err != nil {
			return api.Post{}, err
		}
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Post, error) {
		return s.change(tx, who, in.PostRef, func(p *api.Post) error { return s.patch(who, p, &in.PostChanges) })
	})
}

func (s *Service) patch(who op.Caller, p *api.Post, in *api.PostChanges) error {
	was := *p
	apply(p, in)
	if was.Status == api.PostPublished && p.Status == api.PostDraft {
		if err := who.Require(op.PostsPublish); err != nil {
			return err
		}
	}
	if was.Status == api.PostArchived && p.Status == api.PostArchived && !onlyMetadata(in) {
		return texts.ErrArchived()
	}
	if err := check(p); err != nil {
		return err
	}
	if err := text.CheckDate(in.PublishedAt.Value, s.now()); err != nil {
		return err
	}
	if in.PublishAt.Set && p.PublishAt != 0 && p.PublishAt != was.PublishAt {
		return s.checkSchedule(p)
	}
	return nil
}

func onlyMetadata(in *api.PostChanges) bool {
	rest := *in
	rest.Metadata, rest.Status = api.Opt[map[string]*string]{}, api.Opt[string]{}
	return reflect.ValueOf(rest).IsZero()
}

// patched sets the members of a patch that have the post's own form.
var patched = resource.Copier[api.Post, api.PostChanges]("author", "metadata", "publishedAt")

func apply(p *api.Post, in *api.PostChanges) {
	patched(p, in)
	p.Metadata = field.Merged(p.Metadata, in.Metadata)
	text.Redate(fieldsOf(p), in.PublishedAt)
	switch {
	case in.Author.Set && in.Author.Value == "":
		p.Author = nil
	case in.Author.Set && (p.Author == nil || p.Author.Name != in.Author.Value):
		p.Author = &api.Author{Name: in.Author.Value} // a name alone: nobody's account
	}
}

// change lets edit alter post ref.ID and stores what came of it, with
// everything that follows: times, version, revision, schedule and events. edit
// replaces members and never writes into the maps, lists and pointers it finds.
// The answer's content is as Get shows it.
func (s *Service) change(tx kv.Tx, who op.Caller, ref api.PostRef, edit func(*api.Post) error) (api.Post, error) {
	r, before, err := load(tx, who.Team, ref.ID)
	if err != nil {
		return before, err
	}
	if err := op.CheckVersion(ref.IfMatch, before.Version); err != nil {
		return before, err
	}
	after := before
	if err := edit(&after); err != nil {
		return before, err
	}
	r, after, err = s.save(tx, who, r, before, after, nil)
	if err != nil {
		return before, err
	}
	after.Content = r.kept().Shown(after.Content, false)
	return after, nil
}

// save stores after in place of before and returns what is stored. cause is the
// event that a job's result is announced as, nil for a change that somebody made.
func (s *Service) save(tx kv.Tx, who op.Caller, r *record, before, after api.Post, cause *kind) (*record, api.Post, error) {
	now := s.now()
	settle(&after, now)
	c := texts.Compare(&before, &after)
	if c.None() {
		return r, before, nil
	}
	kept := r.kept()
	if err := c.Next(tx, who, now, &kept); err != nil {
		return r, before, err
	}
	if c.Rewritten {
		summarize(&after)
		if err := putContent(tx, who.Team, &after); err != nil {
			return r, before, err
		}
	}
	next, err := newRecord(after, kept)
	if err != nil {
		return r, before, err
	}
	if next.Turn, err = search.Changed(tx, searched, who.Team); err != nil {
		return r, before, err
	}
	if err := slug.Refuse(tx, slugs, table, who.Team, table.Put(tx, who.Team, after.ID, next)); err != nil {
		return r, before, err
	}
	if err := s.reschedule(tx, who.Team, &before, &after); err != nil {
		return r, before, err
	}
	var more []kind
	if before.PublishAt != after.PublishAt && before.Status == after.Status {
		more = append(more, scheduled)
	}
	return next, after, s.announce(tx, who, next, c.Previous, c.Events(cause, more...)...)
}
