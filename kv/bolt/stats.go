package bolt

import (
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"edgesvc.dev/svc/kv"
)

// Stats are figures for a monitor. Counts start at zero when the store opens.
type Stats struct {
	Commits   int64 // commits that are durable
	Functions int64 // Update functions that were run
	Failed    int64 // of those, the ones that returned an error or panicked
	Queue     int   // Updates that wait for a commit now

	Views      int           // Views that are open now
	OldestView time.Duration // how long the oldest of them is open: it keeps old pages alive

	Used int64 // bytes of pages that hold data
	Free int64 // bytes of pages that will be used again
}

type counters struct {
	commits, functions, failed atomic.Int64
}

// Stats returns the current figures.
func (s *Store) Stats() Stats {
	st := Stats{
		Commits:   s.count.commits.Load(),
		Functions: s.count.functions.Load(),
		Failed:    s.count.failed.Load(),
		Queue:     s.queue.length(),
	}
	st.Views, st.OldestView = s.views.gauge()
	if tx, err := s.db.Begin(false); err == nil {
		st.Used, st.Free = s.space(tx)
		_ = tx.Rollback() // of a reader: cannot fail
	}
	return st
}

// Figures are the Stats that a monitor shows.
func (s *Store) Figures() []kv.Figure {
	st := s.Stats()
	return []kv.Figure{
		{Name: "commits", Help: "Durable commits since the start.", Value: float64(st.Commits)},
		{Name: "functions", Help: "Update functions run since the start.", Value: float64(st.Functions)},
		{Name: "queue", Help: "Updates that wait for a commit.", Value: float64(st.Queue)},
		{Name: "views", Help: "Snapshots that are open.", Value: float64(st.Views)},
		{Name: "oldest_view_seconds", Help: "Age of the oldest open snapshot.", Value: st.OldestView.Seconds()},
		{Name: "used_bytes", Help: "Bytes of pages that hold data.", Value: float64(st.Used)},
		{Name: "free_bytes", Help: "Bytes of pages that will be used again.", Value: float64(st.Free)},
	}
}

func (s *Store) space(tx *bolt.Tx) (used, free int64) {
	b := s.db.Stats()
	free = int64(b.FreePageN+b.PendingPageN) * pageSize
	return max(tx.Size()-free, 0), free
}

// space is how much room a store of limited size has left.
type space int

const (
	roomy space = iota
	// full: only the reserve is left.
	full
	// tight: only the half of the reserve is left that is for shrinking.
	tight
)

func (s *Store) left(tx *bolt.Tx) space {
	if s.maxSize <= 0 {
		return roomy
	}
	kept := reserve(s.maxSize)
	switch used, _ := s.space(tx); {
	case used > s.maxSize-kept/2:
		return tight
	case used > s.maxSize-kept:
		return full
	}
	return roomy
}

// reserve is what a store of limited size keeps back: half of it for updates
// that ask for it (kv.UseReserve), half for those that free space, which write
// new pages too before old ones are free.
func reserve(maxSize int64) int64 {
	return max(maxSize/16, min(maxSize/2, 4<<20))
}

// views lists the open Views, oldest first.
type views struct {
	mu          sync.Mutex // guards the list
	first, last *openView
	n           int
}

type openView struct {
	since      time.Time
	prev, next *openView
}

func (v *views) open() *openView {
	o := &openView{since: time.Now()}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.n++
	o.prev = v.last
	if v.last == nil {
		v.first = o
	} else {
		v.last.next = o
	}
	v.last = o
	return o
}

func (v *views) done(o *openView) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.n--
	if o.prev == nil {
		v.first = o.next
	} else {
		o.prev.next = o.next
	}
	if o.next == nil {
		v.last = o.prev
	} else {
		o.next.prev = o.prev
	}
}

func (v *views) gauge() (n int, oldest time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.first != nil {
		oldest = time.Since(v.first.since)
	}
	return v.n, oldest
}
