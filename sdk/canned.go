package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// CannedService manages canned responses: saved replies.
type CannedService struct{ t *transport }

// List returns one page of canned responses.
func (s *CannedService) List(ctx context.Context, q api.CannedQuery, options ...CallOption) (*api.Page[api.CannedResponse], error) {
	return do[api.Page[api.CannedResponse]](ctx, s.t, operation("cannedResponses.list", "data"), q, options)
}

// All yields the canned responses of every page.
func (s *CannedService) All(ctx context.Context, q api.CannedQuery, options ...CallOption) iter.Seq2[*api.CannedResponse, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.CannedResponse], error) {
		q.PageQuery = page
		return s.List(ctx, q, options...)
	})
}

// Get returns a canned response.
func (s *CannedService) Get(ctx context.Context, id string, options ...CallOption) (*api.CannedResponse, error) {
	return s.one(ctx, "cannedResponses.get", api.Ref{ID: id}, options)
}

// Create makes a canned response. Its shortcut must be new to the team.
func (s *CannedService) Create(ctx context.Context, in api.CannedCreate, options ...CallOption) (*api.CannedResponse, error) {
	return s.one(ctx, "cannedResponses.create", in, options)
}

// Update changes the members of a canned response that are set in patch.
func (s *CannedService) Update(ctx context.Context, id string, patch api.CannedPatch, options ...CallOption) (*api.CannedResponse, error) {
	patch.ID = id
	return s.one(ctx, "cannedResponses.update", patch, options)
}

// Delete deletes a canned response and its links to agents.
func (s *CannedService) Delete(ctx context.Context, id string, options ...CallOption) error {
	_, err := do[api.Deleted](ctx, s.t, operation("cannedResponses.delete", "id"), api.Ref{ID: id}, options)
	return err
}

// Match finds the canned responses that fit a message, best first.
func (s *CannedService) Match(ctx context.Context, in api.CannedMatch, options ...CallOption) (*api.CannedMatches, error) {
	return do[api.CannedMatches](ctx, s.t, operation("cannedResponses.match", "data"), in, options)
}

func (s *CannedService) one(ctx context.Context, name string, in any, options []CallOption) (*api.CannedResponse, error) {
	return do[api.CannedResponse](ctx, s.t, operation(name, "id"), in, options)
}
