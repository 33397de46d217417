package bolt

import (
	"bytes"
	"maps"
	"sync/atomic"

	"edgesvc.dev/svc/kv"
)

// versions knows the last commit that wrote to each table. Readers take the map
// as it is; the writer replaces it.
type versions struct {
	opened  int64
	byTable atomic.Pointer[map[string]int64]
}

func (v *versions) open(id int64) {
	v.opened = id
	v.byTable.Store(&map[string]int64{})
}

// of is the newest version of the tables.
func (v *versions) of(tables []string) int64 {
	newest, all := v.opened, *v.byTable.Load()
	for _, t := range tables {
		newest = max(newest, all[t])
	}
	return newest
}

// note takes in a commit once readers can see it: a version that was given out
// before must not be taken for one of what the commit wrote.
func (v *versions) note(o *overlay, id int64) {
	next := maps.Clone(*v.byTable.Load())
	var prefix []byte // of the table before: keys of one table stand together
	for i := range o.order {
		key := o.at(i).key
		if prefix != nil && bytes.HasPrefix(key, prefix) {
			continue
		}
		table, rest, ok := kv.SplitPart(key)
		if !ok {
			continue
		}
		prefix = key[:len(key)-len(rest)]
		next[table] = id
	}
	v.byTable.Store(&next)
}
