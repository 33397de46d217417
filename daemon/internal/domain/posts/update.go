package posts

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Update changes the members that are present. When nothing differs afterwards
// nothing happens: same version, no event.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.PostPatch) (api.Post, error) {
	publishes := in.Status.Set && in.Status.Value == api.PostPublished || in.PublishAt.Set && in.PublishAt.Value != 0
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
		return errArchived()
	}
	if err := check(p); err != nil {
		return err
	}
	if in.PublishAt.Set && p.PublishAt != 0 && p.PublishAt != was.PublishAt {
		return s.checkSchedule(p)
	}
	return nil
}

// errArchived refuses a change that an archived post does not take.
func errArchived() error {
	e := api.NewError(http.StatusConflict, api.CodeInvalidTransition, "The post is archived; unarchive it to change it.")
	e.From, e.To = api.PostArchived, api.PostDraft
	return e
}

func onlyMetadata(in *api.PostChanges) bool {
	rest := *in
	rest.Metadata, rest.Status = api.Opt[map[string]*string]{}, api.Opt[string]{}
	return reflect.ValueOf(rest).IsZero()
}

func apply(p *api.Post, in *api.PostChanges) {
	in.Title.Apply(&p.Title)
	in.Content.Apply(&p.Content)
	in.Description.Apply(&p.Description)
	in.Slug.Apply(&p.Slug)
	in.Status.Apply(&p.Status)
	in.Tags.Apply(&p.Tags)
	in.Locale.Apply(&p.Locale)
	in.CanonicalURL.Apply(&p.CanonicalURL)
	in.PublishAt.Apply(&p.PublishAt)
	p.Metadata = merged(p.Metadata, in.Metadata)
	if in.FeaturedImage.Set {
		p.FeaturedImage = nil
		if !in.FeaturedImage.Null {
			img := in.FeaturedImage.Value
			p.FeaturedImage = &img
		}
	}
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
	after.Content = r.shown(after.Content)
	return after, nil
}

// save stores after in place of before and returns what is stored. cause is the
// event that a job's result is announced as, nil for a change that somebody made.
func (s *Service) save(tx kv.Tx, who op.Caller, r *record, before, after api.Post, cause *kind) (*record, api.Post, error) {
	now := s.now()
	settle(&after, now)
	previous := differences(&before, &after)
	if len(previous) == 0 && before.Content == after.Content {
		return r, before, nil
	}
	after.Version, after.UpdatedAt = before.Version+1, now
	editor, revisions, active := r.Editor, r.Revisions, r.Active
	if textDiffers(&before, &after) {
		editor = who.Actor.ID
		if err := keepRevision(tx, who.Team, &before, r.Editor, &revisions); err != nil {
			return r, before, err
		}
	}
	if before.Content != after.Content {
		summarize(&after)
		active = safehtml.Active(after.Content)
		if err := putContent(tx, who.Team, &after); err != nil {
			return r, before, err
		}
	}
	next, err := newRecord(after, revisions, editor)
	if err != nil {
		return r, before, err
	}
	next.Active = active
	if err := put(tx, who.Team, after.ID, next); err != nil {
		return r, before, err
	}
	if err := s.reschedule(tx, who.Team, &before, &after); err != nil {
		return r, before, err
	}
	return next, after, s.announce(tx, who, next, &before, &after, previous, cause)
}

func textDiffers(a, b *api.Post) bool {
	return a.Title != b.Title || a.Description != b.Description || a.Content != b.Content || !slices.Equal(a.Tags, b.Tags)
}

// differences holds the earlier value of each member that differs, but of the
// content, which may be large, and of what is derived.
func differences(a, b *api.Post) map[string]any {
	d := map[string]any{}
	note(d, "title", a.Title, b.Title)
	note(d, "slug", a.Slug, b.Slug)
	note(d, "description", a.Description, b.Description)
	note(d, "status", a.Status, b.Status)
	note(d, "model", a.Model, b.Model)
	note(d, "locale", a.Locale, b.Locale)
	note(d, "canonicalUrl", a.CanonicalURL, b.CanonicalURL)
	note(d, "publishAt", a.PublishAt, b.PublishAt)
	note(d, "publishedAt", a.PublishedAt, b.PublishedAt)
	note(d, "archivedAt", a.ArchivedAt, b.ArchivedAt)
	note(d, "provenance", a.Provenance, b.Provenance)
	notePointer(d, "featuredImage", a.FeaturedImage, b.FeaturedImage)
	notePointer(d, "author", a.Author, b.Author)
	notePointer(d, "generation", a.Generation, b.Generation)
	if !slices.Equal(a.Tags, b.Tags) {
		d["tags"] = a.Tags
	}
	if !maps.Equal(a.Metadata, b.Metadata) {
		d["metadata"] = a.Metadata
	}
	return d
}

func note[T comparable](d map[string]any, name string, a, b T) {
	if a != b {
		d[name] = a
	}
}

func notePointer[T comparable](d map[string]any, name string, a, b *T) {
	if (a == nil) != (b == nil) || a != nil && *a != *b {
		d[name] = a
	}
}

// merged is metadata after a merge patch (RFC 7396).
func merged(have map[string]string, patch api.Opt[map[string]*string]) map[string]string {
	if !patch.Set {
		return have
	}
	if patch.Null {
		return nil
	}
	out := maps.Clone(have)
	for k, v := range patch.Value {
		if v == nil {
			delete(out, k)
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[k] = *v
	}
	return out
}
