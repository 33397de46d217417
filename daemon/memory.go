package daemon

import (
	"log/slog"
	"math"
	"os"
	"runtime/debug"

	"edgesvc.dev/svc/daemon/internal/budget"
)

// groupShare is the part of a control group's memory that the heap may take when
// nothing else is said; the rest is for stacks and pages of the data file.
const groupShare = 0.75

// LimitMemory sets the runtime's soft limit from the configuration, or else from
// the control group, so that the collector works harder before the system kills
// the process. GOMEMLIMIT stays where it is set.
func LimitMemory(cfg *Config) {
	group := budget.Group(os.DirFS("/"))
	switch {
	case cfg.MemoryLimit > 0:
		debug.SetMemoryLimit(int64(cfg.MemoryLimit))
	case group > 0 && debug.SetMemoryLimit(-1) == math.MaxInt64:
		limit := size(float64(group) * groupShare)
		debug.SetMemoryLimit(int64(limit))
		slog.Info("memory limit taken from the control group", "limit", limit.String())
	}
}

// Memory is how many bytes the process may use, by the runtime's limit or its
// control group's; 0 is any.
func Memory() int64 { return budget.Memory(os.DirFS("/")) }
