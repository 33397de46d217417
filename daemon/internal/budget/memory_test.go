package budget_test

import (
	"testing"
	"testing/fstest"

	"edgesvc.dev/svc/daemon/internal/budget"
)

func TestGroup(t *testing.T) {
	for name, row := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups": {nil, 0},
		"version 2": {map[string]string{
			"proc/self/cgroup":                                   "0::/system.slice/svcd.service\n",
			"sys/fs/cgroup/system.slice/memory.max":              "max\n",
			"sys/fs/cgroup/system.slice/svcd.service/memory.max": "134217728\n",
		}, 128 << 20},
		"the group above is smaller": {map[string]string{
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max":   "1048576\n",
			"sys/fs/cgroup/a/b/memory.max": "2097152\n",
		}, 1 << 20},
		"version 2 without a limit": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n",
		}, 0},
		"version 1 beside an empty version 2": {map[string]string{
			"proc/self/cgroup": "9:name=systemd:/\n4:memory,hugetlb:/job\n0::/\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "268435456\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
		}, 256 << 20},
		"in a container, by the host's path": {map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/0123\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "67108864\n",
		}, 64 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			system := fstest.MapFS{}
			for path, text := range row.files {
				system[path] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := budget.Group(system); got != row.want {
				t.Errorf("%d, want %d", got, row.want)
			}
		})
	}
}
