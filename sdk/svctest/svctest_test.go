package svctest_test

import (
	"errors"
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/sdk/svctest"
)

// TestEveryService calls each service of the SDK on the real handlers once.
func TestEveryService(t *testing.T) {
	ctx := t.Context()
	server := svctest.NewServer(t)
	c := server.Client()

	me, err := c.Me(ctx)
	if err != nil || me.Team.ID != server.TeamID {
		t.Fatalf("me %v, error %v", me, err)
	}
	models, err := c.Models(ctx)
	if err != nil || len(models) != 4 {
		t.Errorf("models %v, error %v", models, err)
	}
	post, err := c.Posts.Create(ctx, api.PostCreate{Title: "Hi there", Content: "<p>Hello.</p>", Tags: []string{"go"}})
	if err != nil {
		t.Fatal(err)
	}
	patch := api.PostPatch{PostRef: api.PostRef{ID: post.ID, IfMatch: post.Version}}
	patch.Title = api.Some("Hello")
	patch.Description = api.Null[string]()
	changed, err := c.Posts.Update(ctx, patch)
	if err != nil || changed.Title != "Hello" {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	if _, err = c.Posts.Update(ctx, patch); code(err) != api.CodeVersionConflict {
		t.Errorf("a stale change: %v", err)
	}
	if _, err := c.Posts.Publish(ctx, api.Ref{ID: post.ID}); err != nil {
		t.Error(err)
	}
	if p, err := c.Posts.GetBySlug(ctx, post.Slug); err != nil || p.Status != api.PostPublished {
		t.Errorf("by slug %v, error %v", p, err)
	}
	revisions, err := c.Posts.Revisions(ctx, api.RevisionQuery{ID: post.ID})
	if err != nil || len(revisions.Data) == 0 {
		t.Fatalf("revisions %v, error %v", revisions, err)
	}
	if p, err := c.Posts.RestoreRevision(ctx, api.RevisionRef{ID: post.ID, N: 1}); err != nil || p.Title != "Hi there" {
		t.Errorf("restored %v, error %v", p, err)
	}
	outcomes, err := c.Posts.Batch(ctx, api.PostBatch{Items: []api.PostBatchItem{{Op: "archive", ID: post.ID}, {Op: "publish", ID: "post_none"}}})
	if err != nil || len(outcomes) != 2 || outcomes[0].Status != 200 || outcomes[1].Error == nil {
		t.Errorf("batch %v, error %v", outcomes, err)
	}
	for p, err := range c.Posts.All(ctx, api.PostQuery{Status: api.PostArchived}) {
		if err != nil || p.ID != post.ID {
			t.Errorf("listed %v, error %v", p, err)
		}
	}
	if _, err := c.Posts.Unarchive(ctx, api.Ref{ID: post.ID}); err != nil {
		t.Error(err)
	}
	if err := c.Posts.Delete(ctx, api.Ref{ID: post.ID}); err != nil {
		t.Errorf("delete a draft: %v", err)
	}
	if _, err := c.Posts.Get(ctx, post.ID); code(err) != api.CodeNotFound {
		t.Errorf("a deleted post: %v", err)
	}
	events, err := c.Events.List(ctx, api.EventQuery{Type: "post.published"})
	if err != nil || len(events.Data) != 1 {
		t.Errorf("events %v, error %v", events, err)
	}
	if types, err := c.Events.Types(ctx); err != nil || len(types) == 0 {
		t.Errorf("types %v, error %v", types, err)
	}
}

func TestJobs(t *testing.T) {
	ctx := t.Context()
	c := svctest.NewServer(t).Client()
	job, err := c.Posts.Generate(ctx, api.PostCreate{Title: "Why Go", Model: "gpt-6-luna", GenerateContent: true, GenerateDescription: true})
	if err != nil {
		t.Fatal(err)
	}
	var last *api.Job
	for j, err := range job.Watch(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		last = j
	}
	if last == nil || last.State != api.JobCompleted || last.PostID != job.PostID {
		t.Errorf("job %+v, want it completed", last)
	}
	waited, err := job.Wait(ctx)
	if err != nil || waited.State != api.JobCompleted {
		t.Errorf("waited for %v, error %v", waited, err)
	}
	if p, err := c.Posts.Get(ctx, job.PostID); err != nil || p.Content == "" {
		t.Errorf("post %v, error %v", p, err)
	}
}

func TestDashboard(t *testing.T) {
	ctx := t.Context()
	server := svctest.NewServer(t)
	d, err := sdk.LoginLink(ctx, server.SignInLink, "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	key, err := d.Keys.Create(ctx, api.KeyCreate{Name: "reader", Scopes: []string{"posts:read"}})
	if err != nil {
		t.Fatal(err)
	}
	reader := sdk.New(server.URL, sdk.WithAPIKey(string(key.Secret)))
	_, err = reader.Posts.Create(ctx, api.PostCreate{Title: "Hi", Content: "x"})
	if e, ok := errors.AsType[*api.Error](err); !ok || e.Code != api.CodeInsufficientScope || e.RequiredScope == "" || e.RequestID == "" {
		t.Errorf("a reader wrote: %v", err)
	}
	rolled, err := d.Keys.Roll(ctx, api.KeyRoll{ID: key.ID})
	if err != nil || rolled.Secret == key.Secret {
		t.Errorf("rolled %v, error %v", rolled, err)
	}
	if _, err := d.Keys.Revoke(ctx, api.Ref{ID: key.ID}); err != nil {
		t.Error(err)
	}
	if _, err := reader.Me(ctx); code(err) != api.CodeInvalidKey && code(err) != api.CodeRevokedKey {
		t.Errorf("a revoked key worked: %v", err)
	}
	if members, err := d.Team.Members(ctx, api.PageQuery{}); err != nil || len(members.Data) != 1 {
		t.Errorf("members %v, error %v", members, err)
	}
	if _, err := d.Team.Invite(ctx, api.MemberInvite{Email: "ada@example.com", Role: api.RoleEditor}); err != nil {
		t.Error(err)
	}
	post, err := d.Posts.Create(ctx, api.PostCreate{Title: "By a member", Content: "<p>x</p>"})
	if err != nil || post.Slug != "by-a-member" {
		t.Errorf("a member's post %v, error %v", post, err)
	}
	for p, err := range d.Posts.All(ctx, api.PostQuery{PageQuery: api.PageQuery{Limit: 1}}) {
		if err != nil || p.ID != post.ID {
			t.Errorf("listed %v, error %v", p, err)
		}
	}
	if _, err := server.Client().Agents.List(ctx, api.PageQuery{}); code(err) != api.CodeSessionRequired {
		t.Errorf("a key listed agents: %v", err)
	}
	if brand, err := d.Team.SetBrand(ctx, api.Brand{Voice: "plain"}); err != nil || brand.Voice != "plain" {
		t.Errorf("brand %v, error %v", brand, err)
	}
	if log, err := d.Team.AuditLog(ctx, api.PageQuery{}); err != nil || len(log.Data) == 0 {
		t.Errorf("audit log %v, error %v", log, err)
	}
	again, err := sdk.Login(ctx, server.URL, "owner@localhost", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Auth.Logout(ctx); err != nil {
		t.Error(err)
	}
	if _, err := again.Auth.Session(ctx); err == nil {
		t.Error("the session outlived its end")
	}
}

func code(err error) api.Code {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Code
	}
	return ""
}
