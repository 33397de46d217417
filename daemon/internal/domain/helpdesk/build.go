package helpdesk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/sourcegraph/conc/pool"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
)

// build makes an index of what is in the store in the folder next, and leaves it
// closed.
func (x *index) build(ctx context.Context, next string) (position uint64, articles int, err error) {
	if err := errors.Join(os.RemoveAll(next), os.MkdirAll(filepath.Dir(x.dir), 0o700)); err != nil {
		return 0, 0, fmt.Errorf("make the search index: %w", err)
	}
	m, err := newMapping()
	if err != nil {
		return 0, 0, err
	}
	empty, err := bleve.New(next, m)
	if err == nil {
		err = empty.Close()
	}
	if err != nil {
		return 0, 0, fmt.Errorf("make the search index: %w", err)
	}
	made, err := openFolder(next, inMaking)
	if err != nil {
		return 0, 0, fmt.Errorf("make the search index: %w", err)
	}
	position, articles, err = x.fill(ctx, made)
	if err = errors.Join(err, made.Close()); err != nil {
		return 0, 0, fmt.Errorf("make the search index: %w", err)
	}
	return position, articles, nil
}

// adopt replaces the index by the one in the folder next, once that has what
// changed while it was made: a search never sees less than one before it.
func (x *index) adopt(ctx context.Context, next string, position uint64) error {
	was, noted := x.position, x.noted
	x.position, x.noted = position, position
	made, err := openFolder(next, inMaking)
	if err == nil {
		err = errors.Join(x.toTheEnd(ctx, made), made.Close())
	}
	if err != nil {
		x.position, x.noted = was, noted
		return fmt.Errorf("complete the search index: %w", err)
	}
	x.using.Lock()
	defer x.using.Unlock()
	if x.open != nil {
		err = x.open.Close()
		x.open = nil
	}
	if err = errors.Join(err, os.RemoveAll(x.dir), os.Rename(next, x.dir)); err != nil {
		return fmt.Errorf("replace the search index: %w", err)
	}
	if x.open, err = openFolder(x.dir, inUse); err != nil {
		x.open = nil
		return fmt.Errorf("open the search index: %w", err)
	}
	return nil
}

// fill adds every article. The position is taken before: what changes meanwhile
// is looked at again.
func (x *index) fill(ctx context.Context, into bleve.Index) (position uint64, articles int, err error) {
	var mark []byte
	err = x.store.View(ctx, func(tx kv.Tx) error {
		if position, err = x.log.Last(tx); err == nil {
			mark, err = x.mark(tx, position)
		}
		return err
	})
	if err == nil {
		articles, err = x.addAll(ctx, into)
	}
	if err == nil {
		err = merge(ctx, into)
	}
	if err != nil {
		return 0, 0, err
	}
	last := into.NewBatch()
	last.SetInternal(formatKey, []byte(format))
	last.SetInternal(positionKey, mark)
	return position, articles, into.Batch(last)
}

// What is in memory while an index is made: a few batches of so many articles,
// or of so many bytes of terms and one page.
const (
	buildPage  = 50
	buildBatch = 500
	buildBytes = 3 << 20
)

// addAll adds every article. The next batch is read while one is written.
func (x *index) addAll(ctx context.Context, into bleve.Index) (articles int, err error) {
	full := make(chan *bleve.Batch)
	both := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	both.Go(func(ctx context.Context) (err error) {
		defer close(full)
		articles, err = x.eachBatch(ctx, into, func(b *bleve.Batch) error {
			select {
			case full <- b:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		return err
	})
	both.Go(func(context.Context) error {
		for b := range full {
			if err := into.Batch(b); err != nil {
				return err
			}
		}
		return nil
	})
	return articles, both.Wait()
}

func (x *index) eachBatch(ctx context.Context, into bleve.Index, f func(*bleve.Batch) error) (articles int, err error) {
	batch, size := into.NewBatch(), 0
	for after, more := "", true; more; more = after != "" {
		err = x.store.View(ctx, func(tx kv.Tx) error {
			after, err = table.EachReadable(tx, after, buildPage, op.Unreadable, func(team, id string, r *record) error {
				e, err := newEntry(tx, team, r, x.stems.of)
				if err != nil {
					return err
				}
				articles++
				size += len(e.Body)
				return batch.Index(id, e)
			})
			return err
		})
		if err == nil && (batch.Size() >= buildBatch || size >= buildBytes || after == "") {
			err = f(batch)
			batch, size = into.NewBatch(), 0
		}
		if err != nil {
			return 0, err
		}
	}
	return articles, nil
}

// merge makes one part of all: each costs every search a look.
func merge(ctx context.Context, into bleve.Index) error {
	parts, err := into.Advanced()
	if err != nil {
		return err
	}
	if s, ok := parts.(*scorch.Scorch); ok {
		return s.ForceMerge(ctx, nil)
	}
	return nil
}
