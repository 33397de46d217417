// Package posts is the screen of the posts: their list beside a preview.
package posts

import (
	"context"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Service is what the screen does with posts; *sdk.PostsService is one.
type Service interface {
	List(ctx context.Context, q api.PostQuery, options ...sdk.CallOption) (*api.Page[api.Post], error)
	Get(ctx context.Context, id string, options ...sdk.CallOption) (*api.Post, error)
	Publish(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Unpublish(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Archive(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Unarchive(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Delete(ctx context.Context, ref api.Ref, options ...sdk.CallOption) error
	Generate(ctx context.Context, in api.PostCreate, options ...sdk.CallOption) (*sdk.JobHandle, error)
}
