package jobs

import (
	"context"
	"errors"
	"slices"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// finish ends the attempt: the job's last state, the post's new text and the
// end of the claim are one transaction.
func (s *Service) finish(ctx context.Context, t *task) error {
	return s.store.Update(ctx, func(tx kv.Tx) error {
		r := t.rec.clone()
		if !r.succeeded() {
			return s.fail(tx, t, r)
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
		r.yield(&post, &changes)
		for i := range r.Job.Steps {
			if st := &r.Job.Steps[i]; st.State == api.JobFailed {
				r.Job.Warnings = append(r.Job.Warnings, "The "+st.Name+" could not be made: "+st.Error)
			}
		}
		return s.end(tx, t.who, r, api.JobCompleted, changes)
	})
}

func (r *record) succeeded() bool {
	return slices.ContainsFunc(r.Job.Steps, func(st api.JobStep) bool { return st.State == api.JobCompleted })
}

// fail ends an attempt of which nothing came: another one follows where that
// can help.
func (s *Service) fail(tx kv.Tx, t *task, r *record) error {
	r.Job.Error = t.failure
	if r.Job.Error == nil {
		r.Job.Error = &api.JobError{Code: string(api.CodeProviderTimeout), Message: "The job took too long.", Retryable: true}
	}
	if r.Job.Error.Retryable && t.claim.Attempt < maxAttempts {
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
	if err := s.queue.Finish(tx, t.claim); err != nil {
		return err
	}
	return s.end(tx, t.who, r, api.JobFailed, api.PostChanges{})
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
		if st == nil || st.State != api.JobCompleted || !f.changed && !archived {
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
