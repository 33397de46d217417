package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"edgesvc.dev/svc/kv"
)

var noCancel = context.Background()

// pairModel is the contract of a Tx in a few lines.
type pairModel map[string]string

func (m pairModel) scan(r kv.Range, limit int) string {
	keys := slices.Sorted(maps.Keys(m))
	if r.Reverse {
		slices.Reverse(keys)
	}
	var saw []string
	for _, k := range keys {
		if k >= string(r.From) && (r.To == nil || k < string(r.To)) && len(saw) < limit {
			saw = append(saw, fmt.Sprintf("%q=%q", k, m[k]))
		}
	}
	return strings.Join(saw, " ")
}

// testPairsAgainstModel draws transactions over few keys that share prefixes.
// Each drawn case has keys of its own.
func testPairsAgainstModel(t *testing.T, s kv.Store) {
	runs := uint64(0)
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		space := kv.Key("run", kv.Uint64(runs))
		counter := kv.Key("count", kv.Uint64(runs))
		state := pairModel{}
		for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			ts := drawTransactions(rt, pairSteps(space))
			state = runSerially(rt, s, counter, ts, state, maps.Clone)
			var saw string
			mustView(t, s, func(tx kv.Tx) (err error) {
				saw, err = scanPairs(tx, kv.Prefix(space), 1<<20)
				return err
			})
			if want := state.scan(kv.Range{}, 1<<20); saw != want {
				rt.Fatalf("after a round:\n saw %s\nwant %s", saw, want)
			}
		}
	})
}

func scanPairs(tx kv.Tx, r kv.Range, limit int) (string, error) {
	var saw []string
	err := tx.Scan(r, func(k, v []byte) error {
		saw = append(saw, fmt.Sprintf("%q=%q", k, v))
		if len(saw) == limit {
			return kv.Stop
		}
		return nil
	})
	return strings.Join(saw, " "), err
}

func pairSteps(space []byte) *rapid.Generator[step[pairModel]] {
	key := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 0xff}), 0, 3), func(b []byte) []byte {
		return append(bytes.Clone(space), b...)
	})
	return rapid.OneOf(
		rapid.Custom(func(rt *rapid.T) step[pairModel] {
			k := key.Draw(rt, "key")
			v := rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(rt, "value")
			return step[pairModel]{fmt.Sprintf("put %q", k),
				func(tx kv.Tx) (string, error) { return "", tx.Put(k, []byte(v)) },
				func(m pairModel) (string, error) {
					if m[string(k)] = v; v == "" {
						delete(m, string(k))
					}
					return "", nil
				}}
		}),
		rapid.Map(key, func(k []byte) step[pairModel] {
			return step[pairModel]{fmt.Sprintf("get %q", k),
				func(tx kv.Tx) (string, error) { v, err := tx.Get(k); return string(v), err },
				func(m pairModel) (string, error) { return m[string(k)], nil }}
		}),
		rapid.Custom(func(rt *rapid.T) step[pairModel] {
			r := kv.Range{From: key.Draw(rt, "from"), To: key.Draw(rt, "to"), Reverse: rapid.Bool().Draw(rt, "reverse")}
			limit := rapid.IntRange(1, 6).Draw(rt, "limit")
			return step[pairModel]{fmt.Sprintf("scan %q to %q", r.From, r.To),
				func(tx kv.Tx) (string, error) { return scanPairs(tx, r, limit) },
				func(m pairModel) (string, error) { return m.scan(r, limit), nil }}
		}),
	)
}

// tableModel is the contract of a Table: the records by team and id.
type tableModel map[teamID]doc

type teamID struct{ team, id string }

func (m tableModel) slugHolder(team, slug string) string {
	for k, d := range m {
		if k.team == team && d.Slug == slug && slug != "" {
			return k.id
		}
	}
	return ""
}

func (m tableModel) idTaken(id string) bool {
	for k := range m {
		if k.id == id {
			return true
		}
	}
	return false
}

var errRefused = errors.New("refused")

// testTablesAgainstModel draws transactions of table calls for several teams.
func testTablesAgainstModel(t *testing.T, s kv.Store) {
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		run := fmt.Sprint(runs)
		counter := kv.Key("count", run)
		state := tableModel{}
		for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			state = runSerially(rt, s, counter, drawTransactions(rt, tableSteps(run)), state, maps.Clone)
		}
		mustView(t, s, checkDocs(t))
	})
}

