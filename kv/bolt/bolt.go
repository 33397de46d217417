// Package bolt keeps a kv.Store in one file, on top of bbolt. It is the
// embedded default: one process, one writer, any number of readers.
//
// Every Update that waits is committed together with the others by one writer
// goroutine, with one fsync for all (see writer.go). Reads see only what is
// durable. Any storage error but a full disk stops the store for good, because
// bbolt shows a half-failed commit to later readers: the process is expected to
// exit and to be started again.
//
// The package knows nothing of records and tables; those are kv.Table's.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"edgesvc.dev/svc/kv"
)

// Options adjust a store. The zero value is the default.
type Options struct {
	// MaxSize is the most bytes that the file may take; 0 is no limit. A
	// sixteenth of it, or 4 MiB, is kept back for updates that free space and
	// those that ask for it, so that a full store can be entered and cleaned up.
	MaxSize int64

	// noSync drops every fsync. It exists for the tests that must see the
	// crash tests fail.
	noSync bool
}

// Store is a kv.Store in one file.
type Store struct {
	db      *bolt.DB
	path    string
	maxSize int64
	writer  conc.WaitGroup

	queue queue
	views views
	count counters

	// durable is the number of the last bbolt transaction that is on disk. A
	// reader that sees a later one waits for syncing, which is held while a
	// commit is under way.
	durable  atomic.Int64
	syncing  sync.RWMutex
	versions versions

	failOnce sync.Once
	failed   chan struct{}
	failure  error // set before failed is closed, never after

	closeOnce sync.Once
	closeErr  error
}

// Open opens the store at path, or makes it and its directory, readable only
// by the owner. It returns an error that names the file when another process
// has it open, and leaves a file of a newer format as it is. After any error
// the process should end: a damaged file may keep resources until then.
func Open(path string, o Options) (*Store, error) {
	if err := create(path); err != nil {
		return nil, fmt.Errorf("create store %s: %w", path, err)
	}
	if err := checkFormat(path); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	db, err := openFile(path, o.bolt(path))
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	s := &Store{db: db, path: path, maxSize: o.MaxSize, failed: make(chan struct{})}
	if o.MaxSize > 0 {
		// Grow in small steps near a small limit, or none of it is usable.
		db.AllocSize = min(db.AllocSize, max(int(o.MaxSize/64), pageSize))
	}
	if err := errors.Join(s.prime(), s.countSizes()); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", path, err), db.Close())
	}
	s.queue.wake = make(chan struct{}, 1)
	s.writer.Go(s.write)
	return s, nil
}

// prime takes note of the last commit, and makes bbolt count its free pages,
// which it does when a writer ends.
func (s *Store) prime() error {
	tx, err := s.db.Begin(true)
	if err != nil {
		return err
	}
	s.durable.Store(int64(tx.ID()) - 1)
	s.versions.open(int64(tx.ID()) - 1)
	return tx.Rollback()
}

// Close waits for the commit under way and for open Views. Updates that no
// commit has taken yet return kv.ErrClosed.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.queue.close(kv.ErrClosed)
		s.writer.Wait()
		s.closeErr = s.db.Close()
	})
	return s.closeErr
}

// Failed is closed when the storage failed and the store stopped.
func (s *Store) Failed() <-chan struct{} { return s.failed }

// Err is why the store stopped, nil while it works.
func (s *Store) Err() error {
	select {
	case <-s.failed:
		return s.failure
	default:
		return nil
	}
}

func (s *Store) fail(err error) {
	s.failOnce.Do(func() {
		s.failure = fmt.Errorf("store %s stopped: %w", s.path, err)
		close(s.failed)
		s.queue.close(s.failure)
	})
}

// View implements kv.Store.
func (s *Store) View(ctx context.Context, fn func(kv.Tx) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := s.snapshot()
	if err != nil {
		return err
	}
	defer tx.Rollback() // of a reader: cannot fail
	v := s.views.open()
	defer s.views.done(v)
	// A damaged page can point outside the file: an error, not the end of the
	// process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if err = fault(p); err == nil {
				panic(p)
			}
		}
	}()
	return fn(&viewTx{reader: reader{bucket: tx.Bucket(dataBucket)}, tx: tx})
}

// Version implements kv.Versioned: it is the number of the last durable commit
// that wrote to one of the tables.
func (s *Store) Version(tables ...string) (n int64, ok bool) {
	if len(tables) == 0 {
		return s.durable.Load(), s.Err() == nil
	}
	return s.versions.of(tables), s.Err() == nil
}

// snapshot begins a read transaction over durable data only.
func (s *Store) snapshot() (*bolt.Tx, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	tx, err := s.db.Begin(false)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return nil, kv.ErrClosed
	}
	if err != nil {
		return nil, fmt.Errorf("begin view: %w", err)
	}
	if int64(tx.ID()) > s.durable.Load() {
		s.syncing.RLock()
		s.syncing.RUnlock() //nolint:staticcheck // only to wait for the commit
	}
	if err := s.Err(); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}
