package posts

import (
	"context"
	"log/slog"
	"net/http"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// Batch makes the changes one after the other, each in a transaction of its
// own. Under an idempotency key each change is made once, so a batch that was
// cut off can be sent again.
func (s *Service) Batch(ctx context.Context, who op.Caller, in api.PostBatch) (api.PostBatchResult, error) {
	out := api.PostBatchResult{Results: make([]api.PostBatchOutcome, len(in.Items))}
	for i := range in.Items {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		got, err := s.item(ctx, who.Item(i), &in.Items[i])
		if err != nil {
			got = refusedItem(ctx, who, err)
		}
		out.Results[i] = got
	}
	return out, nil
}

func refusedItem(ctx context.Context, who op.Caller, err error) api.PostBatchOutcome {
	e := op.Refusal(err)
	if e.Code == api.CodeInternal {
		slog.ErrorContext(ctx, "item of a batch failed", "op", "posts.batch", "team", who.Team, "request", who.RequestID, "err", err)
	}
	return api.PostBatchOutcome{Status: e.Status, Error: e}
}

func (s *Service) item(ctx context.Context, who op.Caller, in *api.PostBatchItem) (api.PostBatchOutcome, error) {
	if err := wellFormed(in); err != nil {
		return api.PostBatchOutcome{}, err
	}
	ref := api.PostRef{ID: in.ID}
	switch in.Op {
	case "create":
		if err := spend(&who, *in.Create); err != nil {
			return api.PostBatchOutcome{}, err
		}
		made, _, err := s.make(ctx, who, *in.Create)
		if err != nil {
			return api.PostBatchOutcome{}, err
		}
		return api.PostBatchOutcome{Status: made.HTTPStatus(), Post: made.Post, Job: made.Job}, nil
	case "delete":
		_, err := s.Delete(ctx, who, ref)
		return api.PostBatchOutcome{Status: http.StatusOK}, err
	case "patch":
		return changed(s.Update(ctx, who, api.PostPatch{PostRef: ref, PostChanges: *in.Patch}))
	case "publish", "unpublish":
		if err := who.Require(op.PostsPublish); err != nil {
			return api.PostBatchOutcome{}, err
		}
	}
	return changed(s.move(ctx, who, ref, in.Op))
}

func changed(p api.Post, err error) (api.PostBatchOutcome, error) {
	return api.PostBatchOutcome{Status: http.StatusOK, Post: &p}, err
}

// wellFormed checks that an item has what its op needs and nothing else.
func wellFormed(in *api.PostBatchItem) error {
	var f failures
	for _, m := range []struct {
		pointer      string
		has, belongs bool
	}{
		{"/id", in.ID != "", in.Op != "create"},
		{"/create", in.Create != nil, in.Op == "create"},
		{"/patch", in.Patch != nil, in.Op == "patch"},
	} {
		switch {
		case m.belongs && !m.has:
			f.Add(m.pointer, "required", "is required for %s", in.Op)
		case m.has && !m.belongs:
			f.Add(m.pointer, "not_allowed", "does not belong to %s", in.Op)
		}
	}
	return f.Err()
}
