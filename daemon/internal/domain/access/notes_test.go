package access

import (
	"strconv"
	"testing"
)

// TestLockoutsThatWaitAreBounded: however long the store takes nothing, and the
// oldest are kept.
func TestLockoutsThatWaitAreBounded(t *testing.T) {
	var n notes
	n.told = map[string]int{}
	for i := range 2 * maxLockouts {
		n.lockedOut(lockout{user: strconv.Itoa(i)}, "2026-01-01")
	}
	waiting := n.lockouts
	n.lockouts = nil
	for i := range maxLockouts / 2 {
		n.lockedOut(lockout{user: "later " + strconv.Itoa(i)}, "2026-01-01")
	}
	n.putBack(waiting)
	if len(waiting) != maxLockouts || len(n.lockouts) != maxLockouts || n.lockouts[0].user != "0" || n.lockouts[maxLockouts-1].user != strconv.Itoa(maxLockouts-1) {
		t.Errorf("%d waited, %d wait", len(waiting), len(n.lockouts))
	}
}
