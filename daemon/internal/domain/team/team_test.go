package team_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

const (
	home     = "192.0.2.1"
	password = "correct horse"
)

// world is a daemon's teams on a store of their own, with a clock that the test
// moves.
type world struct {
	t     testing.TB
	path  string
	store kv.Store
	teams *team.Service
	table *op.Table

	forged bool // the test damages the store on purpose

	mu  sync.Mutex // guards now
	now time.Time
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, path: filepath.Join(t.TempDir(), "svc.db"), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	store, err := bolt.Open(w.path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.check()
		store.Close()
	})
	w.store, w.teams = store, team.New(store)
	w.teams.Now, w.teams.Version, w.teams.BaseURL = w.clock, "1.2.3", "https://svc.example"
	w.teams.Passwords = team.Cost{Memory: 64, Time: 1}
	box, err := seal.Open(filepath.Dir(w.path))
	w.fatal(err)
	w.teams.Seal = box
	w.table = op.NewTable(store, op.NewLimiter(nil), w.teams.Ops())
	return w
}

// check verifies the store as the checker does; every test ends with it.
func (w *world) check() {
	if w.forged {
		return
	}
	for _, c := range team.Tables() {
		err := w.store.View(context.Background(), func(tx kv.Tx) error {
			return c.Check(tx, func(key []byte, reason string) { w.t.Errorf("%q: %s", key, reason) })
		})
		if err != nil {
			w.t.Error(err)
		}
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) fatal(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// found makes a team of that name, whose owner is owner@<name>.example.
func (w *world) found(name string) team.Bootstrapped {
	w.t.Helper()
	b, err := w.teams.CreateTeam(w.t.Context(), team.Bootstrap{TeamName: name, Email: "owner@" + name + ".example"})
	w.fatal(err)
	return b
}

// try calls an operation as the caller.
func (w *world) try(name string, who op.Caller, in any) (any, *api.Error) {
	w.t.Helper()
	body, err := json.Marshal(in)
	w.fatal(err)
	res, refusal := w.table.Call(w.t.Context(), op.Request{Op: w.table.Lookup(name), Caller: who, Args: op.Args{Body: body}})
	return res.Value, refusal
}

func call[Out any](w *world, name string, who op.Caller, in any) Out {
	w.t.Helper()
	out, err := w.try(name, who, in)
	if err != nil {
		w.t.Fatalf("%s: %v %+v", name, err, err.Errors)
	}
	return out.(Out)
}

func (w *world) refused(name string, who op.Caller, in any, want api.Code) *api.Error {
	w.t.Helper()
	_, err := w.try(name, who, in)
	if err == nil || err.Code != want {
		w.t.Fatalf("%s: got %v, want %s", name, err, want)
	}
	return err
}

func from(address string) op.Caller {
	return op.Caller{Address: address, UserAgent: "test", RequestID: "req_1"}
}

// enter signs in with a link, sets the password, and returns the caller.
func (w *world) enter(link string) op.Caller {
	w.t.Helper()
	_, link, _ = strings.Cut("="+link, "=link_")
	s := call[api.Session](w, "auth.login", from(home), api.Login{LinkToken: "link_" + link, NewPassword: password})
	return w.caller(s.Token)
}

func (w *world) caller(token string) op.Caller {
	w.t.Helper()
	who, err := w.teams.AuthenticateSession(w.t.Context(), token, home, "test")
	w.fatal(err)
	who.RequestID = "req_1"
	return who
}

// join invites a member of that role and signs them in.
func (w *world) join(who op.Caller, email, role string) op.Caller {
	w.t.Helper()
	in := call[api.MemberInvited](w, "team.invite", who, api.MemberInvite{Email: email, Role: role})
	_, token, _ := strings.Cut(in.Link, "token=")
	return w.enter(token)
}

func (w *world) code(err error) api.Code {
	if err == nil {
		return ""
	}
	return op.Refusal(err).Code
}

func (w *world) actions(who op.Caller) []string {
	w.t.Helper()
	var names []string
	for _, e := range call[api.Page[api.AuditEntry]](w, "team.auditLog", who, map[string]any{"order": "asc", "limit": 100}).Data {
		names = append(names, e.Action)
	}
	return names
}

func TestFirstRun(t *testing.T) {
	w := newWorld(t)
	if empty, err := w.teams.Empty(t.Context()); !empty || err != nil {
		t.Fatal(empty, err)
	}
	in := team.Bootstrap{TeamName: "Ada & Co.", Email: " Ada@X.io "}
	b, err := w.teams.Bootstrap(t.Context(), in)
	w.fatal(err)
	if b.Team.Slug != "ada-co" || b.User.Email != "ada@x.io" || b.User.Role != "owner" || b.User.State != "invited" {
		t.Fatalf("%+v", b)
	}
	if _, err := w.teams.Bootstrap(t.Context(), in); w.code(err) != api.CodeInvalidTransition {
		t.Fatal("a second first team:", err)
	}
	if empty, _ := w.teams.Empty(t.Context()); empty {
		t.Fatal("still empty")
	}
	who, err := w.teams.Authenticate(t.Context(), b.Key.Secret, home)
	w.fatal(err)
	me := call[api.Me](w, "me.get", who, api.None{})
	if me.Team != (api.TeamRef{ID: b.Team.ID, Name: "Ada & Co.", Slug: "ada-co"}) || me.KeyName != "first key" ||
		!slices.Equal(me.Scopes, []string{"*"}) || me.Version != "1.2.3" || me.Actor != (api.Actor{Type: "key", ID: b.Key.ID}) {
		t.Fatalf("%+v", me)
	}
	owner := w.enter(b.LinkToken)
	if me := call[api.Me](w, "me.get", owner, api.None{}); me.Role != "owner" || me.User.State != "active" || me.User.LastLoginAt == 0 {
		t.Fatalf("%+v %+v", me, me.User)
	}
	if _, err := w.teams.CreateTeam(t.Context(), team.Bootstrap{TeamName: "Other", TeamSlug: "ada-co", Email: "o@x.io"}); w.code(err) != api.CodeSlugTaken {
		t.Fatal(err)
	}
	if _, err := w.teams.CreateTeam(t.Context(), team.Bootstrap{TeamName: "Other", Email: "ada@x.io"}); w.code(err) != api.CodeEmailTaken {
		t.Fatal(err)
	}
	if _, err := w.teams.TeamBySlug(t.Context(), "other"); w.code(err) != api.CodeNotFound {
		t.Fatal("half a team was left behind:", err)
	}
	if only, ok, err := w.teams.Only(t.Context()); only.ID != b.Team.ID || !ok || err != nil {
		t.Fatal(ok, err)
	}
	w.found("other")
	if _, ok, err := w.teams.Only(t.Context()); ok || err != nil {
		t.Fatal(ok, err)
	}
}

func TestTeamSettings(t *testing.T) {
	w := newWorld(t)
	b := w.found("a")
	w.found("b")
	owner := w.enter(b.LinkToken)
	for slug, want := range map[string]api.Code{
		"svc-api": api.CodeValidationFailed, "robots.txt": api.CodeValidationFailed, "sign-in": api.CodeValidationFailed,
		"Upper": api.CodeValidationFailed, "-x": api.CodeValidationFailed, "a--b": api.CodeValidationFailed, "a/b": api.CodeValidationFailed,
		strings.Repeat("x", 61): api.CodeValidationFailed, "b": api.CodeSlugTaken,
	} {
		e := w.refused("team.update", owner, map[string]any{"slug": slug}, want)
		if want == api.CodeSlugTaken && e.SuggestedSlug != "b-2" {
			t.Error(e.SuggestedSlug)
		}
	}
	got := call[api.Team](w, "team.update", owner, map[string]any{"name": "New", "slug": "new"})
	if got.Name != "New" || got.Slug != "new" || got.Version != 2 {
		t.Fatalf("%+v", got)
	}
	if found, err := w.teams.TeamBySlug(t.Context(), "new"); err != nil || found.ID != b.Team.ID {
		t.Fatal(found, err)
	}
	if _, err := w.teams.TeamBySlug(t.Context(), "a"); w.code(err) != api.CodeNotFound {
		t.Fatal("the slug of before still leads here:", err)
	}

	e := w.refused("team.brand.update", owner, api.Brand{Facts: []string{" ", strings.Repeat("x", 501)}, LogoURL: "javascript:alert(1)"}, api.CodeValidationFailed)
	if len(e.Errors) != 3 || e.Errors[1].Pointer != "/facts/1" || e.Errors[2].Pointer != "/logoUrl" {
		t.Fatalf("%+v", e.Errors)
	}
	brand := api.Brand{Description: "We make things.", Facts: []string{"Founded 1999"}, LogoURL: "https://x.io/l.png"}
	call[api.Brand](w, "team.brand.update", owner, brand)
	key, err := w.teams.Authenticate(t.Context(), b.Key.Secret, home)
	w.fatal(err)
	if got := call[api.Brand](w, "brand.get", key, api.None{}); got.Description != brand.Description || got.Facts[0] != brand.Facts[0] {
		t.Fatalf("%+v", got)
	}
	if name, got, err := w.teams.Brand(t.Context(), b.Team.ID); name != "New" || got.LogoURL != brand.LogoURL || err != nil {
		t.Fatal(name, got, err)
	}
}

func TestMembers(t *testing.T) {
	w := newWorld(t)
	b := w.found("a")
	owner := w.enter(b.LinkToken)
	admin := w.join(owner, "admin@a.example", "admin")
	editor := w.join(admin, "Editor@A.example", "editor")
	if editor.Role != op.Editor || editor.Name != "editor@a.example" {
		t.Fatalf("%+v", editor)
	}
	if page := call[api.Page[api.User]](w, "team.members", editor, api.None{}); len(page.Data) != 3 {
		t.Fatalf("%+v", page)
	}

	w.refused("team.invite", editor, api.MemberInvite{Email: "x@a.example", Role: "viewer"}, api.CodeRoleRequired)
	w.refused("team.invite", admin, api.MemberInvite{Email: "x@a.example", Role: "owner"}, api.CodeValidationFailed)
	w.refused("team.invite", admin, api.MemberInvite{Email: "no address", Role: "viewer"}, api.CodeValidationFailed)
	if e := w.refused("team.invite", admin, api.MemberInvite{Email: "EDITOR@a.example", Role: "viewer"}, api.CodeEmailTaken); e.ExistingID != editor.Actor.ID {
		t.Error(e.ExistingID)
	}
	other := w.found("b")
	if in := call[api.MemberInvited](w, "team.invite", admin, api.MemberInvite{Email: other.User.Email, Role: "viewer"}); in.User.ID == other.User.ID {
		t.Error("another team's member is shown")
	}

	w.refused("team.setRole", admin, api.MemberRole{ID: editor.Actor.ID, Role: "owner"}, api.CodeRoleRequired)
	w.refused("team.setRole", admin, api.MemberRole{ID: owner.Actor.ID, Role: "viewer"}, api.CodeRoleRequired)
	w.refused("team.remove", admin, api.MemberRef{ID: owner.Actor.ID}, api.CodeRoleRequired)
	w.refused("team.setRole", owner, api.MemberRole{ID: owner.Actor.ID, Role: "viewer"}, api.CodeInvalidTransition)
	w.refused("team.remove", owner, api.MemberRef{ID: owner.Actor.ID}, api.CodeInvalidTransition)
	w.refused("team.remove", owner, api.MemberRef{ID: other.User.ID}, api.CodeNotFound)
	w.refused("team.setRole", owner, api.MemberRole{ID: other.User.ID, Role: "viewer"}, api.CodeNotFound)

	call[api.User](w, "team.setRole", owner, api.MemberRole{ID: admin.Actor.ID, Role: "owner"})
	call[api.User](w, "team.setRole", owner, api.MemberRole{ID: owner.Actor.ID, Role: "viewer"})
	err := w.store.View(t.Context(), func(tx kv.Tx) error {
		name, err := w.teams.UserName(tx, b.Team.ID, editor.Actor.ID)
		if name != "editor@a.example" {
			t.Error(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestARemovedMemberIsOutAtOnce(t *testing.T) {
	w := newWorld(t)
	owner := w.enter(w.found("a").LinkToken)
	in := call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "editor"})
	_, link, _ := strings.Cut(in.Link, "token=")
	s := call[api.Session](w, "auth.login", from(home), api.Login{LinkToken: link, NewPassword: password})
	w.caller(s.Token)
	call[api.None](w, "team.remove", owner, api.MemberRef{ID: in.User.ID})
	if _, err := w.teams.AuthenticateSession(t.Context(), s.Token, home, ""); w.code(err) != api.CodeSessionRequired {
		t.Fatal(err)
	}
	w.refused("auth.login", from(home), api.Login{Email: "e@a.example", Password: password}, api.CodeInvalidCredentials)
	err := w.store.View(t.Context(), func(tx kv.Tx) error {
		_, err := w.teams.UserName(tx, owner.Team, in.User.ID)
		return err
	})
	if w.code(err) != api.CodeNotFound {
		t.Fatal(err)
	}
	// The address is free again.
	call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "viewer"})
}

func TestRoleCountsFromTheNextRequestOn(t *testing.T) {
	w := newWorld(t)
	owner := w.enter(w.found("a").LinkToken)
	in := call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "admin"})
	s := call[api.Session](w, "auth.login", from(home), api.Login{LinkToken: in.Link[strings.Index(in.Link, "link_"):]})
	call[api.User](w, "team.setRole", owner, api.MemberRole{ID: in.User.ID, Role: "viewer"})
	if who := w.caller(s.Token); who.Role != op.Viewer || who.Scopes&op.PostsWrite != 0 {
		t.Fatalf("%+v", who)
	}
}

// TestEveryPrivilegedActIsAudited runs each operation that changes something and
// looks for its entry, so that a row without one is found.
func TestEveryPrivilegedActIsAudited(t *testing.T) {
	w := newWorld(t)
	owner := w.enter(w.found("a").LinkToken)
	key := call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "ci"})
	call[api.Key](w, "apiKeys.update", owner, map[string]any{"id": key.ID, "name": "cd"})
	call[api.Key](w, "apiKeys.roll", owner, api.KeyRoll{ID: key.ID})
	call[api.Key](w, "apiKeys.revoke", owner, api.KeyRef{ID: key.ID})
	editor := w.join(owner, "e@a.example", "editor")
	call[api.User](w, "team.setRole", owner, api.MemberRole{ID: editor.Actor.ID, Role: "viewer"})
	call[api.None](w, "auth.revokeSession", owner, api.SessionRef{ID: editor.Credential})
	call[api.None](w, "team.remove", owner, api.MemberRef{ID: editor.Actor.ID})
	call[api.Team](w, "team.update", owner, map[string]any{"name": "B"})
	call[api.Brand](w, "team.brand.update", owner, api.Brand{Voice: "calm"})
	site := call[api.Site](w, "sites.create", owner, api.SiteCreate{Name: "Shop"})
	call[api.Site](w, "sites.update", owner, map[string]any{"id": site.ID, "name": "Store"})
	call[api.SiteSecretRolled](w, "sites.rotateSecret", owner, api.SiteRef{ID: site.ID})
	call[api.None](w, "sites.delete", owner, api.SiteRef{ID: site.ID})
	call[api.None](w, "auth.changePassword", owner, api.PasswordChange{Current: password, New: "another one!"})
	for range 10 {
		w.refused("auth.login", from("198.51.100.7"), api.Login{Email: "owner@a.example", Password: "wrong one"}, api.CodeInvalidCredentials)
	}
	w.fatal(w.teams.Flush(t.Context()))

	got := w.actions(owner)
	for _, o := range w.table.Ops {
		if !o.ReadOnly() && o.Name != "auth.logout" && !slices.Contains(got, o.Name) {
			t.Errorf("%s leaves no entry", o.Name)
		}
	}
	if n := slices.Index(got, "auth.lockout"); n < 0 || slices.Index(got[n+1:], "auth.lockout") >= 0 {
		t.Errorf("one lock-out, in %v", got)
	}
	last := call[api.Page[api.AuditEntry]](w, "team.auditLog", owner, map[string]any{"limit": 2}).Data[1]
	if last.Action != "auth.changePassword" || last.Actor != owner.Actor || last.RequestID != "req_1" || last.Target != owner.Actor.ID {
		t.Errorf("%+v", last)
	}
	w.fatal(w.store.View(t.Context(), func(tx kv.Tx) error { return team.VerifyAudit(tx, owner.Team) }))
	w.refused("team.auditLog", w.join(owner, "e@a.example", "editor"), api.None{}, api.CodeRoleRequired)
}

