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
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

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
	who, err := w.Access.Authenticate(t.Context(), b.Key.Secret, teamtest.Home)
	w.Must(err)
	me := teamtest.Call[api.Me](w, "me.get", who, api.None{})
	if me.Team != (api.TeamRef{ID: b.Team.ID, Name: "Ada & Co.", Slug: "ada-co"}) || me.KeyName != "first key" ||
		!slices.Equal(me.Scopes, []string{"*"}) || me.Version != "1.2.3" || me.Actor != (api.Actor{Type: "key", ID: b.Key.ID}) {
		t.Fatalf("%+v", me)
	}
	owner := w.Enter(teamtest.TokenOf(b.Link))
	if me := teamtest.Call[api.Me](w, "me.get", owner, api.None{}); me.Role != "owner" || me.User.State != "active" || me.User.LastLoginAt == 0 {
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
		e := w.Refused("team.update", owner, map[string]any{"slug": slug}, want)
		if want == api.CodeSlugTaken && e.SuggestedSlug != "b-2" {
			t.Error(e.SuggestedSlug)
		}
	}
	got := teamtest.Call[api.Team](w, "team.update", owner, map[string]any{"name": "New", "slug": "new"})
	if got.Name != "New" || got.Slug != "new" || got.Version != 2 {
		t.Fatalf("%+v", got)
	}
	if again := teamtest.Call[api.Team](w, "team.update", owner, map[string]any{"name": "New", "slug": "new"}); again.Version != 2 {
		t.Fatalf("an update that changes nothing is a version: %+v", again)
	}
	if found, _, err := w.Teams.Publication(t.Context(), "new"); err != nil || found.ID != b.Team.ID {
		t.Fatal(found, err)
	}
	if _, _, err := w.Teams.Publication(t.Context(), "a"); w.Code(err) != api.CodeNotFound {
		t.Fatal("the slug of before still leads here:", err)
	}

	e := w.Refused("team.brand.update", owner, api.Brand{Facts: []string{" ", strings.Repeat("x", 501)}, LogoURL: "javascript:alert(1)"}, api.CodeValidationFailed)
	if len(e.Errors) != 3 || e.Errors[1].Pointer != "/facts/1" || e.Errors[2].Pointer != "/logoUrl" {
		t.Fatalf("%+v", e.Errors)
	}
	brand := api.Brand{Description: "We make things.", Facts: []string{"Founded 1999"}, LogoURL: "https://x.io/l.png"}
	teamtest.Call[api.Brand](w, "team.brand.update", owner, brand)
	key, err := w.Access.Authenticate(t.Context(), b.Key.Secret, teamtest.Home)
	w.Must(err)
	if got := teamtest.Call[api.Brand](w, "brand.get", key, api.None{}); got.Description != brand.Description || got.Facts[0] != brand.Facts[0] {
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
	admin := w.Join(owner, "admin@a.example", "admin")
	editor := w.Join(admin, "Editor@A.example", "editor")
	if editor.Role != op.Editor || editor.Name != "editor@a.example" {
		t.Fatalf("%+v", editor)
	}
	if page := teamtest.Call[api.Page[api.User]](w, "team.members", editor, api.None{}); len(page.Data) != 3 {
		t.Fatalf("%+v", page)
	}

	w.Refused("team.invite", editor, api.MemberInvite{Email: "x@a.example", Role: "viewer"}, api.CodeRoleRequired)
	w.Refused("team.invite", admin, api.MemberInvite{Email: "x@a.example", Role: "owner"}, api.CodeValidationFailed)
	w.Refused("team.invite", admin, api.MemberInvite{Email: "no address", Role: "viewer"}, api.CodeValidationFailed)
	if e := w.Refused("team.invite", admin, api.MemberInvite{Email: "EDITOR@a.example", Role: "viewer"}, api.CodeEmailTaken); e.ExistingID != editor.Actor.ID {
		t.Error(e.ExistingID)
	}
	other := w.Found("b")
	if in := teamtest.Call[api.MemberInvited](w, "team.invite", admin, api.MemberInvite{Email: other.User.Email, Role: "viewer"}); in.User.ID == other.User.ID {
		t.Error("another team's member is shown")
	}

	w.Refused("team.setRole", admin, api.MemberRole{ID: editor.Actor.ID, Role: "owner"}, api.CodeRoleRequired)
	w.Refused("team.setRole", admin, api.MemberRole{ID: owner.Actor.ID, Role: "viewer"}, api.CodeRoleRequired)
	w.Refused("team.remove", admin, api.MemberRef{ID: owner.Actor.ID}, api.CodeRoleRequired)
	w.Refused("team.setRole", owner, api.MemberRole{ID: owner.Actor.ID, Role: "viewer"}, api.CodeInvalidTransition)
	w.Refused("team.remove", owner, api.MemberRef{ID: owner.Actor.ID}, api.CodeInvalidTransition)
	w.Refused("team.remove", owner, api.MemberRef{ID: other.User.ID}, api.CodeNotFound)
	w.Refused("team.setRole", owner, api.MemberRole{ID: other.User.ID, Role: "viewer"}, api.CodeNotFound)

	teamtest.Call[api.User](w, "team.setRole", owner, api.MemberRole{ID: admin.Actor.ID, Role: "owner"})
	teamtest.Call[api.User](w, "team.setRole", owner, api.MemberRole{ID: owner.Actor.ID, Role: "viewer"})
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
	in := teamtest.Call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "editor"})
	_, link, _ := strings.Cut(in.Link, "token=")
	s := teamtest.Call[api.Session](w, "auth.login", teamtest.From(teamtest.Home), api.Login{LinkToken: link, NewPassword: teamtest.Password})
	w.Caller(s.Token)
	teamtest.Call[api.None](w, "team.remove", owner, api.MemberRef{ID: in.User.ID})
	if _, err := w.Access.AuthenticateSession(t.Context(), s.Token, teamtest.Home, ""); w.Code(err) != api.CodeSessionRequired {
		t.Fatal(err)
	}
	w.Refused("auth.login", teamtest.From(teamtest.Home), api.Login{Email: "e@a.example", Password: teamtest.Password}, api.CodeInvalidCredentials)
	err := w.Store.View(t.Context(), func(tx kv.Tx) error {
		_, err := w.Teams.UserName(tx, owner.Team, in.User.ID)
		return err
	})
	if w.Code(err) != api.CodeNotFound {
		t.Fatal(err)
	}
	// The address is free again.
	teamtest.Call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "viewer"})
}

