// Package teamtest is teams, their sites and who may come in to them, at work on
// a store of their own for tests.
package teamtest

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/access"
	"edgesvc.dev/svc/daemon/internal/domain/sites"
	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

const (
	// Home is the address that members call from.
	Home = "192.0.2.1"
	// Password is what members have who entered.
	Password = "correct horse"
)

// World is the three services on one store, with a clock that the test moves. Its
// methods end the test where they fail.
type World struct {
	testing.TB
	Path   string // of the store's file
	Store  kv.Store
	Teams  *team.Service
	Access *access.Service
	Sites  *sites.Service
	Table  *op.Table
	// Forged says that the test damages the store on purpose.
	Forged bool

	mu  sync.Mutex // guards now
	now time.Time
}

// New returns a world without teams. Its store is checked when the test ends.
func New(t testing.TB) *World {
	t.Helper()
	w := &World{TB: t, Path: filepath.Join(t.TempDir(), "svc.db"), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	store, err := bolt.Open(w.Path, bolt.Options{})
	w.Must(err)
	t.Cleanup(func() {
		if !w.Forged {
			for _, reason := range w.Check() {
				t.Error(reason)
			}
		}
		w.Must(store.Close())
	})
	box, err := seal.Open(filepath.Dir(w.Path))
	w.Must(err)
	log := event.New(store, sites.Events())
	w.Store, w.Teams, w.Access, w.Sites = store, team.New(store), access.New(store), sites.New(store, log, box)
	w.Teams.Now, w.Access.Now, w.Sites.Now = w.Now, w.Now, w.Now
	w.Teams.Version, w.Access.BaseURL, w.Sites.BaseURL = "1.2.3", "https://svc.example", "https://svc.example"
	w.Teams.Link, w.Teams.ShutOut, w.Teams.FirstKey = w.Access.AddLink, w.Access.ShutOut, w.Access.FirstKey
	w.Teams.Addresses = func(slug string) []string { return []string{"https://svc.example/" + slug + "/"} }
	w.Teams.CarryChat = w.Sites.CarryChat
	w.Access.Audit, w.Sites.Audit = w.Teams.Audit, w.Teams.Audit
	w.Access.Passwords = access.Cost{Memory: 64, Time: 1}
	w.Table = op.NewTable(store, op.NewLimiter(nil), w.Access.Ops(), w.Teams.Ops(), w.Sites.Ops(), log.Ops())
	return w
}

// Check returns what the checker finds wrong in the store.
func (w *World) Check() (found []string) {
	w.Helper()
	w.Must(w.Store.View(context.Background(), func(tx kv.Tx) error {
		for _, tables := range [][]kv.Checker{access.Tables(), team.Tables(), sites.Schema().Tables} {
			for _, c := range tables {
				if err := c.Check(tx, func(_ []byte, reason string) { found = append(found, reason) }); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	return found
}

// Now is the time in the world.
func (w *World) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// Pass moves the clock.
func (w *World) Pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// Must ends the test at an error.
func (w *World) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// Founded is a new team with the token of its owner's sign-in link.
type Founded struct {
	team.Bootstrapped
	LinkToken string
}

// Found makes a team of that name, whose owner is owner@<name>.example.
func (w *World) Found(name string) Founded {
	w.Helper()
	b, err := w.Teams.CreateTeam(w.Context(), team.Bootstrap{TeamName: name, Email: "owner@" + name + ".example"})
	w.Must(err)
	return Founded{b, TokenOf(b.Link)}
}

// TokenOf returns the token in a sign-in link's address.
func TokenOf(link string) string {
	_, token, _ := strings.Cut(link, "token=")
	return token
}

// Try calls an operation as the caller.
func (w *World) Try(name string, who op.Caller, in any) (any, *api.Error) {
	w.Helper()
	body, err := json.Marshal(in)
	w.Must(err)
	res, refusal := w.Table.Call(w.Context(), op.Request{Op: w.Table.Lookup(name), Caller: who, Args: op.Args{Body: body}})
	return res.Value, refusal
}

// Call calls an operation that must succeed.
func Call[Out any](w *World, name string, who op.Caller, in any) Out {
	w.Helper()
	out, err := w.Try(name, who, in)
	if err != nil {
		w.Fatalf("%s: %v %+v", name, err, err.Errors)
	}
	return out.(Out)
}

// Refused calls an operation that must be refused with a code.
func (w *World) Refused(name string, who op.Caller, in any, want api.Code) *api.Error {
	w.Helper()
	_, err := w.Try(name, who, in)
	if err == nil || err.Code != want {
		w.Fatalf("%s: got %v, want %s", name, err, want)
	}
	return err
}

// From is a caller at an address who has not signed in.
func From(address string) op.Caller {
	return op.Caller{Address: address, UserAgent: "test", RequestID: "req_1"}
}

// Enter signs in with a link's token, sets the password, and returns the caller.
func (w *World) Enter(linkToken string) op.Caller {
	w.Helper()
	s := Call[api.Session](w, "auth.login", From(Home), api.Login{LinkToken: linkToken, NewPassword: Password})
	return w.Caller(s.Token)
}

// Caller returns whom a session's token signs in.
func (w *World) Caller(token string) op.Caller {
	w.Helper()
	who, err := w.Access.AuthenticateSession(w.Context(), token, Home, "test")
	w.Must(err)
	who.RequestID = "req_1"
	return who
}

// Join invites a member of that role and signs them in.
func (w *World) Join(who op.Caller, email, role string) op.Caller {
	w.Helper()
	in := Call[api.MemberInvited](w, "team.invite", who, api.MemberInvite{Email: email, Role: role})
	return w.Enter(TokenOf(in.Link))
}

// Code is the code with which an error is refused, "" for none.
func (w *World) Code(err error) api.Code {
	if err == nil {
		return ""
	}
	return op.Refusal(err).Code
}

// Actions are the team's audited acts, the first one first.
func (w *World) Actions(who op.Caller) []string {
	w.Helper()
	var names []string
	for _, e := range Call[api.Page[api.AuditEntry]](w, "team.auditLog", who, map[string]any{"order": "asc", "limit": 100}).Data {
		names = append(names, e.Action)
	}
	return names
}
