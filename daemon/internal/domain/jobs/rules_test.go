package jobs_test

import (
	"fmt"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func TestRefusals(t *testing.T) {
	w := newWorld(t, llm.Config{})
	started := w.generate(contentJob)
	bob := alice
	bob.Team = "team_b"
	noAI := alice
	noAI.Scopes &^= op.AIUse
	for _, row := range []struct {
		name, op, body string
		who            op.Caller
		code           api.Code
		pointer        string
	}{
		{"neither content nor flags", "posts.create", `{"title":"x"}`, alice, api.CodeNoGenerationFlags, ""},
		{"unknown model", "posts.create", `{"title":"x","generateTags":true,"model":"gpt-2"}`, alice, api.CodeUnknownModel, "/model"},
		{"unknown model, direct", "posts.create", `{"title":"x","content":"y","model":"gpt-2"}`, alice, api.CodeUnknownModel, "/model"},
		{"no scope", "posts.create", `{"title":"x","generateTags":true}`, noAI, api.CodeInsufficientScope, ""},
		{"no scope for images", "posts.image", `{"id":"` + started.PostID + `"}`, noAI, api.CodeInsufficientScope, ""},
		{"unknown source", "posts.create", `{"title":"x","generateContent":true,"sources":["` + started.PostID + `","post_nope"]}`, alice, api.CodeValidationFailed, "/sources/1"},
		{"a second job at once", "posts.image", `{"id":"` + started.PostID + `"}`, alice, api.CodeInvalidTransition, ""},
		{"another team's job", "jobs.get", `{"id":"` + started.JobID + `"}`, bob, api.CodeNotFound, ""},
		{"another team's job, waiting", "jobs.get", `{"id":"` + started.JobID + `","wait":30}`, bob, api.CodeNotFound, ""},
		{"another team's job canceled", "jobs.cancel", `{"id":"` + started.JobID + `"}`, bob, api.CodeNotFound, ""},
		{"another team's job retried", "jobs.retry", `{"id":"` + started.JobID + `"}`, bob, api.CodeNotFound, ""},
		{"retry of a queued job", "jobs.retry", `{"id":"` + started.JobID + `"}`, alice, api.CodeInvalidTransition, ""},
		{"generate with content", "posts.generate", `{"title":"x","content":"y","generateTags":true}`, alice, api.CodeUnknownField, "/content"},
		{"generate with a status", "posts.generate", `{"title":"x","status":"PUBLISHED","generateTags":true}`, alice, api.CodeUnknownField, "/status"},
		{"generate with all flags off", "posts.generate", `{"title":"x","generateContent":false,"generateDescription":false,"generateTags":false}`, alice, api.CodeNoGenerationFlags, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, refusal := optest.Call[map[string]any](w, row.who, row.op, row.body)
			if refusal == nil || refusal.Code != row.code || refusal.Pointer() != row.pointer {
				t.Errorf("%+v", refusal)
			}
			if row.code == api.CodeUnknownModel && len(refusal.Allowed) != 4 {
				t.Errorf("allowed: %v", refusal.Allowed)
			}
		})
	}
}

func TestQueuedJobsHaveAQuota(t *testing.T) {
	w := newWorld(t, llm.Config{})
	for i := range 100 {
		w.generate(fmt.Sprintf(`{"title":"p%d","generateTags":true}`, i))
	}
	_, refusal := optest.Call[api.JobStarted](w, alice, "posts.create", `{"title":"one more","generateTags":true}`)
	if refusal == nil || refusal.Code != api.CodeQuotaExceeded {
		t.Fatalf("%+v", refusal)
	}
	if page := optest.Must[api.Page[api.Post]](w, "posts.list", `{"q":"one more"}`); len(page.Data) != 0 {
		t.Error("the post of the refused job exists")
	}
	bob := alice
	bob.Team = "team_b"
	if _, refusal := optest.Call[api.JobStarted](w, bob, "posts.create", `{"title":"x","generateTags":true}`); refusal != nil {
		t.Errorf("another team pays: %+v", refusal)
	}
}

func TestList(t *testing.T) {
	w := newWorld(t, llm.Config{})
	a := w.generate(`{"title":"a","generateTags":true}`)
	b := w.generate(`{"title":"b","generateTags":true}`)
	optest.Must[api.Job](w, "jobs.cancel", `{"id":"`+a.JobID+`"}`)
	for _, row := range []struct {
		body string
		want []string
	}{
		{`{}`, []string{b.JobID, a.JobID}},
		{`{"order":"asc"}`, []string{a.JobID, b.JobID}},
		{`{"state":"canceled"}`, []string{a.JobID}},
		{`{"postId":"` + b.PostID + `"}`, []string{b.JobID}},
		{`{"postId":"` + b.PostID + `","state":"canceled"}`, nil},
	} {
		var got []string
		for _, job := range optest.Must[api.Page[api.Job]](w, "jobs.list", row.body).Data {
			got = append(got, job.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("%s: %v", row.body, got)
		}
	}
}

// What an AI client has written is a draft, whatever it asks for.
func TestAIClientsMakeDrafts(t *testing.T) {
	w := newWorld(t, llm.Config{}).work()
	for _, source := range []string{"mcp", "agent"} {
		who := alice
		who.Source = source
		who.Scopes &^= op.PostsPublish
		started, refusal := optest.Call[api.JobStarted](w, who, "posts.create", `{"title":"x","status":"PUBLISHED","publishAt":"2099-01-01T00:00:00Z","generateContent":true}`)
		if refusal != nil {
			t.Fatalf("%+v", refusal)
		}
		w.done(started.JobID)
		if p := w.post(started.PostID); p.Status != api.PostDraft || p.PublishAt != 0 || p.Provenance.Source != source {
			t.Errorf("%+v", p)
		}
		started, refusal = optest.Call[api.JobStarted](w, who, "posts.generate", `{"title":"x","generateContent":true}`)
		if refusal != nil || w.post(started.PostID).Status != api.PostDraft {
			t.Errorf("%+v", refusal)
		}
	}
}

func TestModels(t *testing.T) {
	w, _ := vendorWorld(t)
	list := optest.Must[api.ModelList](w, "models.list", `{}`).Data
	if len(list) != 4 {
		t.Fatalf("%+v", list)
	}
	for _, m := range list {
		claude := m.Provider == "anthropic"
		if m.Configured != claude || (m.ServedBy == "offline") == claude || m.ContextTokens == 0 {
			t.Errorf("%+v", m)
		}
	}
}
