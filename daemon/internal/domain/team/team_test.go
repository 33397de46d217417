package team_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/domain/team/teamtest"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// TestTeamThatCannotBeRead: a store with such a team is not empty, and the others
// are served.
func TestTeamThatCannotBeRead(t *testing.T) {
	w := teamtest.New(t)
	_, err := w.Teams.Bootstrap(t.Context(), team.Bootstrap{TeamName: "Ada", Email: "ada@x.io"})
	w.Must(err)
	w.Damage("team", "")
	if empty, err := w.Teams.Empty(t.Context()); empty || err != nil {
		t.Error(empty, err)
	}
	other := w.Found("b")
	if only, ok, err := w.Teams.Only(t.Context()); !ok || err != nil || only.ID == "" {
		t.Error(only, ok, err)
	}
	w.Enter(other.LinkToken)
}

func TestFirstRun(t *testing.T) {
	w := teamtest.New(t)
	if empty, err := w.Teams.Empty(t.Context()); !empty || err != nil {
		t.Fatal(empty, err)
	}
	in := team.Bootstrap{TeamName: "Ada & Co.", Email: " Ada@X.io "}
	b, err := w.Teams.Bootstrap(t.Context(), in)
	w.Must(err)
	if b.Team.Slug != "ada-co" || b.User.Email != "ada@x.io" || b.User.Role != "owner" || b.User.State != "invited" {
		t.Fatalf("%+v", b)
	}
	if _, err := w.Teams.Bootstrap(t.Context(), in); w.Code(err) != api.CodeInvalidTransition {
		t.Fatal("a second first team:", err)
	}
	if empty, _ := w.Teams.Empty(t.Context()); empty {
		t.Fatal("still empty")
	}
	who, err := w.Access.Authenticate(t.Context(), string(b.Key.Secret), teamtest.Home)
	w.Must(err)
	me := optest.Must[api.Me](w.As(who), "me.get", api.None{})
	if me.Team != (api.TeamRef{ID: b.Team.ID, Name: "Ada & Co.", Slug: "ada-co"}) || me.KeyName != "first key" ||
		!slices.Equal(me.Scopes, []string{"*"}) || me.Version != "1.2.3" || me.Actor != (api.Actor{Type: "key", ID: b.Key.ID}) {
		t.Fatalf("%+v", me)
	}
	owner := w.Enter(teamtest.TokenOf(b.Link))
	if me := optest.Must[api.Me](w.As(owner), "me.get", api.None{}); me.Role != "owner" || me.User.State != "active" || me.User.LastLoginAt == 0 {
		t.Fatalf("%+v %+v", me, me.User)
	}
	if _, err := w.Teams.CreateTeam(t.Context(), team.Bootstrap{TeamName: "Other", TeamSlug: "ada-co", Email: "o@x.io"}); w.Code(err) != api.CodeSlugTaken {
		t.Fatal(err)
	}
	if _, err := w.Teams.CreateTeam(t.Context(), team.Bootstrap{TeamName: "Other", Email: "ada@x.io"}); w.Code(err) != api.CodeEmailTaken {
		t.Fatal(err)
	}
	if _, _, err := w.Teams.Publication(t.Context(), "other"); w.Code(err) != api.CodeNotFound {
		t.Fatal("half a team was left behind:", err)
	}
	if only, ok, err := w.Teams.Only(t.Context()); only.ID != b.Team.ID || !ok || err != nil {
		t.Fatal(ok, err)
	}
	w.Found("other")
	if _, ok, err := w.Teams.Only(t.Context()); ok || err != nil {
		t.Fatal(ok, err)
	}
}