func TestARefusedActLeavesNoEntry(t *testing.T) {
	w := newWorld(t)
	owner := w.enter(w.found("a").LinkToken)
	w.found("b")
	before := w.actions(owner)
	w.refused("team.update", owner, map[string]any{"slug": "b"}, api.CodeSlugTaken)
	w.refused("team.remove", owner, api.MemberRef{ID: owner.Actor.ID}, api.CodeInvalidTransition)
	if got := w.actions(owner); !slices.Equal(got, before) {
		t.Fatal(got)
	}
}

// TestAuditChainShowsTampering rewrites, drops and cuts entries behind the
// service's back. The stored values keep their own checksums, as a forger's would.
func TestAuditChainShowsTampering(t *testing.T) {
	type record struct {
		N         uint64            `json:"n"`
		Action    string            `json:"a"`
		ActorType string            `json:"ak"`
		ActorID   string            `json:"ai"`
		Target    string            `json:"t,omitempty"`
		Detail    map[string]string `json:"d,omitempty"`
		RequestID string            `json:"q,omitempty"`
		At        api.Time          `json:"at"`
		Prev      []byte            `json:"p,omitempty"`
		Hash      []byte            `json:"h"`
	}
	forged := kv.NewTable("audit", kv.Index[record]{Name: "n", Keys: func(v *record, add func([]byte)) { add(kv.Key(kv.Uint64(v.N))) }})
	for name, forge := range map[string]func(tx kv.Tx, team string, ids []string) error{
		"rewritten": func(tx kv.Tx, team string, ids []string) error {
			e, err := forged.Get(tx, team, ids[1])
			if err != nil {
				return err
			}
			e.ActorID = "usr_somebodyelse"
			return forged.Put(tx, team, ids[1], e)
		},
		"a detail rewritten": func(tx kv.Tx, team string, ids []string) error {
			e, err := forged.Get(tx, team, ids[2])
			if err != nil {
				return err
			}
			e.Detail["scopes"] = "posts:read"
			return forged.Put(tx, team, ids[2], e)
		},
		"dropped":      func(tx kv.Tx, team string, ids []string) error { return forged.Delete(tx, team, ids[1]) },
		"last dropped": func(tx kv.Tx, team string, ids []string) error { return forged.Delete(tx, team, ids[len(ids)-1]) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			owner := w.enter(w.found("a").LinkToken)
			var ids []string
			for _, e := range call[api.Page[api.AuditEntry]](w, "team.auditLog", owner, map[string]any{"order": "asc"}).Data {
				ids = append(ids, e.ID)
			}
			w.forged = true
			w.fatal(w.store.Update(t.Context(), func(tx kv.Tx) error { return forge(tx, owner.Team, ids) }))
			var found []string
			w.fatal(w.store.View(t.Context(), func(tx kv.Tx) error {
				for _, c := range team.Tables() {
					if err := c.Check(tx, func(_ []byte, reason string) { found = append(found, reason) }); err != nil {
						return err
					}
				}
				return nil
			}))
			if len(found) != 1 || !strings.Contains(found[0], owner.Team) {
				t.Fatal("not noticed:", found)
			}
		})
	}
}

