package kv_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"edgesvc.dev/svc/kv"
)

func TestIDFrom(t *testing.T) {
	at := time.UnixMilli(1_772_366_400_123)
	from := func(text string, at time.Time) string {
		sum := sha256.Sum256([]byte(text))
		return kv.IDFrom("dlv", at, [10]byte(sum[:10]))
	}
	id := from("one", at)
	if !kv.ValidID("dlv", id) || id != from("one", at) {
		t.Errorf("%s, then %s", id, from("one", at))
	}
	if id == from("two", at) || id == from("one", at.Add(time.Millisecond)) {
		t.Error("another input makes the same id")
	}
	if id < kv.IDFloor("dlv", at) || id >= kv.IDFloor("dlv", at.Add(time.Millisecond)) {
		t.Errorf("%s does not stand at its time", id)
	}
}