func TestTeamSettings(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	w.Found("b")
	owner := w.Enter(b.LinkToken)
	for slug, want := range map[string]api.Code{
		"svc-api": api.CodeValidationFailed, "robots.txt": api.CodeValidationFailed, "sign-in": api.CodeValidationFailed,
		"Upper": api.CodeValidationFailed, "-x": api.CodeValidationFailed, "a--b": api.CodeValidationFailed, "a/b": api.CodeValidationFailed,
		strings.Repeat("x", 61): api.CodeValidationFailed, "b": api.CodeSlugTaken,
	} {
		e := w.As(owner).Refused(want, "team.update", map[string]any{"slug": slug})
		if want == api.CodeSlugTaken && e.SuggestedSlug != "b-2" {
			t.Error(e.SuggestedSlug)
		}
	}
	got := optest.Must[api.Team](w.As(owner), "team.update", map[string]any{"name": "New", "slug": "new"})
	if got.Name != "New" || got.Slug != "new" || got.Version != 2 {
		t.Fatalf("%+v", got)
	}
	if again := optest.Must[api.Team](w.As(owner), "team.update", map[string]any{"name": "New", "slug": "new"}); again.Version != 2 {
		t.Fatalf("an update that changes nothing is a version: %+v", again)
	}
	for zone, want := range map[string]string{"Europe/Berlin": "Europe/Berlin", "UTC": "UTC", "": "UTC"} {
		if got := optest.Must[api.Team](w.As(owner), "team.update", map[string]any{"timezone": zone}); got.Timezone != want {
			t.Errorf("%q became %q", zone, got.Timezone)
		}
	}
	for _, zone := range []string{"Local", "Mars/Olympus", "../etc/passwd", "+02:00"} {
		e := w.As(owner).Refused(api.CodeValidationFailed, "team.update", map[string]any{"timezone": zone, "slug": "robots.txt"})
		if len(e.Errors) != 2 || e.Errors[1].Pointer != "/timezone" {
			t.Errorf("%s: %+v", zone, e.Errors)
		}
	}
	if found, _, err := w.Teams.Publication(t.Context(), "new"); err != nil || found.ID != b.Team.ID {
		t.Fatal(found, err)
	}
	if _, _, err := w.Teams.Publication(t.Context(), "a"); w.Code(err) != api.CodeNotFound {
		t.Fatal("the slug of before still leads here:", err)
	}

	e := w.As(owner).Refused(api.CodeValidationFailed, "team.brand.update", api.Brand{Facts: []string{" ", strings.Repeat("x", 501)}, LogoURL: "javascript:alert(1)"})
	if len(e.Errors) != 3 || e.Errors[1].Pointer != "/facts/1" || e.Errors[2].Pointer != "/logoUrl" {
		t.Fatalf("%+v", e.Errors)
	}
	brand := api.Brand{Description: "We make things.", Facts: []string{"Founded 1999"}, LogoURL: "https://x.io/l.png"}
	optest.Must[api.Brand](w.As(owner), "team.brand.update", brand)
	key, err := w.Access.Authenticate(t.Context(), string(b.Key.Secret), teamtest.Home)
	w.Must(err)
	if got := optest.Must[api.Brand](w.As(key), "brand.get", api.None{}); got.Description != brand.Description || got.Facts[0] != brand.Facts[0] {
		t.Fatalf("%+v", got)
	}
	if name, got, err := w.Teams.Brand(t.Context(), b.Team.ID); name != "New" || got.LogoURL != brand.LogoURL || err != nil {
		t.Fatal(name, got, err)
	}
}

func TestMembers(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	owner := w.Enter(b.LinkToken)
	admin := w.Invite(owner, "admin@a.example", "admin")
	editor := w.Invite(admin, "Editor@A.example", "editor")
	if editor.Role != op.Editor || editor.Name != "editor@a.example" {
		t.Fatalf("%+v", editor)
	}
	if page := optest.Must[api.Page[api.User]](w.As(editor), "team.members", api.None{}); len(page.Data) != 3 {
		t.Fatalf("%+v", page)
	}

	w.As(editor).Refused(api.CodeRoleRequired, "team.invite", api.MemberInvite{Email: "x@a.example", Role: "viewer"})
	w.As(admin).Refused(api.CodeValidationFailed, "team.invite", api.MemberInvite{Email: "x@a.example", Role: "owner"})
	w.As(admin).Refused(api.CodeValidationFailed, "team.invite", api.MemberInvite{Email: "no address", Role: "viewer"})
	if e := w.As(admin).Refused(api.CodeEmailTaken, "team.invite", api.MemberInvite{Email: "EDITOR@a.example", Role: "viewer"}); e.ExistingID != editor.Actor.ID {
		t.Error(e.ExistingID)
	}
	other := w.Found("b")
	if in := optest.Must[api.MemberInvited](w.As(admin), "team.invite", api.MemberInvite{Email: other.User.Email, Role: "viewer"}); in.User.ID == other.User.ID {
		t.Error("another team's member is shown")
	}

	w.As(admin).Refused(api.CodeRoleRequired, "team.setRole", api.MemberRole{ID: editor.Actor.ID, Role: "owner"})
	w.As(admin).Refused(api.CodeRoleRequired, "team.setRole", api.MemberRole{ID: owner.Actor.ID, Role: "viewer"})
	w.As(admin).Refused(api.CodeRoleRequired, "team.remove", api.MemberRef{ID: owner.Actor.ID})
	w.As(owner).Refused(api.CodeInvalidTransition, "team.setRole", api.MemberRole{ID: owner.Actor.ID, Role: "viewer"})
	w.As(owner).Refused(api.CodeInvalidTransition, "team.remove", api.MemberRef{ID: owner.Actor.ID})
	w.As(owner).Refused(api.CodeNotFound, "team.remove", api.MemberRef{ID: other.User.ID})
	w.As(owner).Refused(api.CodeNotFound, "team.setRole", api.MemberRole{ID: other.User.ID, Role: "viewer"})

	optest.Must[api.User](w.As(owner), "team.setRole", api.MemberRole{ID: admin.Actor.ID, Role: "owner"})
	optest.Must[api.User](w.As(owner), "team.setRole", api.MemberRole{ID: owner.Actor.ID, Role: "viewer"})
	err := w.Store.View(t.Context(), func(tx kv.Tx) error {
		name, err := w.Teams.UserName(tx, b.Team.ID, editor.Actor.ID)
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
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	in := optest.Must[api.MemberInvited](w.As(owner), "team.invite", api.MemberInvite{Email: "e@a.example", Role: "editor"})
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: teamtest.TokenOf(in.Link), NewPassword: teamtest.Password})
	w.Caller(s.Token)
	optest.Must[api.None](w.As(owner), "team.remove", api.MemberRef{ID: in.User.ID})
	if _, err := w.Access.AuthenticateSession(t.Context(), string(s.Token), teamtest.Home, ""); w.Code(err) != api.CodeSessionRequired {
		t.Fatal(err)
	}
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", api.Login{Email: "e@a.example", Password: teamtest.Password})
	err := w.Store.View(t.Context(), func(tx kv.Tx) error {
		_, err := w.Teams.UserName(tx, owner.Team, in.User.ID)
		return err
	})
	if w.Code(err) != api.CodeNotFound {
		t.Fatal(err)
	}
	// The address is free again.
	optest.Must[api.MemberInvited](w.As(owner), "team.invite", api.MemberInvite{Email: "e@a.example", Role: "viewer"})
}

