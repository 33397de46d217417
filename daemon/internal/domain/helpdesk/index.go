package helpdesk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"github.com/blevesearch/bleve/v2"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/kv"
)

// index is the full-text index of all teams' articles in a folder. It holds no
// text, only where words stand; what it finds is read from the store. It follows
// the event log: how far it has come is kept in the index itself, so that index
// and data can be compared. Nothing is opened before there is an article and
// somebody searches or writes.
type index struct {
	dir   string
	store kv.Store
	log   *event.Log
	stems stems

	again sync.Mutex // one at a time makes an index beside one that is in use

	// turn lets one at a time open, follow or replace. It guards position and
	// noted.
	turn     sync.Mutex
	position uint64 // the event that was looked at last
	noted    uint64 // the position that the index has on disk

	using sync.RWMutex // guards open: a search holds it, so that the index stays
	open  bleve.Index  // nil before it is needed
}

// What the index keeps beside the words.
var (
	formatKey   = []byte("format")
	positionKey = []byte("position")
)

// format is another one whenever terms or the mapping change: an index of an
// older one is made anew.
const format = "2"

// catchUp brings the index to the end of the log and returns when it has.
func (x *index) catchUp(ctx context.Context) error {
	x.turn.Lock()
	defer x.turn.Unlock()
	if err := x.ready(ctx); err != nil {
		return err
	}
	if idx := x.current(); idx != nil {
		return x.toTheEnd(ctx, idx)
	}
	return nil
}

func (x *index) toTheEnd(ctx context.Context, idx bleve.Index) error {
	for {
		more, err := x.follow(ctx, idx)
		if err != nil || !more {
			return err
		}
	}
}

func (x *index) current() bleve.Index {
	x.using.RLock()
	defer x.using.RUnlock()
	return x.open
}

// ready opens the index, or makes it from the store when there is none that fits
// the data. Without articles it leaves it closed.
func (x *index) ready(ctx context.Context) error {
	if x.current() != nil {
		return nil
	}
	some := false
	err := x.store.View(ctx, func(tx kv.Tx) error {
		_, err := table.Each(tx, "", 1, func(string, string, *record) error { some = true; return nil })
		return err
	})
	if err != nil || !some {
		return err
	}
	found, err := openFolder(x.dir, inUse)
	if err == nil {
		if x.position, err = x.place(ctx, found); err == nil {
			x.noted = x.position
			x.use(found)
			return nil
		}
		err = errors.Join(err, found.Close())
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, bleve.ErrorIndexPathDoesNotExist) {
		slog.InfoContext(ctx, "the search index is made anew", "folder", x.dir, "because", err)
	}
	next := x.dir + ".new"
	position, _, err := x.build(ctx, next)
	if err != nil {
		return err
	}
	return x.adopt(ctx, next, position)
}

// rebuild makes the index anew while searches and writes go on in the old one.
func (x *index) rebuild(ctx context.Context) (articles int, err error) {
	x.again.Lock()
	defer x.again.Unlock()
	next := x.dir + ".again"
	position, articles, err := x.build(ctx, next)
	if err != nil {
		return 0, err
	}
	x.turn.Lock()
	defer x.turn.Unlock()
	return articles, x.adopt(ctx, next, position)
}

func (x *index) use(found bleve.Index) {
	x.using.Lock()
	defer x.using.Unlock()
	x.open = found
}

// close leaves the folder alone until the index is needed again.
func (x *index) close() error {
	x.using.Lock()
	defer x.using.Unlock()
	if x.open == nil {
		return nil
	}
	err := x.open.Close()
	x.open = nil
	return err
}

// lockWait is how long to wait for another process that has the folder.
const lockWait = "2s"

// How an index is opened. One in use shows a change before it is on disk: what
// the disk lacks after a crash is in the log. While an index is made nothing
// searches it, and its parts are merged once, at the end.
var (
	inUse    = map[string]any{"bolt_timeout": lockWait, "unsafe_batch": true, "scorchPersisterOptions": map[string]any{"PersisterNapTimeMSec": 100}}
	inMaking = map[string]any{"bolt_timeout": lockWait, "scorchMergePlanOptions": map[string]any{"MaxSegmentsPerTier": 1 << 20}}
)

func openFolder(dir string, how map[string]any) (found bleve.Index, err error) {
	err = calm(func() error {
		found, err = bleve.OpenUsing(dir, maps.Clone(how))
		return err
	})
	return found, err
}

// calm turns a panic of the library, which damaged files can cause, into an
// error.
func calm(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the search index is damaged: %v", p)
		}
	}()
	return fn()
}

// place is the position of an index that was found, which is refused unless it
// was made by this format and from this log. After a restored backup the log is
// shorter than the index knows it, or has another event at its place.
func (x *index) place(ctx context.Context, found bleve.Index) (position uint64, err error) {
	written, err := found.GetInternal(formatKey)
	if err != nil {
		return 0, err
	}
	if string(written) != format {
		return 0, fmt.Errorf("its format is %q, not %q", written, format)
	}
	mark, err := found.GetInternal(positionKey)
	if err != nil {
		return 0, err
	}
	var id string
	if _, err := fmt.Sscan(string(mark), &position, &id); err != nil || position == 0 {
		return 0, fmt.Errorf("it was not finished")
	}
	err = x.store.View(ctx, func(tx kv.Tx) error {
		there, _, err := x.log.Read(tx, position-1, 1)
		if err == nil && (len(there) == 0 || there[0].ID != id) {
			err = fmt.Errorf("it is of other data: event %d is not %s", position, id)
		}
		return err
	})
	return position, err
}

// mark is the position as the index keeps it.
func (x *index) mark(tx kv.Tx, position uint64) ([]byte, error) {
	there, _, err := x.log.Read(tx, max(position, 1)-1, 1)
	if err != nil || len(there) == 0 {
		return nil, err
	}
	return fmt.Appendf(nil, "%d %s", position, there[0].ID), nil
}
