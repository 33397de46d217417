package tuitest

import (
	"context"
	"strings"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Posts answers what was recorded, notes what was asked in Calls, and refuses
// with Refuse.
type Posts struct {
	Page    api.Page[api.Post]
	Content string
	Refuse  error
	Calls   []string
}

// List answers as the daemon would.
func (f *Posts) List(_ context.Context, q api.PostQuery, _ ...sdk.CallOption) (*api.Page[api.Post], error) {
	page := api.Page[api.Post]{HasMore: false}
	for _, p := range f.Page.Data {
		if (q.Status == "" || q.Status == p.Status) && strings.Contains(strings.ToLower(p.Title), strings.ToLower(q.Q)) {
			page.Data = append(page.Data, p)
		}
	}
	return &page, f.Refuse
}

// Get answers as the daemon would.
func (f *Posts) Get(_ context.Context, id string, _ ...sdk.CallOption) (*api.Post, error) {
	for _, p := range f.Page.Data {
		if p.ID == id {
			p.Content = f.Content
			return &p, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such post")
}

func (f *Posts) to(status, id string) (*api.Post, error) {
	f.Calls = append(f.Calls, status+" "+id)
	if f.Refuse != nil {
		return nil, f.Refuse
	}
	for i := range f.Page.Data {
		if p := &f.Page.Data[i]; p.ID == id {
			p.Status = status
			p.Version++
			if p.Held = ""; status == api.PostPublished && strings.Contains(f.Content, "[to complete]") {
				p.Held = api.HeldUnfinished
			}
			changed := *p
			return &changed, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such post")
}

// Publish answers as the daemon would.
func (f *Posts) Publish(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostPublished, r.ID)
}

// Unpublish answers as the daemon would.
func (f *Posts) Unpublish(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostDraft, r.ID)
}

// Archive answers as the daemon would.
func (f *Posts) Archive(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostArchived, r.ID)
}

// Unarchive answers as the daemon would.
func (f *Posts) Unarchive(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostDraft, r.ID)
}

// Delete answers as the daemon would.
func (f *Posts) Delete(_ context.Context, r api.Ref, _ ...sdk.CallOption) error {
	f.Calls = append(f.Calls, "delete "+r.ID)
	return f.Refuse
}

// Generate answers as the daemon would.
func (f *Posts) Generate(_ context.Context, in api.PostCreate, _ ...sdk.CallOption) (*sdk.JobHandle, error) {
	f.Calls = append(f.Calls, "generate "+in.Title)
	return &sdk.JobHandle{ID: "job_new", PostID: "post_new"}, f.Refuse
}
