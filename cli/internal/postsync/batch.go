package postsync

import (
	"context"
	"errors"
	"net/http"

	"github.com/sourcegraph/conc/pool"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Batcher is Texts that can be created many at a time.
type Batcher interface {
	Batch(context.Context, api.PostBatch, ...sdk.CallOption) ([]api.PostBatchOutcome, error)
}

// A batch has no more posts than the daemon takes, and fewer bytes.
const (
	maxBatch      = 100
	maxBatchBytes = 1200 << 10
)

// batch is some items on their way to the daemon.
type batch struct {
	items  []*Item
	inputs []api.PostCreate
	bytes  int
}

// createAll creates the posts of the items, many with one request: so a large
// folder is within what a key may write in a minute.
func (r *run) createAll(ctx context.Context, b Batcher, items []*Item) {
	for len(items) > 0 && ctx.Err() == nil {
		next := items[:min(len(items), maxBatch)]
		items = items[len(next):]
		inputs := make([]api.PostCreate, len(next))
		errs := make([]error, len(next))
		workers := pool.New().WithMaxGoroutines(max(1, r.opt.Jobs))
		for i, item := range next {
			workers.Go(func() { inputs[i], errs[i] = r.input(item) }) // uploads its pictures
		}
		workers.Wait()
		now := &batch{}
		for i, item := range next {
			if errs[i] != nil {
				r.end(ctx, item, nil, errs[i])
				continue
			}
			size := len(inputs[i].Content)*5/4 + 4096
			if now.bytes+size > maxBatchBytes && len(now.items) > 0 {
				r.sendBatch(ctx, b, now)
				now = &batch{}
			}
			now.items, now.inputs, now.bytes = append(now.items, item), append(now.inputs, inputs[i]), now.bytes+size
		}
		r.sendBatch(ctx, b, now)
	}
}

func (r *run) sendBatch(ctx context.Context, b Batcher, all *batch) {
	if len(all.items) == 0 || ctx.Err() != nil {
		return
	}
	var in api.PostBatch
	keys := []string{r.teamID}
	for i, item := range all.items {
		in.Items = append(in.Items, api.PostBatchItem{Op: "create", Create: &all.inputs[i]})
		keys = append(keys, r.key(item, ""))
	}
	var out []api.PostBatchOutcome
	var meta sdk.Meta
	_, err := r.patiently(ctx, func() (_ *api.Post, err error) {
		out, err = b.Batch(ctx, in, sdk.IdempotencyKey("sync-"+digest(keys...)), sdk.WithMeta(&meta))
		return nil, err
	})
	if e, ok := errors.AsType[*api.Error](err); ok && (e.Status == http.StatusNotFound || e.Status == http.StatusForbidden) {
		r.oneByOne(ctx, all) // a daemon without batches, or a key that may do only some of them
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, item := range all.items {
		if err != nil || i >= len(out) {
			r.note(ctx, item, nil, err)
			continue
		}
		post, err := r.outcome(ctx, item, all.inputs[i], out[i], meta.Replayed)
		r.note(ctx, item, post, err)
	}
	r.unwritten = r.write()
}

// oneByOne creates the posts of a batch with a request each.
func (r *run) oneByOne(ctx context.Context, all *batch) {
	for i, item := range all.items {
		if ctx.Err() != nil {
			return
		}
		post, err := r.patiently(ctx, func() (*api.Post, error) { return r.createOne(ctx, item, all.inputs[i], "") })
		r.end(ctx, item, post, err)
	}
}

// outcome is what became of one post of a batch.
func (r *run) outcome(ctx context.Context, item *Item, in api.PostCreate, got api.PostBatchOutcome, replayed bool) (*api.Post, error) {
	switch {
	case got.Error != nil && isReserved(got.Error):
		in.Slug = reserved(in.Slug)
		return r.patiently(ctx, func() (*api.Post, error) { return r.createOne(ctx, item, in, "reserved") })
	case got.Error != nil:
		return nil, got.Error
	case replayed:
		return r.replayed(ctx, item, in, got.Post)
	}
	return got.Post, nil
}