func TestRoleCountsFromTheNextRequestOn(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	in := teamtest.Call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "admin"})
	s := teamtest.Call[api.Session](w, "auth.login", teamtest.From(teamtest.Home), api.Login{LinkToken: in.Link[strings.Index(in.Link, "link_"):]})
	teamtest.Call[api.User](w, "team.setRole", owner, api.MemberRole{ID: in.User.ID, Role: "viewer"})
	if who := w.Caller(s.Token); who.Role != op.Viewer || who.Scopes&op.PostsWrite != 0 {
		t.Fatalf("%+v", who)
	}
}

// TestEveryPrivilegedActIsAudited runs each operation that changes something and
// looks for its entry, so that a row without one is found.
func TestEveryPrivilegedActIsAudited(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	key := teamtest.Call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "ci"})
	teamtest.Call[api.Key](w, "apiKeys.update", owner, map[string]any{"id": key.ID, "name": "cd"})
	teamtest.Call[api.Key](w, "apiKeys.roll", owner, api.KeyRoll{ID: key.ID})
	teamtest.Call[api.Key](w, "apiKeys.revoke", owner, api.KeyRef{ID: key.ID})
	editor := w.Join(owner, "e@a.example", "editor")
	teamtest.Call[api.User](w, "team.setRole", owner, api.MemberRole{ID: editor.Actor.ID, Role: "viewer"})
	teamtest.Call[api.None](w, "auth.revokeSession", owner, api.SessionRef{ID: editor.Credential})
	teamtest.Call[api.None](w, "team.remove", owner, api.MemberRef{ID: editor.Actor.ID})
	teamtest.Call[api.Team](w, "team.update", owner, map[string]any{"name": "B"})
	teamtest.Call[api.Brand](w, "team.brand.update", owner, api.Brand{Voice: "calm"})
	teamtest.Call[api.PublicSite](w, "site.update", owner, map[string]any{"title": "News"})
	site := teamtest.Call[api.Site](w, "sites.create", owner, api.SiteCreate{Name: "Shop"})
	teamtest.Call[api.Site](w, "sites.update", owner, map[string]any{"id": site.ID, "name": "Store"})
	teamtest.Call[api.SiteSecretRolled](w, "sites.rotateSecret", owner, api.SiteRef{ID: site.ID})
	teamtest.Call[api.None](w, "sites.delete", owner, api.SiteRef{ID: site.ID})
	teamtest.Call[api.None](w, "auth.changePassword", owner, api.PasswordChange{Current: teamtest.Password, New: "another one!"})
	for range 10 {
		w.Refused("auth.login", teamtest.From("198.51.100.7"), api.Login{Email: "owner@a.example", Password: "wrong one"}, api.CodeInvalidCredentials)
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
	last := teamtest.Call[api.Page[api.AuditEntry]](w, "team.auditLog", owner, map[string]any{"limit": 2}).Data[1]
	if last.Action != "auth.changePassword" || last.Actor != owner.Actor || last.RequestID != "req_1" || last.Target != owner.Actor.ID {
		t.Errorf("%+v", last)
	}
	w.Must(w.Store.View(t.Context(), func(tx kv.Tx) error { return team.VerifyAudit(tx, owner.Team) }))
	w.Refused("team.auditLog", w.Join(owner, "e@a.example", "editor"), api.None{}, api.CodeRoleRequired)
}

