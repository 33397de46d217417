package postsync

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"edgesvc.dev/svc/cli/internal/atomicfile"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// maxWait is the longest wait in seconds that is not a refusal.
const maxWait = 120

// Apply carries the plan out and sets Err of the items that fail; those
// without work are passed over. The state is written after each change, so
// that what was done is known however the run ends. When ctx ends, items that
// were not reached are left as they are, and ctx's error is returned.
func (s *Syncer) Apply(ctx context.Context, items []*Item) error {
	var mu sync.Mutex // guards s.state and unwritten
	var unwritten error
	workers := pool.New().WithMaxGoroutines(max(1, s.opt.Jobs))
	for _, item := range items {
		work := s.work(item.Action)
		if work == nil {
			continue
		}
		workers.Go(func() {
			post, err := patiently(ctx, func() (*api.Post, error) { return work(ctx, item) })
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				s.done(item, post)
				unwritten = s.write()
			case ctx.Err() == nil:
				item.Err = err
			}
		})
	}
	workers.Wait()
	if err := s.write(); err != nil || unwritten != nil {
		return errors.Join(err, unwritten)
	}
	return context.Cause(ctx)
}

func (s *Syncer) write() error {
	s.team.Images = s.folder.Known()
	return s.state.write(s.opt.Dir)
}

// patiently waits as long as the daemon asks for when a folder is larger than
// what it takes in a minute.
func patiently(ctx context.Context, work func() (*api.Post, error)) (*api.Post, error) {
	for {
		post, err := work()
		e, ok := errors.AsType[*api.Error](err)
		if !ok || e.Code != api.CodeRateLimited || e.RetryAfter < 1 || e.RetryAfter > maxWait {
			return post, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Duration(e.RetryAfter) * time.Second):
		}
	}
}

// work is what an action does; the post is as it stands afterwards.
func (s *Syncer) work(a Action) func(context.Context, *Item) (*api.Post, error) {
	return map[Action]func(context.Context, *Item) (*api.Post, error){
		Create: s.create, Update: s.update, Archive: s.archive, Pull: s.pull,
	}[a]
}

func (s *Syncer) done(item *Item, post *api.Post) {
	item.ID, item.Slug, item.Done = post.ID, post.Slug, true
	if item.Action == Archive {
		delete(s.team.Posts, item.Path)
		return
	}
	s.remember(item.source, post)
}

func (s *Syncer) create(ctx context.Context, item *Item) (*api.Post, error) {
	content, err := s.render(item.source, s.folder.Place)
	if err != nil {
		return nil, err
	}
	in, err := item.source.file.Create(content)
	if err != nil {
		return nil, err
	}
	in.Slug = item.source.slug
	var meta sdk.Meta
	post, err := s.texts.Create(ctx, in, sdk.IdempotencyKey(s.key(item, "")), sdk.WithMeta(&meta))
	if err != nil || !meta.Replayed {
		return post, err
	}
	// The daemon remembers this very write. If its post was deleted since, the
	// answer is about nothing.
	now, err := s.texts.Source(ctx, post.ID)
	if e, ok := errors.AsType[*api.Error](err); ok && e.Code == api.CodeNotFound {
		return s.texts.Create(ctx, in, sdk.IdempotencyKey(s.key(item, post.ID)))
	}
	return now, err
}

func (s *Syncer) update(ctx context.Context, item *Item) (*api.Post, error) {
	content, err := s.render(item.source, s.folder.Place)
	if err != nil {
		return nil, err
	}
	patch, _, err := item.source.file.Patch(item.post, &content)
	if err != nil {
		return nil, err
	}
	patch.IfMatch = item.post.Version
	return s.texts.Update(ctx, patch, sdk.IdempotencyKey(s.key(item, fmt.Sprint(item.post.Version))))
}

func (s *Syncer) archive(ctx context.Context, item *Item) (*api.Post, error) {
	return s.texts.Archive(ctx, api.PostRef{ID: item.ID})
}

// pull writes the server's post over the file.
func (s *Syncer) pull(_ context.Context, item *Item) (*api.Post, error) {
	f, err := postfile.FromPost(item.post, item.source.file.HTML)
	if err != nil {
		return nil, err
	}
	b, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(s.opt.Dir, filepath.FromSlash(item.Path)), b, 0o644); err != nil {
		return nil, err
	}
	return item.post, item.source.read(s.opt.Dir, s.folder)
}

// key makes a repeated write have its effect once: it is the same for the same
// team, path and file.
func (s *Syncer) key(item *Item, salt string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.teamID, item.Path, item.source.hash, salt}, "\x00")))
	return "sync-" + hex.EncodeToString(sum[:16])
}

func (s *Syncer) upload(ctx context.Context) func(string, []byte) (string, error) {
	return func(name string, body []byte) (string, error) {
		m, err := s.client.Media.Upload(ctx, sdk.MediaUpload{Name: name, Body: bytes.NewReader(body)})
		if err != nil {
			return "", err
		}
		return m.URL, nil
	}
}
