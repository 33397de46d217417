package op_test

import (
	"context"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
)

// TestExpiredAnswersGo sweeps a day after an answer was stored, and leaves it with
// a clock that has jumped by a year: a repeated request still gets it.
func TestExpiredAnswersGo(t *testing.T) {
	f := open(t, nil)
	create := func(key string) op.Result {
		t.Helper()
		res, err := f.table.Call(context.Background(), op.Request{
			Op: f.table.Lookup("notes.create"), Caller: keyCaller(op.AllScopes), IdempotencyKey: key, Args: op.Args{Body: []byte(`{"text":"one"}`)},
		})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	create("k")
	for _, row := range []struct {
		name     string
		after    time.Duration
		replayed bool
	}{
		{"an hour", time.Hour, true}, {"a year", 365 * 24 * time.Hour, true}, {"a day", op.IdempotencyTTL + time.Hour, false},
	} {
		if err := op.SweepAnswers(t.Context(), f.store, time.Now().Add(row.after)); err != nil {
			t.Fatal(err)
		}
		if got := create("k").Replayed; got != row.replayed {
			t.Errorf("after %s: replayed %v", row.name, got)
		}
	}
}