func TestRoleCountsFromTheNextRequestOn(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	in := optest.Must[api.MemberInvited](w.As(owner), "team.invite", api.MemberInvite{Email: "e@a.example", Role: "admin"})
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: teamtest.TokenOf(in.Link)})
	optest.Must[api.User](w.As(owner), "team.setRole", api.MemberRole{ID: in.User.ID, Role: "viewer"})
	if who := w.Caller(s.Token); who.Role != op.Viewer || who.Scopes&op.PostsWrite != 0 {
		t.Fatalf("%+v", who)
	}
}

// TestEveryPrivilegedActIsAudited runs each operation that changes something and
// looks for its entry, so that a row without one is found.
func TestEveryPrivilegedActIsAudited(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	key := optest.Must[api.Key](w.As(owner), "apiKeys.create", api.KeyCreate{Name: "ci"})
	optest.Must[api.Key](w.As(owner), "apiKeys.update", map[string]any{"id": key.ID, "name": "cd"})
	optest.Must[api.Key](w.As(owner), "apiKeys.roll", api.KeyRoll{ID: key.ID})
	optest.Must[api.Key](w.As(owner), "apiKeys.revoke", api.KeyRef{ID: key.ID})
	editor := w.Invite(owner, "e@a.example", "editor")
	optest.Must[api.User](w.As(owner), "team.setRole", api.MemberRole{ID: editor.Actor.ID, Role: "viewer"})
	optest.Must[api.None](w.As(owner), "auth.revokeSession", api.SessionRef{ID: editor.Credential})
	optest.Must[api.None](w.As(owner), "team.remove", api.MemberRef{ID: editor.Actor.ID})
	optest.Must[api.Team](w.As(owner), "team.update", map[string]any{"name": "B"})
	optest.Must[api.Brand](w.As(owner), "team.brand.update", api.Brand{Voice: "calm"})
	optest.Must[api.PublicSite](w.As(owner), "site.update", map[string]any{"title": "News"})
	site := optest.Must[api.Site](w.As(owner), "sites.create", api.SiteCreate{Name: "Shop"})
	optest.Must[api.Site](w.As(owner), "sites.update", map[string]any{"id": site.ID, "name": "Store"})
	optest.Must[api.SiteSecretRolled](w.As(owner), "sites.rotateSecret", api.SiteRef{ID: site.ID})
	optest.Must[api.None](w.As(owner), "sites.delete", api.SiteRef{ID: site.ID})
	optest.Must[api.None](w.As(owner), "auth.changePassword", api.PasswordChange{Current: teamtest.Password, New: "another one!"})
	for range 10 {
		w.As(teamtest.From("198.51.100.7")).Refused(api.CodeInvalidCredentials, "auth.login", api.Login{Email: "owner@a.example", Password: "wrong one"})
	}
	w.Must(w.Access.Flush(t.Context()))

	got := w.Actions(owner)
	for _, o := range w.Table.Ops {
		if !o.ReadOnly() && o.Name != "auth.logout" && !slices.Contains(got, o.Name) {
			t.Errorf("%s leaves no entry", o.Name)
		}
	}
	if n := slices.Index(got, "auth.lockout"); n < 0 || slices.Index(got[n+1:], "auth.lockout") >= 0 {
		t.Errorf("one lock-out, in %v", got)
	}
	last := optest.Must[api.Page[api.AuditEntry]](w.As(owner), "team.auditLog", map[string]any{"limit": 2}).Data[1]
	if last.Action != "auth.changePassword" || last.Actor != owner.Actor || last.RequestID != "req_1" || last.Target != owner.Actor.ID {
		t.Errorf("%+v", last)
	}
	w.Must(w.Store.View(t.Context(), func(tx kv.Tx) error { return team.VerifyAudit(tx, owner.Team) }))
	w.As(w.Invite(owner, "e@a.example", "editor")).Refused(api.CodeRoleRequired, "team.auditLog", api.None{})
}