// TestNoSecretIsKept puts every kind of secret to use, one of them under an
// idempotency key, and looks for them in the store, the log and later answers.
func TestNoSecretIsKept(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })

	w := newWorld(t)
	b := w.found("a")
	owner := w.enter(b.LinkToken)
	secrets := []string{b.Key.Secret, b.LinkToken, password, "the wrong password", "yet another one"}
	res, refusal := w.table.Call(t.Context(), op.Request{
		Op: w.table.Lookup("apiKeys.create"), Caller: owner, IdempotencyKey: "once", Args: op.Args{Body: []byte(`{"name":"ci"}`)},
	})
	if refusal != nil {
		t.Fatal(refusal)
	}
	key := res.Value.(api.Key)
	rolled := call[api.Key](w, "apiKeys.roll", owner, api.KeyRoll{ID: key.ID, GraceHours: 1})
	in := call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "editor"})
	w.refused("auth.login", from(home), api.Login{Email: "owner@a.example", Password: "the wrong password"}, api.CodeInvalidCredentials)
	session := call[api.Session](w, "auth.login", from(home), api.Login{Email: "owner@a.example", Password: password})
	call[api.None](w, "auth.changePassword", owner, api.PasswordChange{Current: password, New: "yet another one"})
	for _, s := range []string{key.Secret, rolled.Secret, session.Token, in.Link[strings.Index(in.Link, "link_"):]} {
		if len(s) < 40 {
			t.Fatalf("%q is no secret", s)
		}
		secrets = append(secrets, s)
	}

	var later bytes.Buffer
	for _, name := range []string{"apiKeys.list", "auth.session", "auth.sessions", "team.members", "team.auditLog", "team.get", "me.get"} {
		out, err := w.try(name, owner, api.None{})
		if err != nil {
			t.Fatal(name, err)
		}
		j, _ := json.Marshal(out)
		later.Write(j)
	}
	stored, err := os.ReadFile(w.path)
	w.fatal(err)
	if !bytes.Contains(stored, []byte("owner@a.example")) {
		t.Fatal("the store is not readable this way: the search proves nothing")
	}
	for place, b := range map[string][]byte{"store": stored, "log": logged.Bytes(), "answers": later.Bytes()} {
		for i, s := range secrets {
			if bytes.Contains(b, []byte(s)) || len(s) > 30 && bytes.Contains(b, []byte(s[6:30])) {
				t.Errorf("secret %d is in the %s", i, place)
			}
		}
	}
}

