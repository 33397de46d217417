package bolt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"edgesvc.dev/svc/kv"
)

// item is what the crash tests write. All of it follows from its id, so that
// any change of it can be seen.
type item struct {
	Name string   `json:"name"`
	Text string   `json:"text"`
	Tags []string `json:"tags"`
}

var items = kv.NewTable("item",
	kv.Index[item]{Name: "name", Unique: true, Keys: func(v *item, add func([]byte)) { add(kv.Key(v.Name)) }},
	kv.Index[item]{Name: "tag", Keys: func(v *item, add func([]byte)) {
		for _, tag := range v.Tags {
			add(kv.Key(tag))
		}
	}},
)

var (
	counterKey = kv.Key("count", "items")
	deletedKey = kv.Key("count", "deleted")
)

func teamOf(id string) string { return string('a' + rune(hash(id)%3)) }

func hash(id string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return h.Sum32()
}

func itemOf(id string) *item {
	return &item{
		Name: "name-" + id,
		Text: strings.Repeat(id+" ", 1+int(hash(id)>>8%40)),
		Tags: []string{"all", []string{"even", "odd"}[hash(id)>>4%2]},
	}
}

func bodyOf(id string) []byte {
	return []byte(strings.Repeat(id+"\n", 1+int(hash(id)>>4%150)))
}

// command is the one transaction of the load: a record with its body and
// index entries, and a counter of records.
func command(id string) func(kv.Tx) error {
	return func(tx kv.Tx) error { return errors.Join(writeItem(tx, id), countItem(tx)) }
}

func writeItem(tx kv.Tx, id string) error {
	if err := items.Insert(tx, teamOf(id), id, itemOf(id)); err != nil {
		return err
	}
	return items.PutBody(tx, teamOf(id), id, bodyOf(id))
}

func countItem(tx kv.Tx) error {
	_, err := kv.Next(tx, counterKey)
	return err
}

// uncountItem counts one that is deleted.
func uncountItem(tx kv.Tx) error {
	_, err := kv.Next(tx, deletedKey)
	return err
}

// ack prints "ok <id>" in one write, when its caller may rely on the item.
func ack(id string) { fmt.Println("ok " + id) }

// defect is how the load misbehaves, to see that the tests notice.
type defect string

const (
	sound    defect = "sound"
	early    defect = "early"    // acknowledges before the commit
	split    defect = "split"    // uses two transactions
	unsynced defect = "unsynced" // never calls fsync
)

// loadChild writes items and acknowledges each on standard output until it is
// killed, the store fails or it has tried as many as it is told. Then it says
// what the store still does.
func loadChild(args []string) error {
	path, round, d := args[0], args[1], defect(args[2])
	most := math.MaxInt
	if len(args) > 3 {
		most, _ = strconv.Atoi(args[3]) // a bad number shows as no items
	}
	s, err := Open(path, Options{noSync: d == unsynced})
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	var full atomic.Int64
	for w := range 8 {
		wg.Go(func() {
			for i := 0; i < most; i++ {
				err := d.write(s, fmt.Sprintf("i%s-%d-%05d", round, w, i))
				if errors.Is(err, kv.ErrFull) {
					full.Add(1)
					continue
				}
				if err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	done := 0
	for i := range 20 {
		id := fmt.Sprintf("i%s-after-%d", round, i)
		if s.Update(context.Background(), command(id)) == nil {
			done++
		}
		if s.View(context.Background(), func(kv.Tx) error { return nil }) == nil {
			done++
		}
	}
	fmt.Printf("stopped full=%d done=%d err=%v\n", full.Load(), done, s.Err())
	return nil
}

func (d defect) write(s *Store, id string) error {
	ctx := context.Background()
	switch d {
	case early:
		ack(id)
		return s.Update(ctx, command(id))
	case split:
		if err := s.Update(ctx, func(tx kv.Tx) error { return writeItem(tx, id) }); err != nil {
			return err
		}
		if err := s.Update(ctx, countItem); err != nil {
			return err
		}
	default:
		if err := s.Update(ctx, command(id)); err != nil {
			return err
		}
	}
	ack(id)
	return nil
}

// child starts this binary again, behind the command in front if there is one.
func child(t testing.TB, front []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	argv := append(append(append([]string{}, front...), self), args...)
	c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	c.Env = append(os.Environ(), childVariable+"="+name)
	return c
}

// load runs loadChild. With every acknowledgement that it reads it calls each,
// which may kill the child; it returns when the child is gone, with all
// acknowledged ids and the child's last line if it ended by itself.
func load(t testing.TB, c *exec.Cmd, each func(n int)) (acked []string, last string) {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "ok "); ok {
			acked = append(acked, id)
			each(len(acked))
		} else {
			last = lines.Text()
		}
	}
	if err := c.Wait(); err != nil && c.ProcessState.ExitCode() > 0 {
		t.Errorf("child: %v: %s", err, stderr.String())
	}
	return acked, last
}

// verify returns what is wrong with the store at path, given the ids that it
// acknowledged.
func verify(path string, acked []string) (wrong []string) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	_, err := Check(path, func(key []byte, reason string) { add("check: %q: %s", key, reason) }, items)
	if err != nil {
		add("%v", err)
	}
	s, err := Open(path, Options{})
	if err != nil {
		add("%v", err)
		return wrong
	}
	err = s.View(context.Background(), func(tx kv.Tx) error {
		for _, id := range acked {
			if err := wrongItem(tx, id); err != nil {
				add("acknowledged %s: %v", id, err)
			}
		}
		stored, counted, err := countItems(tx)
		if stored != counted {
			add("%d items, %d counted", stored, counted)
		}
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		add("%v", err)
	}
	return wrong
}

func wrongItem(tx kv.Tx, id string) error {
	got, err := items.Get(tx, teamOf(id), id)
	if err != nil {
		return err
	}
	body, err := items.Body(tx, teamOf(id), id)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, itemOf(id)) || !bytes.Equal(body, bodyOf(id)) {
		return fmt.Errorf("has other content: %v, %d bytes of body", got, len(body))
	}
	return nil
}

func countItems(tx kv.Tx) (stored, counted uint64, err error) {
	err = tx.Scan(kv.Prefix(kv.Key("item", "r")), func(_, _ []byte) error { stored++; return nil })
	if err != nil {
		return 0, 0, err
	}
	made, err := counter(tx, counterKey)
	if err != nil {
		return 0, 0, err
	}
	deleted, err := counter(tx, deletedKey)
	return stored, made - deleted, err
}

func counter(tx kv.Tx, key []byte) (n uint64, err error) {
	v, err := tx.Get(key)
	if len(v) >= 8 {
		n = binary.BigEndian.Uint64(v[len(v)-8:])
	}
	return n, err
}
