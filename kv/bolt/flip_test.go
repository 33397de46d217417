package bolt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"edgesvc.dev/svc/kv"
)

const (
	flips     = 300
	flipItems = 150
)

func flipID(i int) string { return fmt.Sprintf("i%05d", i) }

// flipped is what a child saw in a store with one flipped bit.
type flipped struct {
	wrong   int  // answers that are neither right nor an error
	missing int  // records that are not found, or not listed, without any error
	errors  int  // answers that are errors
	found   bool // Check reports something
	refused bool // the store does not open
}

// readChild flips one bit after another in copies of a store, reads everything
// and prints what it saw. A flip may kill it: the parent starts it again.
func readChild(args []string) error {
	path, first := args[0], args[1]
	n, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for ; n < flips; n++ {
		fmt.Println("try", n)
		r := rand.New(rand.NewPCG(1, uint64(n)))
		damaged := slices.Clone(whole)
		damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
		copied := path + ".flipped"
		if err := os.WriteFile(copied, damaged, 0o600); err != nil {
			return err
		}
		f := readFlipped(copied)
		fmt.Println("saw", f.wrong, f.missing, f.errors, f.refused)
		if !f.refused {
			_, err = Check(copied, func([]byte, string) { f.found = true }, items)
			fmt.Println("check", f.found || err != nil)
		}
	}
	return nil
}

func readFlipped(path string) (f flipped) {
	s, err := Open(path, Options{})
	if err != nil {
		return flipped{refused: true}
	}
	err = s.View(context.Background(), func(tx kv.Tx) error {
		for i := range flipItems {
			f.add(wrongItem(tx, flipID(i)))
			f.add(wrongFind(tx, flipID(i)))
		}
		for _, team := range []string{"a", "b", "c"} {
			f.add(wrongList(tx, team))
		}
		return nil
	})
	f.add(errors.Join(err, s.Close()))
	return f
}

func (f *flipped) add(err error) {
	_, missing := errors.AsType[*kv.NotFoundError](err)
	_, corrupt := errors.AsType[*kv.CorruptError](err)
	switch {
	case err == nil:
	case missing || errors.Is(err, errUnlisted):
		f.missing++
	case corrupt:
		f.errors++
	default:
		f.wrong++
		fmt.Println("wrong", err)
	}
}

var errUnlisted = errors.New("a record is not listed")

func wrongFind(tx kv.Tx, id string) error {
	got, v, err := items.Find(tx, teamOf(id), "name", kv.Key("name-"+id))
	if err == nil && (got != id || !reflect.DeepEqual(v, itemOf(id))) {
		err = fmt.Errorf("found %s, %v", got, v)
	}
	return err
}

func wrongList(tx kv.Tx, team string) error {
	var want []string
	for i := range flipItems {
		if id := flipID(i); teamOf(id) == team {
			want = append(want, id)
		}
	}
	r, err := items.List(tx, team, kv.Page[item]{Index: "tag", Prefixes: [][]byte{kv.Key("all")}, Limit: flipItems, Ascending: true})
	if err != nil {
		return err
	}
	for i, id := range r.IDs {
		if !slices.Contains(want, id) || !reflect.DeepEqual(r.Records[i], itemOf(id)) {
			return fmt.Errorf("lists %s, %v", id, r.Records[i])
		}
	}
	if !slices.Equal(r.IDs, want) {
		return errUnlisted
	}
	return nil
}

// TestFlippedBits flips single bits of a store. Reads must give the right data
// or an error, never other data. A flip in the key of a page can hide a record
// from Get: what Check must find at least.
func TestFlippedBits(t *testing.T) {
	s := open(t, Options{})
	for i := range flipItems {
		if err := s.Update(t.Context(), command(flipID(i))); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)
	path := filepath.Join(t.TempDir(), "whole.db")
	compact(t, s.path, path)

	var sum struct{ crashed, refused, wrong, missing, errors, harmless int }
	for n := 0; n < flips; {
		var seen []flipped
		var last string
		out, err := child(t, nil, "read", path, fmt.Sprint(n)).Output()
		for line := range strings.Lines(string(out)) {
			last = line
			var f flipped
			if _, err := fmt.Sscanf(line, "saw %d %d %d %t", &f.wrong, &f.missing, &f.errors, &f.refused); err == nil {
				seen = append(seen, f)
			}
			if strings.HasPrefix(line, "check true") {
				seen[len(seen)-1].found = true
			}
			if strings.HasPrefix(line, "wrong") {
				t.Errorf("flip %d: %s", n+len(seen), line)
			}
		}
		if err != nil && strings.HasPrefix(last, "saw") {
			seen[len(seen)-1].found = true // Check died of it
		} else if err != nil {
			sum.crashed++
			n++
		}
		for _, f := range seen {
			switch {
			case f.refused:
				sum.refused++
			case f.wrong > 0:
				sum.wrong++
			case f.errors > 0:
				sum.errors++
			case f.missing > 0:
				sum.missing++
			default:
				sum.harmless++
			}
			if f.missing > 0 && !f.found {
				t.Errorf("records are missing and Check finds nothing: %+v", f)
			}
		}
		n += len(seen)
	}
	t.Logf("%d flips: %+v", flips, sum)
}

// compact copies the store as it is restored: without free pages at its end.
func compact(t *testing.T, from, to string) {
	t.Helper()
	s, err := Open(from, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.BackupFile(t.Context(), to), s.Close()); err != nil {
		t.Fatal(err)
	}
}
