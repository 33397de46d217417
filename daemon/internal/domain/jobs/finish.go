package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// finish ends the attempt: the job's last state, the post's new text and the
// end of the claim are one transaction. What the steps that succeeded have made
// is kept, also of a job that failed.
func (s *Service) finish(ctx context.Context, t *task) error {
	return s.store.Update(ctx, func(tx kv.Tx) error {
		r := t.rec.clone()
		state := api.JobCompleted
		if !r.succeeded() {
			state = api.JobFailed
			if r.Job.Error = t.failure; r.Job.Error == nil {
				r.Job.Error = &api.JobError{Code: string(api.CodeProviderTimeout), Message: "The job took too long.", Retryable: true}
			}
			if r.Job.Error.Retryable && t.claim.Attempt < maxAttempts {
				return s.again(tx, t, r)
			}
		}
		if err := s.queue.Finish(tx, t.claim); err != nil {
			return err
		}
		post, err := s.Read(tx, t.claim.Team, r.Job.PostID)
		if missing(err) {
			r.Job.Warnings = append(r.Job.Warnings, "The post was deleted.")
			return s.end(tx, t.who, r, api.JobCanceled, api.PostChanges{})
		}
		if err != nil {
			return err
		}
		changes := t.made
		if err := s.hang(tx, t, r, &changes); err != nil {
			return err
		}
		if !r.succeeded() {
			state = api.JobFailed
		}
		r.yield(&post, &changes)
		for i := range r.Job.Steps {
			if st := &r.Job.Steps[i]; st.State == api.JobFailed {
				r.Job.Warnings = append(r.Job.Warnings, "The "+st.Name+" could not be made: "+st.Error)
			}
		}
		r.tellUnfinished(&post, &changes)
		return s.end(tx, t.who, r, state, changes)
	})
}

// succeeded reports whether the job made what it was asked for: the body where
// that is asked for, else one of the other texts, and a picture where nothing
// else is.
func (r *record) succeeded() bool {
	made := func(names ...string) (asked, done bool) {
		for _, name := range names {
			if st := r.step(name); st != nil {
				asked, done = true, done || st.State == api.JobCompleted
			}
		}
		return asked, done
	}
	for _, names := range [][]string{{stepContent}, {stepDescription, stepTags}, {stepImage}} {
		if asked, done := made(names...); asked {
			return done
		}
	}
	return false
}

// tellUnfinished warns that a post which was to be public is held back because of
// the body that the job wrote.
func (r *record) tellUnfinished(post *api.Post, changes *api.PostChanges) {
	if !changes.Content.Set || post.Status != api.PostPublished || post.PublishedAt != 0 {
		return
	}
	if n := text.Unfinished(changes.Content.Value); n > 0 {
		r.Job.Warnings = append(r.Job.Warnings, fmt.Sprintf("The post is held back: %d places of its body are marked %s. It becomes public when they are written.", n, text.ToComplete))
	}
}

// again gives the job back for another attempt, where that can help.
func (s *Service) again(tx kv.Tx, t *task, r *record) error {
	reason := *r.Job.Error
	r.reset()
	r.Job.Error = &reason
	if err := s.queue.Retry(tx, t.claim, reason.Message); err != nil {
		return err
	}
	if err := s.put(tx, t.claim.Team, r); err != nil {
		return err
	}
	return s.Generated(tx, t.who, &r.Job, api.PostChanges{})
}

// hang stores the cover and puts it into the changes. A refusal, such as a full
// quota, fails the step alone.
func (s *Service) hang(tx kv.Tx, t *task, r *record, changes *api.PostChanges) error {
	if t.image == nil {
		return nil
	}
	img, err := s.StoreImage(tx, t.who, "cover-"+t.rec.Job.PostID, *t.image)
	if refusal, ok := errors.AsType[*api.Error](err); ok {
		st := r.step(stepImage)
		st.State, st.Error = api.JobFailed, refusal.Detail
		if r.Job.Error == nil && !r.succeeded() {
			r.Job.Error = &api.JobError{Code: string(refusal.Code), Message: refusal.Detail}
		}
		return nil
	}
	changes.FeaturedImage = api.Some(img)
	return err
}

// yield gives way to what somebody changed in the post while the job ran.
func (r *record) yield(post *api.Post, changes *api.PostChanges) {
	now := baseOf(post.Content, post.Description, post.Tags, post.FeaturedImage)
	archived := post.Status == api.PostArchived
	for _, f := range []struct {
		step    string
		changed bool
		drop    func()
	}{
		{stepContent, now.Content != r.Base.Content, func() { changes.Content = api.Opt[string]{} }},
		{stepDescription, now.Description != r.Base.Description, func() { changes.Description = api.Opt[string]{} }},
		{stepTags, !slices.Equal(now.Tags, r.Base.Tags), func() { changes.Tags = api.Opt[[]string]{} }},
		{stepImage, now.Image != r.Base.Image, func() { changes.FeaturedImage = api.Opt[api.Image]{} }},
	} {
		st := r.step(f.step)
		if st == nil || st.State != api.JobCompleted || r.wasDone(f.step) || !f.changed && !archived {
			continue
		}
		f.drop()
		st.Warning = "The " + f.step + " was changed while the job ran; it was left as it is."
		if archived {
			st.Warning = "The post was archived while the job ran; it was left as it is."
		}
		r.Job.Warnings = append(r.Job.Warnings, st.Warning)
	}
}
