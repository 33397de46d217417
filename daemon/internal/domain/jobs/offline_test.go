package jobs_test

import (
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

const everything = `"generateContent":true,"generateDescription":true,"generateTags":true,"generateImage":true`

func TestOfflineJob(t *testing.T) {
	w := newWorld(t, llm.Config{}).work()
	src := optest.Must[api.Post](w, "posts.create", `{"title":"Old news","content":"<p>We make hammers of steel in Graz.</p>"}`)
	started := w.generate(`{"title":"How to choose a hammer","model":"claude-haiku-5-5","prompt":"Mention the handle.","sources":["` + src.ID + `"],` + everything + `}`)
	if started.State != api.JobQueued || started.ID != started.JobID || started.PostID == "" {
		t.Fatalf("%+v", started)
	}
	job := w.done(started.JobID)
	if job.State != api.JobCompleted || job.Progress != 100 || job.Provider != "offline" || job.Model != "claude-haiku-5-5" ||
		job.Attempt != 1 || job.Error != nil || len(job.Warnings) != 0 || job.CompletedAt == 0 || job.StartedAt == 0 {
		t.Fatalf("%+v", job)
	}
	for _, st := range job.Steps {
		if st.State != api.JobCompleted || st.StartedAt == 0 || st.FinishedAt == 0 {
			t.Errorf("%+v", st)
		}
	}
	p := w.post(started.PostID)
	for _, want := range []string{"<h2>The steps</h2>", "Mention the handle.", "Acme Tools was founded in 1999.", "We make hammers of steel in Graz.", "[to complete]"} {
		if !strings.Contains(p.Content, want) {
			t.Errorf("content lacks %q:\n%s", want, p.Content)
		}
	}
	if p.Description == "" || len(p.Tags) == 0 || p.WordCount == 0 || p.Model != "claude-haiku-5-5" || p.Status != api.PostDraft {
		t.Errorf("%+v", p)
	}
	if p.Provenance.Source != "api" || p.Provenance.JobID != job.ID || !p.Provenance.Offline || p.Provenance.Model != "claude-haiku-5-5" {
		t.Errorf("%+v", p.Provenance)
	}
	if p.Generation == nil || *p.Generation != (api.Generation{JobID: job.ID, State: api.JobCompleted}) {
		t.Errorf("%+v", p.Generation)
	}
	if img := p.FeaturedImage; img == nil || !strings.HasPrefix(img.URL, "/media/med_") || img.Source != "offline" || img.Width != 1200 {
		t.Fatalf("%+v", img)
	}
	id := strings.TrimSuffix(strings.TrimPrefix(p.FeaturedImage.URL, "/media/"), ".png")
	if c, err := w.media.Open(t.Context(), id); err != nil || c.MIME != "image/png" || c.Size == 0 {
		t.Errorf("%+v %v", c, err)
	}
	want := []string{"post.created", "post.created", "post.generation_started", "media.uploaded", "post.generation_completed", "post.image_generated"}
	if got := w.EventTypes(); !slices.Equal(got, want) {
		t.Errorf("events %v", got)
	}
}

// No description is better than one that is the same for every post, and the job
// says so.
func TestNoDescriptionRatherThanAWrongOne(t *testing.T) {
	w := newWorld(t, llm.Config{}).work()
	started := w.generate(`{"title":"Vacuum cleaners","generateContent":true,"generateDescription":true}`)
	job := w.done(started.JobID)
	if p := w.post(started.PostID); job.State != api.JobCompleted || p.Description != "" || len(job.Warnings) != 1 || !strings.Contains(job.Warnings[0], "No description was written") {
		t.Errorf("%q, %+v", p.Description, job)
	}
}

// The offline mode is deterministic: the same question, the same text.
func TestOfflineJobIsDeterministic(t *testing.T) {
	w := newWorld(t, llm.Config{}).work()
	text := func() string {
		started := w.generate(`{"title":"Why steel","generateContent":true,"generateDescription":true,"generateTags":true}`)
		w.done(started.JobID)
		p := w.post(started.PostID)
		return p.Content + p.Description + strings.Join(p.Tags, ",")
	}
	if a, b := text(), text(); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}

// A post that is to be public is not while it has no real body: not before its
// job, and not with the outline of one that has places to complete.
func TestPublishedPostWaitsForARealBody(t *testing.T) {
	w := newWorld(t, llm.Config{})
	started := w.generate(`{"title":"Soon","status":"PUBLISHED","generateContent":true}`)
	held := func(why string) {
		t.Helper()
		if p := w.post(started.PostID); p.Status != api.PostPublished || p.PublishedAt != 0 || p.Held != why {
			t.Fatalf("%s %v held %q, want %q", p.Status, p.PublishedAt, p.Held, why)
		}
		page, err := w.posts.PublishedPosts(t.Context(), "team_a", posts.PublicQuery{Limit: 10})
		if _, found, read := w.posts.PublishedPost(t.Context(), "team_a", "soon"); found || read != nil || err != nil || len(page.Data) != 0 {
			t.Fatal("it is public", err, read)
		}
	}
	held(api.HeldGenerating)
	w.work()
	if job := w.done(started.JobID); job.State != api.JobCompleted || len(job.Warnings) != 1 || !strings.Contains(job.Warnings[0], "held back") {
		t.Errorf("%+v", job)
	}
	held(api.HeldUnfinished)
	w.patch(started.PostID, `"title":"Soon, at last"`)
	held(api.HeldUnfinished)
	w.patch(started.PostID, `"content":"<p>It marks gaps as <code>[to complete]</code>.</p>"`)
	if p := w.post(started.PostID); p.PublishedAt == 0 || p.Held != "" {
		t.Fatalf("%+v", p)
	}
	if _, found, err := w.posts.PublishedPost(t.Context(), "team_a", "soon"); !found || err != nil {
		t.Fatal("not public", err)
	}
	want := []string{"post.created", "post.generation_started", "post.generation_completed", "post.updated", "post.updated", "post.published"}
	if got := w.EventTypes(); !slices.Equal(got, want) {
		t.Error(got)
	}
}

// With content the post is there at once; the flags that remain start a job.
func TestContentWithFlags(t *testing.T) {
	w := newWorld(t, llm.Config{}).work()
	p := optest.Must[api.Post](w, "posts.create", `{"title":"Hammers","content":"<p>Steel heads outlast iron heads by far.</p>","status":"PUBLISHED","generateContent":true,"generateTags":true}`)
	if p.PublishedAt == 0 || p.Generation == nil {
		t.Fatalf("%+v", p)
	}
	job := w.done(p.Generation.JobID)
	if len(job.Steps) != 1 || job.Steps[0].Name != "tags" {
		t.Fatalf("%+v", job.Steps)
	}
	after := w.post(p.ID)
	if after.Content != p.Content || len(after.Tags) == 0 || after.PublishedAt != p.PublishedAt {
		t.Fatalf("%+v", after)
	}
	p = optest.Must[api.Post](w, "posts.create", `{"title":"Only content","content":"<p>x</p>","generateContent":true,"model":"gpt-6-luna"}`)
	if p.Generation != nil {
		t.Errorf("a job for content that was sent: %+v", p.Generation)
	}
}

func TestImageOfAPost(t *testing.T) {
	w := newWorld(t, llm.Config{}).work()
	p := optest.Must[api.Post](w, "posts.create", `{"title":"Hammers","content":"<p>x</p>"}`)
	started := optest.Must[api.JobStarted](w, "posts.image", `{"id":"`+p.ID+`"}`)
	job := w.done(started.JobID)
	if job.State != api.JobCompleted || job.Provider != "offline" || job.Model != "" {
		t.Fatalf("%+v", job)
	}
	after := w.post(p.ID)
	if after.FeaturedImage == nil || after.Version != p.Version+1 || after.Provenance.JobID != "" {
		t.Fatalf("%+v", after)
	}
	if page := optest.Must[api.Page[api.Media]](w, "media.list", `{}`); len(page.Data) != 1 || page.Data[0].Source != "offline" {
		t.Errorf("%+v", page.Data)
	}
}
