// Package teamtest is teams, their sites and who may come in to them, at work on
// a store of their own for tests.
package teamtest

import (
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/access"
	"edgesvc.dev/svc/daemon/internal/domain/sites"
	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	// Home is the address that members call from.
	Home = "192.0.2.1"
	// Password is what members have who entered.
	Password = "correct horse"
)

// World is the three services on one store. Its methods end the test where they
// fail.
type World struct {
	*optest.World
	testing.TB
	Teams  *team.Service
	Access *access.Service
	Sites  *sites.Service
}

// New returns a world without teams. Its store is checked when the test ends.
func New(t testing.TB) *World {
	t.Helper()
	w := &World{World: optest.New(t, sites.Events()), TB: t}
	w.Set(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w.Checked(tables()...)
	w.Teams, w.Access, w.Sites = team.New(w.Store), access.New(w.Store), sites.New(w.Store, w.World.Log, w.Seal())
	w.Teams.Now, w.Access.Now, w.Sites.Now = w.Now, w.Now, w.Now
	w.Teams.Version, w.Access.BaseURL, w.Sites.BaseURL = "1.2.3", "https://svc.example", "https://svc.example"
	w.Teams.Link, w.Teams.ShutOut, w.Teams.FirstKey = w.Access.AddLink, w.Access.ShutOut, w.Access.FirstKey
	w.Teams.Addresses = func(slug string) []string { return []string{"https://svc.example/" + slug + "/"} }
	w.Teams.CarryChat = w.Sites.CarryChat
	w.Access.Audit, w.Sites.Audit = w.Teams.Audit, w.Teams.Audit
	w.Access.Passwords = access.Cost{Memory: 64, Time: 1}
	w.Join(w.Access.Ops(), w.Teams.Ops(), w.Sites.Ops())
	return w
}

func tables() [][]kv.Checker {
	return [][]kv.Checker{access.Tables(), team.Tables(), sites.Schema().Tables}
}

// Check returns what the checker finds wrong in the store.
func (w *World) Check() []string { return w.World.Check(tables()...) }

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
	LinkToken api.Secret
}

// Found makes a team of that name, whose owner is owner@<name>.example.
func (w *World) Found(name string) Founded {
	w.Helper()
	b, err := w.Teams.CreateTeam(w.Context(), team.Bootstrap{TeamName: name, Email: "owner@" + name + ".example"})
	w.Must(err)
	return Founded{b, TokenOf(b.Link)}
}

// TokenOf returns the token in a sign-in link's address.
func TokenOf(link api.Secret) api.Secret {
	_, token, _ := strings.Cut(string(link), "token=")
	return api.Secret(token)
}

// From is a caller at an address who has not signed in.
func From(address string) op.Caller {
	return op.Caller{Address: address, UserAgent: "test", RequestID: "req_1"}
}

// Enter signs in with a link's token, sets the password, and returns the caller.
func (w *World) Enter(linkToken api.Secret) op.Caller {
	w.Helper()
	s := optest.Must[api.Session](w.As(From(Home)), "auth.login", api.Login{LinkToken: linkToken, NewPassword: Password})
	return w.Caller(s.Token)
}

// Caller returns whom a session's token signs in.
func (w *World) Caller(token api.Secret) op.Caller {
	w.Helper()
	who, err := w.Access.AuthenticateSession(w.Context(), string(token), Home, "test")
	w.Must(err)
	who.RequestID = "req_1"
	return who
}

// Invite invites a member of that role and signs them in.
func (w *World) Invite(who op.Caller, email, role string) op.Caller {
	w.Helper()
	in := optest.Must[api.MemberInvited](w.As(who), "team.invite", api.MemberInvite{Email: email, Role: role})
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
	for _, e := range optest.Must[api.Page[api.AuditEntry]](w.As(who), "team.auditLog", map[string]any{"order": "asc", "limit": 100}).Data {
		names = append(names, e.Action)
	}
	return names
}
