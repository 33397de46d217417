package op_test

import (
	"fmt"
	"runtime"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
)

// TestLimiterIsBounded: a crowd of networks, or of addresses of one network, takes
// a bounded memory.
func TestLimiterIsBounded(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for name, form := range map[string]string{"addresses of one /64": "2001:db8:1:1::%x:%x", "networks": "2001:db8:%x:%x::1"} {
		l := op.NewLimiter(op.Limits{"login": 10})
		before := heap()
		for i := range 300_000 {
			_, _ = l.Take(&op.Caller{Address: fmt.Sprintf(form, i>>12, i&0xfff)}, op.ClassLogin)
		}
		if grown := heap() - before; grown > 5<<20 {
			t.Errorf("300,000 %s take %d KiB", name, grown>>10)
		}
		runtime.KeepAlive(l)
	}
}
