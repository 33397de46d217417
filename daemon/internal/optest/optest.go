// Package optest is what tests of a domain stand on: a store in a folder of the
// test's, a clock that the test moves, callers, and operations called as a client
// calls them. A domain's test embeds World and adds what is special to it. Only
// tests import it.
package optest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/kv/kvtest"
	"edgesvc.dev/svc/sdk/api"
)

// World is a store with a table of operations over it.
type World struct {
	*Clock
	T     testing.TB
	Dir   string // holds the store and its secrets
	Store *bolt.Store
	Log   *event.Log
	Table *op.Table
	Who   op.Caller // calls where a test names nobody
	// Forged says that the test damages the store on purpose.
	Forged bool

	types   [][]event.Type
	workers *workers
}

// workers are those of one process.
type workers struct{ stop func() }

// Store opens a store of its own that is closed with the test.
func Store(t testing.TB) *bolt.Store {
	t.Helper()
	return open(t, t.TempDir())
}

func open(t testing.TB, dir string) *bolt.Store {
	t.Helper()
	store, err := bolt.Open(filepath.Join(dir, "svc.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return store
}

// New opens a store and a log of events of these types. The domain is joined
// with Join.
func New(t testing.TB, types ...[]event.Type) *World {
	t.Helper()
	w := &World{T: t, Dir: t.TempDir(), Clock: &Clock{now: time.Now().Truncate(time.Second)}, Who: Key("team_a"), types: types}
	w.begin()
	return w
}

// begin opens the store as a process does.
func (w *World) begin() {
	w.T.Helper()
	w.Store = open(w.T, w.Dir)
	w.Log = event.New(w.Store, w.types...)
	w.workers = &workers{}
	w.T.Cleanup(w.Stop)
}

// Path is the store's file.
func (w *World) Path() string { return filepath.Join(w.Dir, "svc.db") }

// Seal opens the secrets beside the store.
func (w *World) Seal() *seal.Box {
	w.T.Helper()
	box, err := seal.Open(w.Dir)
	if err != nil {
		w.T.Fatal(err)
	}
	return box
}

// Join makes the table of these rows and of those of the event log, with limits
// for nobody.
func (w *World) Join(rows ...[]op.Op) { w.JoinLimited(nil, rows...) }

// JoinLimited is Join with limits.
func (w *World) JoinLimited(limits op.Limits, rows ...[]op.Op) {
	w.Table = op.NewTable(w.Store, op.NewLimiter(limits), append(rows, w.Log.Ops())...)
}

// Reopen ends the workers and opens the store again, as a process does that
// begins. The domain is made and joined again by its test.
func (w *World) Reopen() {
	w.T.Helper()
	w.Stop()
	if err := w.Store.Close(); err != nil {
		w.T.Fatal(err)
	}
	w.begin()
}

// Crash returns a world on the file as it would be found had the process died
// now.
func (w *World) Crash() *World {
	w.T.Helper()
	next := *w
	next.Dir = w.T.TempDir()
	if err := w.Store.BackupFile(w.T.Context(), next.Path()); err != nil {
		w.T.Fatal(err)
	}
	next.begin()
	return &next
}

// Beside is another process on the same store, with workers of its own.
func (w *World) Beside() *World {
	other := *w
	other.Log = event.New(w.Store, w.types...)
	other.workers = &workers{}
	w.T.Cleanup(other.Stop)
	return &other
}

// As is the same world in which who calls.
func (w *World) As(who op.Caller) *World {
	other := *w
	other.Who = who
	return &other
}

// Work starts workers; Stop, Reopen or the end of the test stops them.
func (w *World) Work(run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg conc.WaitGroup
	wg.Go(func() { _ = run(ctx) })
	w.workers.stop = func() {
		cancel()
		wg.Wait()
	}
}

// Stop ends the workers and waits for them.
func (w *World) Stop() {
	if stop := w.workers.stop; stop != nil {
		w.workers.stop = nil
		stop()
	}
}

// Damage makes those records of a table unreadable whose stored form has a text, or
// all for "".
func (w *World) Damage(table, text string) {
	w.T.Helper()
	w.Forged = true
	n := 0
	err := w.Store.Update(context.Background(), func(tx kv.Tx) error {
		n = 0
		var found [][]byte
		err := tx.Scan(kv.Prefix(kv.Key(table, "r")), func(k, v []byte) error {
			if bytes.Contains(v, []byte(text)) || bytes.Contains(k, []byte(text)) {
				found = append(found, bytes.Clone(k))
			}
			return nil
		})
		for _, k := range found {
			n++
			err = errors.Join(err, kvtest.Damage(tx, k))
		}
		return err
	})
	if err != nil || n == 0 {
		w.T.Fatalf("%d records of %s have %q: %v", n, table, text, err)
	}
}

// Check returns what the store's own check of these tables finds wrong.
func (w *World) Check(tables ...[]kv.Checker) (found []string) {
	w.T.Helper()
	err := w.Store.View(context.Background(), func(tx kv.Tx) error {
		for _, c := range slices.Concat(tables...) {
			if err := c.Check(tx, func(_ []byte, reason string) { found = append(found, reason) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, kv.ErrClosed) {
		w.T.Error(err)
	}
	return found
}

// Checked ends the test with a check of these tables, unless the test has closed
// the store or says that it is Forged.
func (w *World) Checked(tables ...[]kv.Checker) {
	w.T.Cleanup(func() {
		if w.Forged {
			return
		}
		for _, reason := range w.Check(tables...) {
			w.T.Error(reason)
		}
	})
}

// Clock is the time of a world.
type Clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Tick moves the clock by a second, so that what follows is later.
func (c *Clock) Tick() { c.Pass(time.Second) }

// Set sets the clock.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Key is an API key of the team that has every scope.
func Key(team string) op.Caller {
	return op.Caller{Kind: op.Key, Credential: "key_1", Team: team, Scopes: op.AllScopes, Source: "api", Actor: api.Actor{Type: "key", ID: "key_1"}}
}

// Member is a signed-in member of the team.
func Member(team, id string, role op.Role) op.Caller {
	return op.Caller{
		Kind: op.Session, Credential: "ses_" + id, Team: team, Role: role, Scopes: role.Scopes(),
		Source: "dashboard", Actor: api.Actor{Type: "user", ID: id},
	}
}

// In is a World, or what embeds one.
type In interface{ world() *World }

func (w *World) world() *World { return w }

// Call runs an operation as who. A string is the input as a client writes it;
// anything else is encoded first.
func Call[Out any](in In, who op.Caller, name string, input any) (Out, *api.Error) {
	in.world().T.Helper()
	return Keyed[Out](in, who, name, input, "")
}

// Keyed is Call under an idempotency key.
func Keyed[Out any](in In, who op.Caller, name string, input any, key string) (out Out, refusal *api.Error) {
	w := in.world()
	w.T.Helper()
	row := w.Table.Lookup(name)
	if row == nil {
		panic("no operation " + name)
	}
	res, refusal := w.Table.Call(w.T.Context(), op.Request{Op: row, Caller: who, Args: op.Args{Body: w.encode(input)}, IdempotencyKey: key})
	if refusal != nil {
		return out, refusal
	}
	b, err := res.JSON, error(nil)
	if b == nil {
		b, err = op.Encode(nil, res.Value)
	}
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		w.T.Errorf("%s: %v: %s", name, err, b)
	}
	return out, nil
}

func (w *World) encode(input any) []byte {
	if s, ok := input.(string); ok {
		return []byte(s)
	}
	b, err := json.Marshal(input)
	if err != nil {
		w.T.Errorf("%T: %v", input, err)
	}
	return b
}

// Must runs an operation that succeeds.
func Must[Out any](in In, name string, input any) Out {
	w := in.world()
	w.T.Helper()
	out, refusal := Call[Out](w, w.Who, name, input)
	if refusal != nil {
		w.T.Fatalf("%s %.300s: %+v", name, w.encode(input), refusal)
	}
	return out
}

// Refused runs an operation that must fail with the code.
func (w *World) Refused(code api.Code, name string, input any) *api.Error {
	w.T.Helper()
	out, refusal := Call[json.RawMessage](w, w.Who, name, input)
	if refusal == nil || refusal.Code != code {
		w.T.Fatalf("%s %.300s: want %s, got %+v %.300s", name, w.encode(input), code, refusal, out)
	}
	return refusal
}

// Events are the caller's team's, the first one first.
func (w *World) Events() []api.Event {
	w.T.Helper()
	who := w.Who
	who.Scopes = op.AllScopes
	page := Must[api.Page[api.Event]](w.As(who), "events.list", `{"order":"asc","limit":100}`)
	if page.HasMore {
		w.T.Fatal("more events than a page has")
	}
	return page.Data
}

// EventTypes are what happened, in order.
func (w *World) EventTypes() []string {
	w.T.Helper()
	return Types(w.Events())
}

// NewEvents runs fn and returns the types of the events that it caused.
func (w *World) NewEvents(fn func()) string {
	w.T.Helper()
	before := len(w.Events())
	fn()
	return strings.Join(Types(w.Events()[before:]), " ")
}

// Types are the types of events.
func Types(events []api.Event) (types []string) {
	for _, e := range events {
		types = append(types, e.Type)
	}
	return types
}