func TestRowsAreForTheirRoles(t *testing.T) {
	w := newWorld(t)
	b := w.found("a")
	key, err := w.teams.Authenticate(t.Context(), b.Key.Secret, home)
	w.fatal(err)
	owner := w.enter(b.LinkToken)
	viewer := w.join(owner, "v@a.example", "viewer")
	for _, o := range w.table.Ops {
		if o.Session == 0 {
			continue
		}
		w.refused(o.Name, key, api.None{}, api.CodeSessionRequired)
		w.refused(o.Name, op.Caller{Address: home}, api.None{}, api.CodeSessionRequired)
		if o.Session > op.Viewer {
			w.refused(o.Name, viewer, api.None{}, api.CodeRoleRequired)
		}
		if o.Doc == "" {
			t.Error(o.Name, "has no doc")
		}
	}
}

func TestRunWritesWhatIsLeft(t *testing.T) {
	w := newWorld(t)
	b := w.found("a")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := w.teams.Authenticate(ctx, b.Key.Secret, home)
	w.fatal(err)
	cancel()
	w.fatal(w.teams.Run(ctx))
	owner := w.enter(b.LinkToken)
	if k := call[api.Page[api.Key]](w, "apiKeys.list", owner, api.None{}).Data[0]; k.LastUsedAt != api.TimeOf(w.now) {
		t.Fatal(k.LastUsedAt)
	}
}
