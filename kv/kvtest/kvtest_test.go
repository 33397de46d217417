package kvtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/kv/kvtest"
)

const defectVariable = "SVC_KVTEST_DEFECT"

// defects are stores with one thing wrong, and a case of the suite that must
// notice it whatever is drawn and however it is scheduled: each shows its defect
// at the first chance.
var defects = map[string]struct {
	noticed string
	wrap    func(kv.Store) kv.Store
}{
	"keeps the writes of a failed function": {"FailureLeavesNothing", func(s kv.Store) kv.Store { return keepsFailures{s} }},
	"runs callbacks of failed functions":    {"OnCommit", func(s kv.Store) kv.Store { return earlyHooks{s} }},
	"decides on an old snapshot":            {"Counters", lateUpdates},
	"lets writers race for a key":           {"RacingSlugs", lateUpdates},
	"never scans backwards":                 {"ScanMergesWrites", func(s kv.Store) kv.Store { return forwardOnly{s} }},
	"lists in the wrong order":              {"Pages", func(s kv.Store) kv.Store { return forwardOnly{s} }},
}

// TestSuiteNoticesDefects runs the suite on each of them in a child process,
// for a failing case cannot be taken back.
func TestSuiteNoticesDefects(t *testing.T) {
	for name, d := range defects {
		t.Run(name, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDefect$/^"+d.noticed+"$", "-rapid.nofailfile")
			c.Env = append(os.Environ(), defectVariable+"="+name)
			out, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestDefect/"+d.noticed) {
				t.Errorf("%s did not notice: %v\n%.2000s", d.noticed, err, out)
			}
		})
	}
}

func TestDefect(t *testing.T) {
	d, ok := defects[os.Getenv(defectVariable)]
	if !ok {
		return // TestSuiteNoticesDefects runs it, in a process of its own
	}
	kvtest.Run(t, func(t *testing.T) kv.Store {
		s, err := bolt.Open(filepath.Join(t.TempDir(), "svc.db"), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return d.wrap(s)
	})
}

type keepsFailures struct{ kv.Store }

func (s keepsFailures) Update(ctx context.Context, fn func(kv.Tx) error) (failed error) {
	err := s.Store.Update(ctx, func(tx kv.Tx) error { failed = fn(tx); return nil })
	return errors.Join(failed, err)
}

type earlyHooks struct{ kv.Store }

func (s earlyHooks) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return s.Store.Update(ctx, func(tx kv.Tx) error { return fn(hookless{tx}) })
}

type hookless struct{ kv.Tx }

func (hookless) OnCommit(fn func()) { fn() }

// lostUpdates runs each function on the snapshot from before the Update before
// it, and writes afterwards what it wrote.
type lostUpdates struct {
	kv.Store

	mu   sync.Mutex // one Update at a time; guards held
	held *heldView
}

func lateUpdates(s kv.Store) kv.Store { return &lostUpdates{Store: s} }

// heldView is a View that stays open until done is closed.
type heldView struct {
	tx          kv.Tx
	done, ended chan struct{}
}

func hold(s kv.Store) *heldView {
	h := &heldView{done: make(chan struct{}), ended: make(chan struct{})}
	began := make(chan struct{})
	go func() {
		defer close(h.ended)
		_ = s.View(context.Background(), func(tx kv.Tx) error {
			h.tx = tx
			close(began)
			<-h.done
			return nil
		})
	}()
	<-began
	return h
}

func (h *heldView) end() {
	close(h.done)
	<-h.ended
}

func (s *lostUpdates) Update(ctx context.Context, fn func(kv.Tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.held
	if s.held = hold(s.Store); late == nil {
		late = hold(s.Store)
	}
	defer late.end()
	var writes []func(kv.Tx) error
	if err := fn(&recorder{late.tx, &writes}); err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx kv.Tx) error {
		for _, w := range writes {
			if err := w(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *lostUpdates) Close() error {
	if s.held != nil {
		s.held.end()
	}
	return s.Store.Close()
}

type recorder struct {
	kv.Tx
	writes *[]func(kv.Tx) error
}

func (r *recorder) Put(key, value []byte) error {
	k, v := string(key), string(value)
	*r.writes = append(*r.writes, func(tx kv.Tx) error { return tx.Put([]byte(k), []byte(v)) })
	return nil
}

func (r *recorder) Delete(key []byte) error { return r.Put(key, nil) }

type forwardOnly struct{ kv.Store }

func (s forwardOnly) View(ctx context.Context, fn func(kv.Tx) error) error {
	return s.Store.View(ctx, func(tx kv.Tx) error { return fn(forwardTx{tx}) })
}

func (s forwardOnly) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return s.Store.Update(ctx, func(tx kv.Tx) error { return fn(forwardTx{tx}) })
}

type forwardTx struct{ kv.Tx }

func (t forwardTx) Scan(r kv.Range, fn func(key, value []byte) error) error {
	r.Reverse = false
	return t.Tx.Scan(r, fn)
}
