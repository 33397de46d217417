package posts

import (
	"context"
	"net/http"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Create stores a post. Without content it starts the job that the flags ask
// for and answers with that; with content, flags other than generateContent
// start a job beside the post. Posts that an AI client makes are drafts,
// whatever it asks for.
func (s *Service) Create(ctx context.Context, who op.Caller, in api.PostCreate) (api.PostCreated, error) {
	if byAI(who) {
		in.Status, in.PublishAt = api.PostDraft, 0
	}
	if in.Content != "" {
		in.GenerateContent = false
	} else if !in.Generates() {
		return api.PostCreated{}, api.NewError(http.StatusUnprocessableEntity, api.CodeNoGenerationFlags,
			"Send content, or at least one of generateContent, generateDescription, generateTags, generateImage.")
	}
	if err := s.admit(who, &in); err != nil {
		return api.PostCreated{}, err
	}
	draft, err := s.compose(who, &in)
	if err != nil {
		return api.PostCreated{}, err
	}
	return op.Update(ctx, s.store, func(tx kv.Tx) (api.PostCreated, error) {
		return s.create(tx, who, draft, &in)
	})
}

// Generate starts a job that writes a draft.
func (s *Service) Generate(ctx context.Context, who op.Caller, in api.PostCreate) (api.JobStarted, error) {
	if in.Content != "" {
		return api.JobStarted{}, api.Invalid("/content", "not_allowed", "content is what is generated; leave it out or use create_post")
	}
	in.Status, in.PublishAt = api.PostDraft, 0
	made, err := s.Create(ctx, who, in)
	if err != nil || made.Job == nil {
		return api.JobStarted{}, err
	}
	return *made.Job, nil
}

// byAI reports that the caller is a language model's client.
func byAI(who op.Caller) bool { return who.Source == "mcp" || who.Source == "agent" }

// admit asks for the scopes that depend on the input.
func (s *Service) admit(who op.Caller, in *api.PostCreate) error {
	if in.Status == api.PostPublished || in.PublishAt != 0 {
		if err := who.Require(op.PostsPublish); err != nil {
			return err
		}
	}
	if in.Generates() {
		if err := who.Require(op.AIUse); err != nil {
			return err
		}
	}
	if in.Model != "" {
		return s.CheckModel(in.Model)
	}
	return nil
}

// compose makes the post of the input, complete but for its id and times.
func (s *Service) compose(who op.Caller, in *api.PostCreate) (*api.Post, error) {
	p := &api.Post{
		Title: in.Title, Slug: in.Slug, Content: in.Content, Description: in.Description, Status: in.Status,
		Tags: in.Tags, FeaturedImage: in.FeaturedImage, Locale: in.Locale, CanonicalURL: in.CanonicalURL,
		PublishAt: in.PublishAt, Metadata: in.Metadata, Version: 1,
		Provenance: api.Provenance{Source: who.Source, ActorID: who.Actor.ID},
	}
	if p.Status == "" {
		p.Status = api.PostDraft
	}
	if !in.Generates() {
		p.Model, p.Provenance.Model = in.Model, in.Model
	}
	if who.Kind == op.Session {
		p.Author = &api.Author{ID: who.Actor.ID, Name: who.Name}
	}
	if err := check(p); err != nil {
		return nil, err
	}
	if p.PublishAt != 0 {
		if err := s.checkSchedule(p); err != nil {
			return nil, err
		}
	}
	if p.Slug == "" {
		p.Slug = slugOf(p.Title)
	}
	summarize(p)
	return p, nil
}

// jobInput is the input with the post's own form of what a job looks at: it
// overwrites nothing that differs from that later.
func jobInput(in *api.PostCreate, p *api.Post) api.PostCreate {
	job := *in
	job.Title, job.Content, job.Description, job.Tags, job.FeaturedImage = p.Title, p.Content, p.Description, p.Tags, p.FeaturedImage
	return job
}

func summarize(p *api.Post) {
	p.Excerpt, p.WordCount = safehtml.Summarize(p.Content)
	p.ReadingMinutes = safehtml.ReadingMinutes(p.WordCount)
}

func (s *Service) create(tx kv.Tx, who op.Caller, draft *api.Post, in *api.PostCreate) (out api.PostCreated, err error) {
	p := *draft
	now := s.Now()
	p.ID, p.CreatedAt, p.UpdatedAt = kv.IDAt("post", now), api.TimeOf(now), api.TimeOf(now)
	if in.Generates() {
		job, err := s.StartJob(tx, who, p.ID, jobInput(in, &p))
		if err != nil {
			return out, err
		}
		p.Generation = &api.Generation{JobID: job.JobID, State: job.State}
		if p.Content == "" {
			out.Job = &job
		}
	}
	settle(&p, p.CreatedAt)
	r := &record{stored: stored(p), Editor: who.Actor.ID}
	if err := insert(tx, who.Team, p.ID, r, in.Slug == ""); err != nil {
		return out, err
	}
	p.Slug = r.Slug
	if err := table.PutBody(tx, who.Team, p.ID, []byte(p.Content)); err != nil {
		return out, err
	}
	if err := s.reschedule(tx, who.Team, &api.Post{}, &p); err != nil {
		return out, err
	}
	if err := s.announceNew(tx, who, &p); err != nil {
		return out, err
	}
	if out.Job == nil {
		out.Post = &p
	}
	return out, nil
}
