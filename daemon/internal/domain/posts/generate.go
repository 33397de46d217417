package posts

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Image starts a job that draws the featured image of a post. An agent, which
// strangers talk to, changes its own drafts only.
func (s *Service) Image(ctx context.Context, who op.Caller, in api.PostImage) (api.JobStarted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.JobStarted, error) {
		r, err := stored(tx, who.Team, in.ID)
		if err != nil {
			return api.JobStarted{}, err
		}
		p := r.post()
		if p.Status == api.PostArchived {
			return api.JobStarted{}, texts.ErrArchived()
		}
		if who.Kind == op.Agent && p.Provenance.ActorID != who.Actor.ID {
			return api.JobStarted{}, &kv.NotFoundError{Table: "draft of this agent", ID: in.ID}
		}
		if who.Kind == op.Agent && p.Status != api.PostDraft {
			return api.JobStarted{}, status.Refuse(p.Status, p.Status, "The post is public; an agent changes drafts only.")
		}
		if g := p.Generation; g != nil && pending(g.State) {
			e := status.Refuse(g.State, api.JobQueued, "The job %s of this post is still at work.", g.JobID)
			e.ExistingID = g.JobID
			return api.JobStarted{}, e
		}
		job, err := s.StartJob(tx, who, in.ID, api.PostCreate{Title: p.Title, Prompt: in.Prompt, GenerateImage: true, FeaturedImage: p.FeaturedImage})
		if err != nil {
			return job, err
		}
		return job, noteJob(tx, who.Team, r, job.JobID, job.State)
	})
}

func pending(state string) bool { return state == api.JobQueued || state == api.JobRunning }

// noteJob sets the state of a post's latest job. It is no change of the post
// that anybody could conflict with, so the version stays.
func noteJob(tx kv.Tx, team string, r *record, jobID, state string) error {
	p := *r.post()
	p.Generation = &api.Generation{JobID: jobID, State: state}
	if p.Held == api.HeldFailed || p.Held == api.HeldEmpty { // the body is as empty as it was
		p.Held = heldBack(&p)
	}
	next, err := r.with(p)
	if err != nil {
		return err
	}
	return table.Put(tx, team, p.ID, next)
}

// Read returns a post with its content, in a transaction of the caller's.
func (s *Service) Read(tx kv.Tx, team, id string) (api.Post, error) {
	_, p, err := load(tx, team, id)
	return p, err
}

// Generated takes over what became of a job, in the transaction in which the
// job says so. changes is what the job made. A post that waited for the job to
// become public does so now.
func (s *Service) Generated(tx kv.Tx, who op.Caller, job *api.Job, changes api.PostChanges) error {
	r, before, err := load(tx, who.Team, job.PostID)
	if err != nil {
		return err
	}
	latest := before.Generation != nil && before.Generation.JobID == job.ID
	if pending(job.State) {
		if !latest {
			return nil
		}
		if job.State == api.JobRunning && job.Attempt == 1 {
			if err := s.append(tx, who, generationStarted, r, nil); err != nil {
				return err
			}
		}
		return noteJob(tx, who.Team, r, job.ID, job.State)
	}
	after := before
	apply(&after, &changes)
	if latest {
		after.Generation = &api.Generation{JobID: job.ID, State: job.State}
	}
	creditJob(&after, job, &changes)
	if err := check(&after); err != nil {
		return err
	}
	r, _, err = s.save(tx, who, r, before, after, outcomes[job.State])
	if err != nil || !changes.FeaturedImage.Set {
		return err
	}
	return s.append(tx, who, imageGenerated, r, nil)
}

var outcomes = map[string]*kind{api.JobCompleted: &generationCompleted, api.JobFailed: &generationFailed}

// creditJob says in the post which job and model its text is from.
func creditJob(p *api.Post, job *api.Job, changes *api.PostChanges) {
	if !changes.Content.Set && !changes.Description.Set && !changes.Tags.Set {
		return
	}
	p.Provenance.JobID, p.Provenance.Model, p.Provenance.Offline = job.ID, job.Model, job.Provider == "offline"
	if changes.Content.Set {
		p.Model = job.Model
	}
}
