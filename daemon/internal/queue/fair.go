package queue

import (
	"slices"
	"strings"
	"sync"

	"edgesvc.dev/svc/kv"
)

const (
	// window is how many due rows are looked at for one of a team that has less
	// work under way than the others.
	window = 256
	// maxSeeks is how many further teams a fair queue looks for behind a full window.
	maxSeeks = 64
	// maxServed bounds the memory of who was served when.
	maxServed = 10_000
)

// turns remembers whose turn it was.
type turns struct {
	mu     sync.Mutex // guards what follows
	n      uint64
	served map[string]uint64 // by team: the larger, the later
	team   string            // where the last look behind the window ended
}

func (t *turns) last() (served map[string]uint64, team string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	served = make(map[string]uint64, len(t.served))
	for k, v := range t.served {
		served[k] = v
	}
	return served, t.team
}

func (t *turns) took(claims []Claim, team string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.served == nil || len(t.served) > maxServed {
		t.served = map[string]uint64{}
	}
	for _, c := range claims {
		t.n++
		t.served[c.Team] = t.n
	}
	t.team = team
}

// waiting is a due row.
type waiting struct {
	id string // of the item
	*row
}

// candidates are due rows to choose from: the first of the window and, in a fair
// queue whose window is full, the first of further teams. full says that there
// are more. team is where to look on from the next time.
func (q *Queue) candidates(tx kv.Tx, team string) (found []waiting, full bool, next string, err error) {
	due, err := q.list(tx, kv.Page[row]{
		Index: "due", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true,
		To: kv.Key(dueKey(q.now() + 1)), Limit: window,
	})
	if err != nil {
		return nil, false, "", err
	}
	for i, id := range due.IDs {
		found = append(found, q.waits(id, due.Records[i]))
	}
	if !q.o.Fair || !due.More {
		return found, due.More, "", nil
	}
	more, next, err := q.furtherTeams(tx, found, team)
	return append(found, more...), true, next, err
}

func (q *Queue) waits(id string, r *row) waiting {
	return waiting{strings.TrimPrefix(id, q.name+"/"), r}
}

// furtherTeams skips from team to team, beginning behind the team after.
func (q *Queue) furtherTeams(tx kv.Tx, seen []waiting, after string) (found []waiting, next string, err error) {
	next = after
	for range maxSeeks {
		p := kv.Page[row]{Index: "lane", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true, Limit: 1}
		if next != "" {
			p.From = kv.Prefix(kv.Key(next)).To
		}
		res, err := q.list(tx, p)
		if err != nil {
			return nil, "", err
		}
		if len(res.IDs) == 0 { // from the front again, up to where this look began
			if next == "" || after == "" {
				return found, "", nil
			}
			next, after = "", ""
			continue
		}
		r := res.Records[0]
		next = r.Team
		known := func(w waiting) bool { return w.Team == r.Team }
		if r.Due <= q.now() && !slices.ContainsFunc(seen, known) && !slices.ContainsFunc(found, known) {
			found = append(found, q.waits(res.IDs[0], r))
		}
	}
	return found, next, nil
}

// share picks up to n of the due rows: each time the first row of the team with
// the least work, and of those the one that was served longest ago. perTeam
// bounds the work of one team; 0 is no bound.
func share(due []waiting, n, perTeam int, running map[string]int, served map[string]uint64) (picked []waiting) {
	load := make(map[string]int, len(running))
	for team, k := range running {
		load[team] = k
	}
	taken := make([]bool, len(due))
	before := func(a, b string) bool {
		if load[a] != load[b] {
			return load[a] < load[b]
		}
		return served[a] < served[b]
	}
	for len(picked) < n {
		best := -1
		for i, w := range due {
			if taken[i] || perTeam > 0 && load[w.Team] >= perTeam {
				continue
			}
			if best < 0 || before(w.Team, due[best].Team) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		taken[best] = true
		load[due[best].Team]++
		picked = append(picked, due[best])
	}
	return picked
}