func tableSteps(run string) *rapid.Generator[step[tableModel]] {
	id := rapid.Map(rapid.SampledFrom([]string{"d1", "d2", "d3", "d4"}), func(id string) string { return run + id })
	team := rapid.SampledFrom([]string{run + "a", run + "b"})
	record := rapid.Custom(func(rt *rapid.T) doc {
		return doc{
			Slug:   rapid.SampledFrom([]string{"", "one", "two", "three"}).Draw(rt, "slug"),
			Status: rapid.SampledFrom([]string{"draft", "live"}).Draw(rt, "status"),
			Rank:   rapid.Uint64Range(0, 3).Draw(rt, "rank"),
			Tags:   rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3, rapid.ID).Draw(rt, "tags"),
		}
	})
	write := func(insert bool) *rapid.Generator[step[tableModel]] {
		return rapid.Custom(func(rt *rapid.T) step[tableModel] {
			k, d := teamID{team.Draw(rt, "team"), id.Draw(rt, "id")}, record.Draw(rt, "record")
			if insert {
				return insertStep(k, d)
			}
			return putStep(k, d)
		})
	}
	return rapid.OneOf(write(true), write(true), write(false),
		rapid.Custom(func(rt *rapid.T) step[tableModel] {
			return deleteStep(teamID{team.Draw(rt, "team"), id.Draw(rt, "id")})
		}),
		rapid.Custom(func(rt *rapid.T) step[tableModel] {
			return getStep(teamID{team.Draw(rt, "team"), id.Draw(rt, "id")})
		}),
		rapid.Custom(func(rt *rapid.T) step[tableModel] {
			return findStep(team.Draw(rt, "team"), rapid.SampledFrom([]string{"one", "two", "three"}).Draw(rt, "slug"))
		}),
		rapid.Custom(func(rt *rapid.T) step[tableModel] {
			return listStep(team.Draw(rt, "team"), listing{
				prefixes: rapid.SampledFrom([][]string{{"x"}, {"y", "z"}, {"x", "y", "z"}, {"none", "x"}}).Draw(rt, "tags"),
				limit:    rapid.IntRange(1, 4).Draw(rt, "limit"), ascending: rapid.Bool().Draw(rt, "ascending"),
			})
		}),
	)
}

// outcome names an error by its kind, which is what model and store agree on.
func outcome(err error) (string, error) {
	if err == nil {
		return "done", nil
	}
	if c, ok := errors.AsType[*kv.ConflictError](err); ok {
		return "conflict on " + c.Index + " with " + c.ID, err
	}
	if _, ok := errors.AsType[*kv.NotFoundError](err); ok {
		return "not found", err
	}
	return err.Error(), err
}

func insertStep(k teamID, d doc) step[tableModel] {
	return step[tableModel]{"insert " + k.id,
		func(tx kv.Tx) (string, error) { return outcome(docs.Insert(tx, k.team, k.id, &d)) },
		func(m tableModel) (string, error) {
			if m.idTaken(k.id) {
				return "conflict on id with " + k.id, errRefused
			}
			if holder := m.slugHolder(k.team, d.Slug); holder != "" {
				return "conflict on slug with " + holder, errRefused
			}
			m[k] = d
			return "done", nil
		}}
}

func putStep(k teamID, d doc) step[tableModel] {
	return step[tableModel]{"put " + k.id,
		func(tx kv.Tx) (string, error) { return outcome(docs.Put(tx, k.team, k.id, &d)) },
		func(m tableModel) (string, error) {
			if _, ok := m[k]; !ok {
				return "not found", errRefused
			}
			if holder := m.slugHolder(k.team, d.Slug); holder != "" && holder != k.id {
				return "conflict on slug with " + holder, errRefused
			}
			m[k] = d
			return "done", nil
		}}
}

func deleteStep(k teamID) step[tableModel] {
	return step[tableModel]{"delete " + k.id,
		func(tx kv.Tx) (string, error) { return outcome(docs.Delete(tx, k.team, k.id)) },
		func(m tableModel) (string, error) {
			if _, ok := m[k]; !ok {
				return "not found", errRefused
			}
			delete(m, k)
			return "done", nil
		}}
}

func getStep(k teamID) step[tableModel] {
	return step[tableModel]{"get " + k.id,
		func(tx kv.Tx) (string, error) {
			d, err := docs.Get(tx, k.team, k.id)
			if err != nil {
				saw, _ := outcome(err)
				return saw, nil
			}
			return fmt.Sprintf("%+v", *d), nil
		},
		func(m tableModel) (string, error) {
			if d, ok := m[k]; ok {
				return fmt.Sprintf("%+v", d), nil
			}
			return "not found", nil
		}}
}

func findStep(team, slug string) step[tableModel] {
	return step[tableModel]{"find " + slug,
		func(tx kv.Tx) (string, error) {
			id, _, err := docs.Find(tx, team, "slug", kv.Key(slug))
			if err != nil {
				id, _ = outcome(err)
			}
			return id, nil
		},
		func(m tableModel) (string, error) {
			if id := m.slugHolder(team, slug); id != "" {
				return id, nil
			}
			return "not found", nil
		}}
}

// listing is one way to page through records by tag.
type listing struct {
	prefixes  []string
	limit     int
	ascending bool
}

func listStep(team string, l listing) step[tableModel] {
	return step[tableModel]{fmt.Sprintf("list %v", l),
		func(tx kv.Tx) (string, error) {
			p := kv.Page[doc]{Index: "tag", Limit: l.limit, Ascending: l.ascending}
			for _, tag := range l.prefixes {
				p.Prefixes = append(p.Prefixes, kv.Key(tag))
			}
			var got []string
			for {
				r, err := docs.List(tx, team, p)
				if err != nil {
					return err.Error(), err
				}
				got = append(got, r.IDs...)
				if !r.More {
					return strings.Join(got, " "), nil
				}
				p.After = r.Next
			}
		},
		func(m tableModel) (string, error) {
			var ids []string
			for k, d := range m {
				tagged := slices.ContainsFunc(d.Tags, func(tag string) bool { return slices.Contains(l.prefixes, tag) })
				if k.team == team && tagged {
					ids = append(ids, k.id)
				}
			}
			slices.Sort(ids)
			if !l.ascending {
				slices.Reverse(ids)
			}
			return strings.Join(ids, " "), nil
		}}
}
