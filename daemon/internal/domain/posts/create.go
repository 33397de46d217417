package posts

import (
	"context"
	"net/http"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Create stores a post. Without content it starts the job that the flags ask
// for and answers with that; with content, flags other than generateContent
// start a job beside the post. Posts that an AI client makes are drafts,
// whatever it asks for.
func (s *Service) Create(ctx context.Context, who op.Caller, in api.PostCreate) (op.Encoded[api.PostCreated], error) {
	if err := spend(&who, in); err != nil {
		return op.Encoded[api.PostCreated]{}, err
	}
	made, wire, err := s.make(ctx, who, in)
	return op.Encoded[api.PostCreated]{Of: made, JSON: wire}, err
}

// spend counts an input that starts a job against the limit of those, which the
// row, being for every post, does not do.
func spend(who *op.Caller, in api.PostCreate) error {
	if in.Content != "" {
		in.GenerateContent = false
	}
	if !in.Generates() {
		return nil
	}
	return who.Spend(op.ClassAI)
}

// Generate starts a job that writes a draft.
func (s *Service) Generate(ctx context.Context, who op.Caller, in api.PostGenerate) (api.JobStarted, error) {
	made, _, err := s.make(ctx, who, api.PostCreate{
		Title: in.Title, Tags: in.Tags, Locale: in.Locale, Status: api.PostDraft, Model: in.Model,
		GenerateContent: in.GenerateContent, GenerateDescription: in.GenerateDescription,
		GenerateTags: in.GenerateTags, GenerateImage: in.GenerateImage,
		Prompt: in.Prompt, Audience: in.Audience, Tone: in.Tone, Length: in.Length, Sources: in.Sources,
	})
	if err != nil || made.Job == nil {
		return api.JobStarted{}, err
	}
	return *made.Job, nil
}

// make is Create. wire is the JSON of the answer, nil for a job.
func (s *Service) make(ctx context.Context, who op.Caller, in api.PostCreate) (made api.PostCreated, wire []byte, err error) {
	if text.ByAI(who) {
		in.Status, in.PublishAt, in.PublishedAt = api.PostDraft, 0, 0
	}
	if in.Content != "" {
		in.GenerateContent = false
	} else if !in.Generates() {
		return made, nil, api.NewError(http.StatusUnprocessableEntity, api.CodeNoGenerationFlags,
			"Send content, or at least one of generateContent, generateDescription, generateTags, generateImage.")
	}
	if err := s.admit(who, &in); err != nil {
		return made, nil, err
	}
	n, err := s.compose(who, &in)
	if err != nil {
		return made, nil, err
	}
	var r *record
	made, err = op.Update(ctx, s.store, who, func(tx kv.Tx) (out api.PostCreated, err error) {
		out, r, err = s.create(tx, who, n)
		return out, err
	})
	if err != nil || made.Job != nil || r == nil { // r is nil when an item of a batch was repeated
		return made, nil, err
	}
	content := n.content
	if r.Active {
		content, err = quote(made.Post.Content)
	}
	return made, r.join(make([]byte, 0, len(r.JSON)+len(content)+16), content), err
}

// admit asks for the scopes that depend on the input.
func (s *Service) admit(who op.Caller, in *api.PostCreate) error {
	if in.Status == api.PostPublished || in.PublishAt != 0 || in.PublishedAt != 0 {
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

// newPost is a post that is ready to be stored, encoded outside the
// transaction.
type newPost struct {
	post    api.Post
	record  *record
	content []byte // quoted
	derived bool   // the slug may be another
	in      *api.PostCreate
}

// compose makes the post of the input.
func (s *Service) compose(who op.Caller, in *api.PostCreate) (*newPost, error) {
	now := s.Now()
	p := asked(in)
	p.ID, p.CreatedAt, p.UpdatedAt, p.Version = kv.IDAt("post", now), api.TimeOf(now), api.TimeOf(now), 1
	p.Provenance = api.Provenance{Source: who.Source, ActorID: who.Actor.ID}
	if p.Status == "" {
		p.Status = api.PostDraft
	}
	if !in.Generates() {
		p.Model, p.Provenance.Model = in.Model, in.Model
	}
	if who.Kind == op.Session {
		p.Author = &api.Author{ID: who.Actor.ID, Name: who.Name}
	}
	if in.Author != "" {
		p.Author = &api.Author{Name: in.Author}
	}
	if err := check(&p); err != nil {
		return nil, err
	}
	if err := text.CheckDate(p.Date, p.CreatedAt); err != nil {
		return nil, err
	}
	if p.PublishAt != 0 {
		if err := s.checkSchedule(&p); err != nil {
			return nil, err
		}
	}
	if p.Slug == "" {
		p.Slug = slugs.Of(p.Title)
	}
	summarize(&p)
	settle(&p, p.CreatedAt)
	r, err := newRecord(p, text.Kept{Editor: who.Actor.ID, Active: safehtml.Active(p.Content)})
	if err != nil {
		return nil, err
	}
	content, err := quote(p.Content)
	return &newPost{post: p, record: r, content: content, derived: in.Slug == "", in: in}, err
}

// asking sets the members of a new post; the others say how a job writes it.
var asking = resource.Copier[api.Post, api.PostCreate](
	"author", "publishedAt", "generateContent", "generateDescription", "generateTags", "generateImage", "model", "prompt", "audience", "tone", "length", "sources")

// asked is the post as the input words it.
func asked(in *api.PostCreate) (p api.Post) {
	asking(&p, in)
	p.Date = in.PublishedAt
	return p
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

func (s *Service) create(tx kv.Tx, who op.Caller, n *newPost) (out api.PostCreated, r *record, err error) {
	p := n.post
	r = n.record
	if n.in.Generates() {
		job, err := s.StartJob(tx, who, p.ID, jobInput(n.in, &p))
		if err != nil {
			return out, r, err
		}
		p.Generation = &api.Generation{JobID: job.JobID, State: job.State}
		if p.Content == "" {
			p.Held = heldBack(&p)
			out.Job = &job
		}
		if r, err = r.with(p); err != nil {
			return out, r, err
		}
	}
	numbered := *r // n is used again when the transaction is repeated
	r = &numbered
	if r.Turn, err = search.Changed(tx, searched, who.Team); err != nil {
		return out, r, err
	}
	if r, err = insert(tx, who.Team, r, n.derived); err != nil {
		return out, r, err
	}
	p.Slug = r.post().Slug
	if err := texts.Addresses.Claim(tx, who.Team, p.ID, nil, p.Aliases); err != nil {
		return out, r, err
	}
	if err := table.PutBody(tx, who.Team, p.ID, n.content); err != nil {
		return out, r, err
	}
	if err := s.reschedule(tx, who.Team, &api.Post{}, &p); err != nil {
		return out, r, err
	}
	if out.Job == nil {
		p.Content = r.kept().Shown(p.Content, false)
		out.Post = &p
	}
	return out, r, s.announceNew(tx, who, r)
}
