package postsync

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// maxWait is the longest wait in seconds that is not a refusal.
const maxWait = 120

// run is one application of a plan.
type run struct {
	*Syncer

	mu        sync.Mutex // guards the state and what follows
	unwritten error
	done      int
	total     int
}

// Apply carries the plan out and sets Err of the items that fail; those
// without work are passed over. The state is written after each change, so
// that what was done is known however the run ends. When ctx ends, items that
// were not reached are left as they are, and ctx's error is returned.
func (s *Syncer) Apply(ctx context.Context, items []*Item) error {
	r := &run{Syncer: s}
	var creates []*Item
	for _, item := range items {
		if s.work(item.Action) != nil {
			r.total++
		}
		if item.Action == Create {
			creates = append(creates, item)
		}
	}
	r.progress(0)
	batcher, batches := s.texts.(Batcher)
	if batches && len(creates) > 1 {
		r.createAll(ctx, batcher, creates)
	}
	workers := pool.New().WithMaxGoroutines(max(1, s.opt.Jobs))
	for _, item := range items {
		work := s.work(item.Action)
		if work == nil || item.Done || item.Err != nil || item.Action == Create && batches && len(creates) > 1 {
			continue
		}
		workers.Go(func() {
			post, err := s.patiently(ctx, func() (*api.Post, error) { return work(ctx, item) })
			r.end(ctx, item, post, err)
		})
	}
	workers.Wait()
	s.dropBases()
	if err := s.write(); err != nil || r.unwritten != nil {
		return errors.Join(err, r.unwritten)
	}
	return context.Cause(ctx)
}

// end notes the outcome of one item, and writes the state.
func (r *run) end(ctx context.Context, item *Item, post *api.Post, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.note(ctx, item, post, err); err == nil {
		r.unwritten = r.write()
	}
}

// note notes the outcome of one item; the state is written by the caller, who
// holds the lock: once for a batch, since the state has all posts in it.
func (r *run) note(ctx context.Context, item *Item, post *api.Post, err error) {
	switch {
	case err == nil:
		r.Syncer.done(item, post)
	case ctx.Err() == nil:
		item.Err = err
	}
	r.done++
	r.progress(r.done)
}

func (r *run) progress(done int) {
	if r.opt.Progress != nil && r.total > 0 {
		r.opt.Progress(done, r.total)
	}
}

func (s *Syncer) write() error {
	s.team.Images = s.folder.Known()
	if err := s.keepBases(); err != nil {
		return err
	}
	return s.state.write(s.opt.state())
}

// patiently waits as long as the daemon asks for when a folder is larger than
// what it takes in a minute.
func (s *Syncer) patiently(ctx context.Context, work func() (*api.Post, error)) (*api.Post, error) {
	for {
		post, err := work()
		e, ok := errors.AsType[*api.Error](err)
		if !ok || e.Code != api.CodeRateLimited || e.RetryAfter < 1 || e.RetryAfter > maxWait {
			return post, err
		}
		wait := time.Duration(e.RetryAfter) * time.Second
		if s.opt.Waiting != nil {
			s.opt.Waiting(wait)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// work is what an action does; the post is as it is afterwards.
func (s *Syncer) work(a Action) func(context.Context, *Item) (*api.Post, error) {
	return map[Action]func(context.Context, *Item) (*api.Post, error){
		Create: s.create, Update: s.update, Archive: s.archive, Pull: s.pull, Merge: s.merge, Clash: s.clash,
	}[a]
}

func (s *Syncer) done(item *Item, post *api.Post) {
	item.ID, item.Slug, item.Done = post.ID, post.Slug, true
	switch item.Action {
	case Archive:
		delete(s.team.Posts, item.source.keyOr(item.Path))
		return
	case Clash:
		s.seen(item, post)
		return
	}
	if gone := item.source.gone; gone != "" {
		delete(s.team.Posts, gone)
	}
	s.remember(item.source, post)
}

// place uploads a picture. One that the daemon does not take is as one that is
// not there.
func (s *Syncer) place(dir, destination string) (string, error) {
	address, err := s.folder.Place(dir, destination)
	if e, ok := errors.AsType[*api.Error](err); ok {
		switch e.Code {
		case api.CodeUnsupportedMediaType, api.CodeValidationFailed, api.CodePayloadTooLarge:
			return "", &images.Missing{Reason: "image " + destination + " is not taken: " + e.Detail}
		}
	}
	return address, err
}

// input is the file of an item as a new post.
func (s *Syncer) input(item *Item) (api.PostCreate, error) {
	file, content, err := s.render(item.source, s.place, item.late())
	if err != nil {
		return api.PostCreate{}, err
	}
	in, err := file.Create(content)
	in.Slug = item.source.slug
	return in, err
}

func (s *Syncer) create(ctx context.Context, item *Item) (*api.Post, error) {
	in, err := s.input(item)
	if err != nil {
		return nil, err
	}
	return s.createOne(ctx, item, in, "")
}

// createOne creates a post. Where the service needs its slug for itself, it gets
// another.
func (s *Syncer) createOne(ctx context.Context, item *Item, in api.PostCreate, salt string) (*api.Post, error) {
	var meta sdk.Meta
	post, err := s.texts.Create(ctx, in, sdk.IdempotencyKey(s.key(item, salt)), sdk.WithMeta(&meta))
	if isReserved(err) && salt != "reserved" {
		in.Slug = reserved(in.Slug)
		return s.createOne(ctx, item, in, "reserved")
	}
	if err != nil || !meta.Replayed {
		return post, err
	}
	return s.replayed(ctx, item, in, post)
}

// replayed is a post that the daemon remembers to have been asked for. If it was
// deleted since, the answer is about nothing.
func (s *Syncer) replayed(ctx context.Context, item *Item, in api.PostCreate, post *api.Post) (*api.Post, error) {
	now, err := s.texts.Source(ctx, post.ID)
	if e, ok := errors.AsType[*api.Error](err); ok && e.Code == api.CodeNotFound {
		return s.texts.Create(ctx, in, sdk.IdempotencyKey(s.key(item, post.ID)))
	}
	return now, err
}

func isReserved(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	if !ok {
		return false
	}
	for _, f := range e.Errors {
		if f.Pointer == "/slug" && f.Code == "reserved" {
			return true
		}
	}
	return false
}

func (s *Syncer) update(ctx context.Context, item *Item) (*api.Post, error) {
	file, content, err := s.render(item.source, s.place, item.late())
	if err != nil {
		return nil, err
	}
	patch, _, err := file.Patch(item.post, &content)
	if err != nil {
		return nil, err
	}
	patch.IfMatch = item.post.Version
	return s.texts.Update(ctx, patch, sdk.IdempotencyKey(s.key(item, fmt.Sprint(item.post.Version))))
}

func (s *Syncer) archive(ctx context.Context, item *Item) (*api.Post, error) {
	return s.texts.Archive(ctx, api.PostRef{ID: item.ID})
}

// key makes a repeated write have its effect once: it is the same for the same
// team, path and file.
func (s *Syncer) key(item *Item, salt string) string {
	return "sync-" + digest(s.teamID, item.source.keyOr(item.Path), item.source.hash, salt)
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func (s *Syncer) upload(ctx context.Context) func(string, []byte) (string, error) {
	return func(name string, body []byte) (string, error) {
		var address string
		_, err := s.patiently(ctx, func() (*api.Post, error) {
			m, err := s.client.Media.Upload(ctx, sdk.MediaUpload{Name: name, Body: bytes.NewReader(body)})
			if err == nil {
				address = m.URL
			}
			return nil, err
		})
		return address, err
	}
}
