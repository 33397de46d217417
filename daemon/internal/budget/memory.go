package budget

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Memory is the smaller of the Go runtime's soft limit and the limit of the
// control group that the process runs in; 0 is none. System is "/" as a file
// system, without a leading slash in its names.
func Memory(system fs.FS) int64 {
	limit := debug.SetMemoryLimit(-1)
	if group := Group(system); group > 0 {
		limit = min(limit, group)
	}
	if limit == math.MaxInt64 {
		return 0
	}
	return limit
}

// Group is the memory limit of the process's control group (version 1 or 2) or
// of one above it; 0 is none, or a system that has no such groups.
func Group(system fs.FS) int64 {
	groups, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	lowest := int64(0)
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(parts) < 3 {
			continue
		}
		var root, file string
		switch {
		case parts[1] == "": // version 2
			root, file = "sys/fs/cgroup", "memory.max"
		case strings.Contains(","+parts[1]+",", ",memory,"):
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// In a container the path may be the host's while the folder is its own.
		for dir := path.Clean(parts[2]); ; dir = path.Dir(dir) {
			if n := readLimit(system, path.Join(root, dir, file)); n > 0 && (lowest == 0 || n < lowest) {
				lowest = n
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return lowest
}

// unlimited is what version 1 says for none: the largest number of whole pages,
// for any size of a page.
const unlimited = 1 << 62

func readLimit(system fs.FS, name string) int64 {
	b, err := fs.ReadFile(system, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	if err != nil || n >= unlimited { // "max" among the former
		return 0
	}
	return n
}
