package daemon_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestInviteDoesNotTellWhoSignsInElsewhere invites another team's owner and an
// address that nobody has: each step answers the same for both, until the link is
// used. The owner's account stays as it was.
func TestInviteDoesNotTellWhoSignsInElsewhere(t *testing.T) {
	in := start(t)
	admin, other := in.session(t, in.A), in.session(t, in.B)
	owner := in.ask(t, "auth.session", other, `{}`).JSON(t)["user"].(map[string]any)["id"]
	invite := func(email string) map[string]any {
		t.Helper()
		a := in.ask(t, "team.invite", admin, `{"email":"`+email+`","role":"editor"}`)
		if a.StatusCode != 200 {
			t.Fatalf("%s: %s %s", email, a.Status, a.Body)
		}
		return a.JSON(t)
	}
	user := func(made map[string]any) map[string]any { return made["user"].(map[string]any) }
	use := func(made map[string]any) answer {
		t.Helper()
		_, token, _ := strings.Cut(made["link"].(string), "token=")
		return in.ask(t, "auth.login", "", `{"linkToken":"`+token+`","newPassword":"taken over by a link"}`)
	}
	fields := func(v map[string]any) []string { return slices.Sorted(maps.Keys(v)) }

	elsewhere, nobody := invite("b@example.test"), invite("nobody@example.test")
	if !slices.Equal(fields(elsewhere), fields(nobody)) || !slices.Equal(fields(user(elsewhere)), fields(user(nobody))) ||
		user(elsewhere)["state"] != user(nobody)["state"] || user(elsewhere)["id"] == owner {
		t.Errorf("%v\n%v", elsewhere, nobody)
	}
	for _, made := range []map[string]any{elsewhere, nobody} {
		if again := invite(user(made)["email"].(string)); user(again)["id"] != user(made)["id"] {
			t.Errorf("another link made another member: %v", again)
		}
		if a := in.ask(t, "team.setRole", admin, `{"id":"`+user(made)["id"].(string)+`","role":"viewer"}`); a.StatusCode != 200 {
			t.Errorf("setRole: %s %s", a.Status, a.Body)
		}
	}
	if n := len(in.ask(t, "team.members", admin, `{}`).JSON(t)["data"].([]any)); n != 3 {
		t.Errorf("%d members", n)
	}

	for range 2 {
		if a := use(invite("b@example.test")); a.StatusCode != 409 || a.JSON(t)["code"] != "email_taken" {
			t.Errorf("the link: %s %s", a.Status, a.Body)
		}
	}
	unharmed := func() {
		t.Helper()
		if a := in.ask(t, "auth.session", other, `{}`); a.StatusCode != 200 {
			t.Errorf("the owner's session: %s %s", a.Status, a.Body)
		}
		a := in.ask(t, "auth.login", "", `{"email":"b@example.test","password":"correct horse battery"}`)
		if a.StatusCode != 200 || a.JSON(t)["team"].(map[string]any)["slug"] != "team-b" {
			t.Errorf("the owner's password: %s %s", a.Status, a.Body)
		}
	}
	unharmed()
	if a := in.ask(t, "team.remove", admin, `{"id":"`+user(elsewhere)["id"].(string)+`"}`); a.StatusCode != 200 {
		t.Errorf("remove: %s %s", a.Status, a.Body)
	}
	unharmed()
	if a := in.ask(t, "team.invite", admin, `{"email":"a@example.test","role":"viewer"}`); a.StatusCode != 409 || a.JSON(t)["existingId"] == nil {
		t.Errorf("the team's own member: %s %s", a.Status, a.Body)
	}
}

// TestInvitationWaitsForTheAddress uses a link once its address was given up in
// the other team.
func TestInvitationWaitsForTheAddress(t *testing.T) {
	in := start(t)
	ours, theirs := in.session(t, in.A), in.session(t, in.B)
	id, _ := in.member(t, theirs, "mover", "editor")
	_, link, _ := strings.Cut(in.ask(t, "team.invite", ours, `{"email":"mover@example.test","role":"viewer"}`).JSON(t)["link"].(string), "token=")
	use := `{"linkToken":"` + link + `","newPassword":"another horse battery"}`
	if a := in.ask(t, "auth.login", "", use); a.StatusCode != 409 {
		t.Errorf("too early: %s %s", a.Status, a.Body)
	}
	in.ask(t, "team.remove", theirs, `{"id":"`+id+`"}`)
	if a := in.ask(t, "auth.login", "", use); a.StatusCode != 200 {
		t.Fatalf("%s %s", a.Status, a.Body)
	}
	a := in.ask(t, "auth.login", "", `{"email":"mover@example.test","password":"another horse battery"}`)
	if a.StatusCode != 200 || a.JSON(t)["team"].(map[string]any)["slug"] != "team-a" {
		t.Errorf("by password: %s %s", a.Status, a.Body)
	}
	if a := in.ask(t, "team.invite", ours, `{"email":"mover@example.test","role":"viewer"}`); a.StatusCode != 409 {
		t.Errorf("invited again: %s %s", a.Status, a.Body)
	}
}