func TestARefusedActLeavesNoEntry(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	w.Found("b")
	before := w.Actions(owner)
	w.As(owner).Refused(api.CodeSlugTaken, "team.update", map[string]any{"slug": "b"})
	w.As(owner).Refused(api.CodeInvalidTransition, "team.remove", api.MemberRef{ID: owner.Actor.ID})
	if got := w.Actions(owner); !slices.Equal(got, before) {
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
			w := teamtest.New(t)
			owner := w.Enter(w.Found("a").LinkToken)
			var ids []string
			for _, e := range optest.Must[api.Page[api.AuditEntry]](w.As(owner), "team.auditLog", map[string]any{"order": "asc"}).Data {
				ids = append(ids, e.ID)
			}
			w.Forged = true
			w.Must(w.Store.Update(t.Context(), func(tx kv.Tx) error { return forge(tx, owner.Team, ids) }))
			found := w.Check()
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

	w := teamtest.New(t)
	b := w.Found("a")
	owner := w.Enter(b.LinkToken)
	secrets := []api.Secret{b.Key.Secret, b.LinkToken, teamtest.Password, "the wrong password", "yet another one"}
	res, refusal := w.Table.Call(t.Context(), op.Request{
		Op: w.Table.Lookup("apiKeys.create"), Caller: owner, IdempotencyKey: "once", Args: op.Args{Body: []byte(`{"name":"ci"}`)},
	})
	if refusal != nil {
		t.Fatal(refusal)
	}
	key := res.Value.(api.Key)
	rolled := optest.Must[api.Key](w.As(owner), "apiKeys.roll", api.KeyRoll{ID: key.ID, GraceHours: 1})
	in := optest.Must[api.MemberInvited](w.As(owner), "team.invite", api.MemberInvite{Email: "e@a.example", Role: "editor"})
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", api.Login{Email: "owner@a.example", Password: "the wrong password"})
	session := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{Email: "owner@a.example", Password: teamtest.Password})
	optest.Must[api.None](w.As(owner), "auth.changePassword", api.PasswordChange{Current: teamtest.Password, New: "yet another one"})
	for _, s := range []api.Secret{key.Secret, rolled.Secret, session.Token, teamtest.TokenOf(in.Link)} {
		if len(s) < 40 {
			t.Fatalf("%q is not a secret", string(s))
		}
		secrets = append(secrets, s)
	}

	var later bytes.Buffer
	for _, name := range []string{"apiKeys.list", "auth.session", "auth.sessions", "team.members", "team.auditLog", "team.get", "me.get"} {
		out, err := optest.Call[any](w, owner, name, api.None{})
		if err != nil {
			t.Fatal(name, err)
		}
		j, _ := json.Marshal(out)
		later.Write(j)
	}
	stored, err := os.ReadFile(w.Path())
	w.Must(err)
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
	w := teamtest.New(t)
	b := w.Found("a")
	key, err := w.Access.Authenticate(t.Context(), string(b.Key.Secret), teamtest.Home)
	w.Must(err)
	owner := w.Enter(b.LinkToken)
	viewer := w.Invite(owner, "v@a.example", "viewer")
	for _, o := range w.Table.Ops {
		if o.Session == 0 {
			continue
		}
		w.As(key).Refused(api.CodeSessionRequired, o.Name, api.None{})
		w.As(op.Caller{Address: teamtest.Home}).Refused(api.CodeSessionRequired, o.Name, api.None{})
		if o.Session > op.Viewer {
			w.As(viewer).Refused(api.CodeRoleRequired, o.Name, api.None{})
		}
		if o.Doc == "" {
			t.Error(o.Name, "has no doc")
		}
	}
}

func TestRunWritesWhatIsLeft(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := w.Access.Authenticate(ctx, string(b.Key.Secret), teamtest.Home)
	w.Must(err)
	cancel()
	w.Must(w.Access.Run(ctx))
	owner := w.Enter(b.LinkToken)
	if k := optest.Must[api.Page[api.Key]](w.As(owner), "apiKeys.list", api.None{}).Data[0]; k.LastUsedAt != api.TimeOf(w.Now()) {
		t.Fatal(k.LastUsedAt)
	}
}
