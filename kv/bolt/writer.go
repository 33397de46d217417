package bolt

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"

	"github.com/sourcegraph/conc/panics"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"edgesvc.dev/svc/kv"
)

// One commit takes at most this many functions and, checked between two
// functions, this many bytes.
const (
	maxFuncs = 1024
	maxBytes = 16 << 20
)

// pageFill is how full bbolt leaves a page that it splits. Most keys are added
// behind those before, of the store or of their team, where its default of a half
// leaves every page half empty. More than this makes keys in no order, such as
// idempotency keys, split pages again and again: at 0.9 they fill 38 % of them,
// here 52 %, by default 69 %.
const pageFill = 0.8

// Update implements kv.Store. When ctx ends while fn waits for its commit,
// Update returns ctx.Err() and fn never runs; once a commit has taken fn,
// Update waits for the outcome. A panic of fn is raised again here, as
// *panics.Recovered, and spoils no other Update.
func (s *Store) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{fn: fn, done: make(chan struct{})}
	if err := s.queue.put(r); err != nil {
		return err
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		if s.queue.withdraw(r) {
			return ctx.Err()
		}
		<-r.done
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.err
}

// write commits whatever waits, again and again, until the queue is closed.
func (s *Store) write() {
	debug.SetPanicOnFault(true)
	b := &batch{s: s}
	defer b.abandon()
	for range s.queue.wake {
		var closed bool
		if b.requests, closed = s.queue.take(b.requests[:0], maxFuncs); len(b.requests) > 0 {
			b.run()
		}
		if closed {
			return
		}
	}
}

// batch is one commit.
type batch struct {
	s        *Store
	requests []*request
	own      overlay // of the function that runs
	all      overlay // of the functions that succeeded
	memory   arena
	reads    [keptReads]entry
	space    space
	sizes    sizes
}

// run takes the requests through one commit and answers them.
func (b *batch) run() {
	var caught panics.Catcher
	caught.Try(b.commit)
	if p := caught.Recovered(); p != nil {
		// A function's panic is caught where it is called: this one came from
		// bbolt, which met pages that make no sense.
		b.refuse(b.stop(fmt.Errorf("commit: %w", p.AsError())))
	}
	b.answer()
}

func (b *batch) commit() {
	tx, err := b.s.db.Begin(true)
	if err != nil {
		b.refuse(b.stop(fmt.Errorf("begin update: %w", err)))
		return
	}
	defer tx.Rollback() // does nothing after Commit
	b.space = b.s.left(tx)
	b.sizes.begin(tx)
	b.call(&reader{bucket: tx.Bucket(dataBucket)})
	if len(b.all.order) > 0 {
		if err := b.store(tx); err != nil {
			b.refuse(err)
			return
		}
	}
	b.runHooks()
}

// call runs the functions, and those that arrive meanwhile.
func (b *batch) call(base *reader) {
	for i := 0; i < len(b.requests); i++ {
		b.callOne(b.requests[i], base)
		if b.all.size > maxBytes {
			b.s.queue.putBack(b.requests[i+1:])
			b.requests = b.requests[:i+1]
		} else if room := maxFuncs - len(b.requests); i == len(b.requests)-1 && room > 0 {
			b.requests, _ = b.s.queue.take(b.requests, room)
		}
	}
}

func (b *batch) callOne(r *request, base *reader) {
	b.own.reset()
	tx := &updateTx{own: &b.own, batch: &b.all, base: base, memory: &b.memory, sizes: &b.sizes, read: b.reads[:0]}
	var caught panics.Catcher
	caught.Try(func() {
		if r.err = r.fn(tx); r.err == nil && len(b.own.entries) > 0 {
			r.err = b.admit(tx)
		}
	})
	tx.ended = true
	if r.panicked = caught.Recovered(); r.panicked != nil {
		if r.err = fault(r.panicked.Value); r.err != nil {
			r.panicked = nil
		}
	}
	if r.err != nil || r.panicked != nil {
		b.s.count.failed.Add(1)
		return
	}
	r.hooks = tx.hooks
	b.all.add(&b.own)
}

// store writes the batch and makes it durable.
func (b *batch) store(tx *bolt.Tx) error {
	bucket := tx.Bucket(dataBucket)
	bucket.FillPercent = pageFill
	id := int64(tx.ID())
	for i := range b.all.order {
		e := b.all.at(i)
		var err error
		if len(e.value) == 0 {
			err = bucket.Delete(e.key)
		} else {
			err = bucket.Put(e.key, e.value)
		}
		if err != nil {
			return b.stop(fmt.Errorf("commit: %w", err))
		}
	}
	if err := b.sizes.store(tx); err != nil {
		return b.stop(fmt.Errorf("commit: %w", err))
	}
	b.s.syncing.Lock()
	defer b.s.syncing.Unlock()
	err := commit(tx)
	if err == nil {
		b.s.durable.Store(id)
		b.s.versions.note(&b.all, id)
		b.s.count.commits.Add(1)
		return nil
	}
	if noSpace(err) && b.s.unchanged() {
		return fmt.Errorf("%w: %w", kv.ErrFull, err)
	}
	return b.stop(fmt.Errorf("commit: %w", err))
}

// commit is tx.Commit that returns the panic of a damaged page as an error.
func commit(tx *bolt.Tx) error {
	var err error
	var caught panics.Catcher
	caught.Try(func() { err = tx.Commit() })
	return errors.Join(err, caught.Recovered().AsError())
}

// noSpace reports whether err is one of those that a later commit may not meet.
// bbolt asks for MaxSize before it writes anything.
func noSpace(err error) bool {
	return errors.Is(err, berrors.ErrMaxSizeReached) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// unchanged reports whether the newest commit that readers can see is still
// the last durable one. bbolt writes data to free pages only, then the meta
// page that makes them reachable: when no meta page of the failed commit can be
// seen, none was written, and nothing of that commit can ever be.
func (s *Store) unchanged() bool {
	tx, err := s.db.Begin(false)
	if err != nil {
		return false
	}
	defer tx.Rollback() // of a reader: cannot fail
	return int64(tx.ID()) == s.durable.Load()
}

func (b *batch) stop(err error) error {
	b.s.fail(err)
	return b.s.Err()
}

// refuse gives err to all whose function succeeded.
func (b *batch) refuse(err error) {
	for _, r := range b.requests {
		if r.err == nil && r.panicked == nil {
			r.err = err
		}
		r.hooks = nil
	}
}

func (b *batch) runHooks() {
	for _, r := range b.requests {
		if r.err != nil || r.panicked != nil {
			continue
		}
		for _, fn := range r.hooks {
			var caught panics.Catcher
			caught.Try(fn)
			if p := caught.Recovered(); p != nil {
				r.panicked = p
			}
		}
	}
}

func (b *batch) answer() {
	b.s.count.functions.Add(int64(len(b.requests)))
	for _, r := range b.requests {
		close(r.done)
	}
	clear(b.requests)
	b.requests = b.requests[:0]
	b.own.reset()
	b.all.reset()
	b.memory.reset()
}

// abandon answers everyone when a function ended the writer's goroutine with
// runtime.Goexit, which cannot be stopped.
func (b *batch) abandon() {
	if len(b.requests) == 0 {
		return
	}
	b.refuse(b.stop(errors.New("an update function ended the writer's goroutine")))
	b.answer()
}
