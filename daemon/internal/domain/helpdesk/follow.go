package helpdesk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	followBatch = 256
	// noteEvery is how many events without articles pass before the index notes
	// its position all the same: they are what is read again after a start.
	noteEvery  = 20_000
	retryPause = time.Second
)

// Run keeps the index at the end of the event log until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	woken, cancel := s.log.Wake()
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-woken:
		}
		for {
			err := s.index.catchUp(ctx)
			if err == nil || ctx.Err() != nil || errors.Is(err, kv.ErrClosed) {
				break
			}
			slog.WarnContext(ctx, "the search index does not follow, trying again", "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(retryPause):
			}
		}
	}
}

// Close closes the index. What it has not seen it sees when it is opened again.
func (s *Service) Close() error { return s.index.close() }

// follow looks at the next events of the log and writes the articles that they
// are about as they are now; more is false at the end of the log. Doing it again
// changes nothing.
func (x *index) follow(ctx context.Context, idx bleve.Index) (more bool, err error) {
	batch, position, note := idx.NewBatch(), x.position, false
	err = x.store.View(ctx, func(tx kv.Tx) error {
		events, last, err := x.log.Read(tx, position, followBatch)
		if err != nil || last == position {
			return err
		}
		more, position = true, last
		changed, err := articlesOf(events)
		if err != nil {
			return err
		}
		for id, team := range changed {
			if err := put(tx, batch, team, id, x.stems.of); err != nil {
				return err
			}
		}
		if note = len(changed) > 0 || position-x.noted >= noteEvery; !note {
			return nil
		}
		mark, err := x.mark(tx, position)
		batch.SetInternal(positionKey, mark)
		return err
	})
	if err != nil {
		return false, err
	}
	if note {
		if err := calm(func() error { return write(ctx, idx, batch) }); err != nil {
			return false, fmt.Errorf("write the search index: %w", err)
		}
		x.noted = position
	}
	x.position = position
	return more, nil
}

const (
	// atOnce is how many articles are written without waiting for the disk.
	atOnce   = 32
	diskWait = 5 * time.Second
)

// write makes a batch visible. During an import it waits for the disk, so that
// the memory does not grow where that is slower.
func write(ctx context.Context, idx bleve.Index, batch *bleve.Batch) error {
	if batch.Size() <= atOnce {
		return idx.Batch(batch)
	}
	kept := make(chan struct{})
	batch.SetPersistedCallback(func(error) { close(kept) })
	if err := idx.Batch(batch); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, diskWait)
	defer cancel()
	select {
	case <-kept:
	case <-ctx.Done():
	}
	return nil
}

// articlesOf are the articles that events are about, with their teams.
func articlesOf(events []api.Event) (map[string]string, error) {
	changed := map[string]string{}
	for _, e := range events {
		if !strings.HasPrefix(e.Type, "article.") || e.Type == gapDetected.Name {
			continue
		}
		var article struct {
			ID string `json:"id"`
		}
		if err := op.Decode(e.Data.Object, &article); err != nil {
			return nil, fmt.Errorf("read event %s: %w", e.ID, err)
		}
		changed[article.ID] = e.TeamID
	}
	return changed, nil
}

// put adds what has become of an article to a batch.
func put(tx kv.Tx, batch *bleve.Batch, team, id string, stem func(string) string) error {
	r, err := table.Get(tx, team, id)
	if missing(err) {
		batch.Delete(id)
		return nil
	}
	if err != nil {
		return err
	}
	e, err := newEntry(tx, team, r, stem)
	if err != nil {
		return err
	}
	return batch.Index(id, e)
}
