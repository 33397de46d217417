package screen

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestFeedEnds: why a stream ended is told behind what it brought, and a closed
// one lets go of its connection.
func TestFeedEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, wait := NewErrands(ctx)
	defer wait()
	defer cancel()
	lost := errors.New("lost")
	_, cmd := OpenFeed(e, "x", func(context.Context) Seq[int] {
		return func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, lost) }
	})
	if batch := cmd().(Fed[int]); !slices.Equal(batch.Values, []int{1}) || !batch.Over || batch.Err != lost {
		t.Errorf("the stream ended with %+v", batch)
	}
	f, _ := OpenFeed(e, "y", func(context.Context) Seq[int] { return func(func(int, error) bool) {} })
	f.Close()
	select {
	case <-f.done:
	default:
		t.Error("a closed stream goes on")
	}
}
