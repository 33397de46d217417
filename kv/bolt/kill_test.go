package bolt

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// minAcks is how many acknowledgements make a round count.
const minAcks = 100

// killRound loads the store at path, kills the child at a random
// acknowledgement and verifies what is left.
func killRound(t *testing.T, path string, round int, d defect, ledger []string) (acked, wrong []string) {
	t.Helper()
	at := minAcks + rand.IntN(200)
	c := child(t, nil, "load", path, fmt.Sprint(round), string(d))
	acked, last := load(t, c, func(n int) {
		if n == at {
			_ = c.Process.Kill() // gone already: Wait tells
		}
	})
	if last != "" {
		t.Errorf("the child stopped by itself: %s", last)
	}
	acked = append(ledger, acked...)
	return acked, verify(path, acked)
}

// TestKill kills a writing process again and again. Everything that it
// acknowledged must be there, whole, and nothing by halves.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	var acked []string
	const rounds = 20
	for round := range rounds {
		var wrong []string
		if acked, wrong = killRound(t, path, round, sound, acked); len(wrong) > 0 {
			t.Fatalf("round %d: %d of %d acknowledgements: %.500s", round, len(wrong), len(acked), fmt.Sprint(wrong))
		}
	}
	t.Logf("%d rounds, %d acknowledged, 0 lost", rounds, len(acked))
}

// TestKillNoticesDefects wants the rounds above to notice a store that is used
// wrongly.
func TestKillNoticesDefects(t *testing.T) {
	for _, d := range []defect{early, split} {
		t.Run(string(d), func(t *testing.T) {
			for round := range 10 {
				path := filepath.Join(t.TempDir(), "svc.db")
				if _, wrong := killRound(t, path, round, d, nil); len(wrong) > 0 {
					t.Logf("noticed in round %d: %s", round, wrong[0])
					return
				}
			}
			t.Error("10 rounds noticed nothing")
		})
	}
}
