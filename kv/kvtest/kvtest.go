// Package kvtest is what every kv.Store is held to: the contract of
// transactions, of tables on top of them, and of both under concurrent use,
// compared with a simple model where a sequence of calls is too long to spell
// out. What a backend promises beyond kv.Store (crashes, full disks) is tested
// beside the backend.
package kvtest

import (
	"context"
	"fmt"
	"testing"

	"edgesvc.dev/svc/kv"
)

// Run holds stores to the contract. open returns a new, empty store; Run closes
// it.
func Run(t *testing.T, open func(t *testing.T) kv.Store) {
	fresh := func(t *testing.T) kv.Store {
		s := open(t)
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		return s
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T, s kv.Store)
	}{
		{"ReadYourWrites", testReadYourWrites},
		{"ScanMergesWrites", testScanMergesWrites},
		{"ScanStops", testScanStops},
		{"EmptyIsAbsent", testEmptyIsAbsent},
		{"ArgumentsAreCopied", testArgumentsAreCopied},
		{"ViewIsReadOnly", testViewIsReadOnly},
		{"ViewIsASnapshot", testViewIsASnapshot},
		{"FailureLeavesNothing", testFailureLeavesNothing},
		{"PanicLeavesNothing", testPanicLeavesNothing},
		{"OnCommit", testOnCommit},
		{"EndedContext", testEndedContext},
		{"ManyAndLarge", testManyAndLarge},
		{"Closed", testClosed},
		{"Limits", testLimits},
		{"Pairs", testPairsAgainstModel},

		{"Records", testRecords},
		{"UniqueIndex", testUniqueIndex},
		{"Teams", testTeams},
		{"Bodies", testBodies},
		{"Pages", testPages},
		{"Prefetch", testPrefetch},
		{"MergedPages", testMergedPages},
		{"BoundedPages", testBoundedPages},
		{"DamagedRecords", testDamagedRecords},
		{"RefusesWhatCannotBeRead", testRefusesWhatCannotBeRead},
		{"UnreadableRecords", testUnreadableRecords},
		{"Tables", testTablesAgainstModel},

		{"Counters", testCounters},
		{"FailuresSpoilNoOther", testFailuresSpoilNoOther},
		{"RacingSlugs", testRacingSlugs},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, fresh(t)) })
	}
}

// RunReopen holds stores to keeping what was written. open with the same name
// opens the same data again; the suite closes it before.
func RunReopen(t *testing.T, open func(t *testing.T, name string) kv.Store) {
	ctx := t.Context()
	s := open(t, "reopen")
	for i := range 100 {
		mustUpdate(t, s, func(tx kv.Tx) error {
			id := fmt.Sprintf("doc_%03d", i)
			if err := docs.Insert(tx, "a", id, &doc{Slug: id, Status: "draft", Rank: uint64(i)}); err != nil {
				return err
			}
			if i%3 == 0 {
				return docs.Delete(tx, "a", id)
			}
			return docs.PutBody(tx, "a", id, []byte("body of "+id))
		})
	}
	before := dump(t, s)
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	s = open(t, "reopen")
	if after := dump(t, s); !equalPairs(before, after) {
		t.Errorf("%d pairs before closing, %d other ones after opening", len(before), len(after))
	}
	if err := s.View(ctx, checkDocs(t)); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if other := open(t, "other"); len(dump(t, other)) != 0 {
		t.Error("a store of another name is not empty")
	} else if err := other.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func mustUpdate(t testing.TB, s kv.Store, fn func(kv.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func mustView(t testing.TB, s kv.Store, fn func(kv.Tx) error) {
	t.Helper()
	if err := s.View(context.Background(), fn); err != nil {
		t.Fatalf("view: %v", err)
	}
}

// pair is one key and value, copied.
type pair struct{ key, value string }

func dump(t testing.TB, s kv.Store) (pairs []pair) {
	t.Helper()
	mustView(t, s, func(tx kv.Tx) (err error) {
		pairs, err = scan(tx, kv.Range{})
		return err
	})
	return pairs
}

func scan(tx kv.Tx, r kv.Range) (pairs []pair, err error) {
	err = tx.Scan(r, func(k, v []byte) error {
		pairs = append(pairs, pair{string(k), string(v)})
		return nil
	})
	return pairs, err
}

func equalPairs(a, b []pair) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] { //nolint:gosec // both are as long
			return false
		}
	}
	return true
}