func TestARefusedActLeavesNoEntry(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	w.Found("b")
	before := w.Actions(owner)
	w.Refused("team.update", owner, map[string]any{"slug": "b"}, api.CodeSlugTaken)
	w.Refused("team.remove", owner, api.MemberRef{ID: owner.Actor.ID}, api.CodeInvalidTransition)
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
			for _, e := range teamtest.Call[api.Page[api.AuditEntry]](w, "team.auditLog", owner, map[string]any{"order": "asc"}).Data {
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
	secrets := []string{b.Key.Secret, b.LinkToken, teamtest.Password, "the wrong password", "yet another one"}
	res, refusal := w.Table.Call(t.Context(), op.Request{
		Op: w.Table.Lookup("apiKeys.create"), Caller: owner, IdempotencyKey: "once", Args: op.Args{Body: []byte(`{"name":"ci"}`)},
	})
	if refusal != nil {
		t.Fatal(refusal)
	}
	key := res.Value.(api.Key)
	rolled := teamtest.Call[api.Key](w, "apiKeys.roll", owner, api.KeyRoll{ID: key.ID, GraceHours: 1})
	in := teamtest.Call[api.MemberInvited](w, "team.invite", owner, api.MemberInvite{Email: "e@a.example", Role: "editor"})
	w.Refused("auth.login", teamtest.From(teamtest.Home), api.Login{Email: "owner@a.example", Password: "the wrong password"}, api.CodeInvalidCredentials)
	session := teamtest.Call[api.Session](w, "auth.login", teamtest.From(teamtest.Home), api.Login{Email: "owner@a.example", Password: teamtest.Password})
	teamtest.Call[api.None](w, "auth.changePassword", owner, api.PasswordChange{Current: teamtest.Password, New: "yet another one"})
	for _, s := range []string{key.Secret, rolled.Secret, session.Token, in.Link[strings.Index(in.Link, "link_"):]} {
		if len(s) < 40 {
			t.Fatalf("%q is no secret", s)
		}
		secrets = append(secrets, s)
	}

	var later bytes.Buffer
	for _, name := range []string{"apiKeys.list", "auth.session", "auth.sessions", "team.members", "team.auditLog", "team.get", "me.get"} {
		out, err := w.Try(name, owner, api.None{})
		if err != nil {
			t.Fatal(name, err)
		}
		j, _ := json.Marshal(out)
		later.Write(j)
	}
	stored, err := os.ReadFile(w.Path)
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
	key, err := w.Access.Authenticate(t.Context(), b.Key.Secret, teamtest.Home)
	w.Must(err)
	owner := w.Enter(b.LinkToken)
	viewer := w.Join(owner, "v@a.example", "viewer")
	for _, o := range w.Table.Ops {
		if o.Session == 0 {
			continue
		}
		w.Refused(o.Name, key, api.None{}, api.CodeSessionRequired)
		w.Refused(o.Name, op.Caller{Address: teamtest.Home}, api.None{}, api.CodeSessionRequired)
		if o.Session > op.Viewer {
			w.Refused(o.Name, viewer, api.None{}, api.CodeRoleRequired)
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
	_, err := w.Access.Authenticate(ctx, b.Key.Secret, teamtest.Home)
	w.Must(err)
	cancel()
	w.Must(w.Access.Run(ctx))
	owner := w.Enter(b.LinkToken)
	if k := teamtest.Call[api.Page[api.Key]](w, "apiKeys.list", owner, api.None{}).Data[0]; k.LastUsedAt != api.TimeOf(w.Now()) {
		t.Fatal(k.LastUsedAt)
	}
}
