package daemon_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon"
)

// member invites somebody and signs them in by their link.
func (in *instance) member(t testing.TB, owner, name, role string) (id, token string) {
	t.Helper()
	made := in.procedure(t, "team.invite", owner, `{"email":"`+name+`@example.test","role":"`+role+`"}`).JSON(t)
	_, link, _ := strings.Cut(made["link"].(string), "token=")
	s := in.procedure(t, "auth.login", "", `{"linkToken":"`+link+`","newPassword":"correct horse battery"}`).JSON(t)
	return made["user"].(map[string]any)["id"].(string), s["token"].(string)
}

func query(name string) string { return "/svc-api/trpc/" + name }

// TestSessionsEndWithinARequest ends a session that is in use in every way that
// there is: no request that begins after the answer gets in (abuse case T16).
func TestSessionsEndWithinARequest(t *testing.T) {
	in := start(t, func(c *daemon.Config) { c.Limits, c.BehindProxy = append(c.Limits, "trpc=0"), true })
	owner := in.session(t, in.A)
	for i, c := range []struct{ name, by, op, body string }{
		{"logout", "self", "auth.logout", `{}`},
		{"password change elsewhere", "other", "auth.changePassword", `{"currentPassword":"correct horse battery","newPassword":"another horse battery"}`},
		{"revoked elsewhere", "other", "auth.revokeSession", `{"id":"%[2]s"}`},
		{"removal", "owner", "team.remove", `{"id":"%[1]s"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			email := fmt.Sprintf("member%d", i)
			user, token := in.member(t, owner, email, "editor")
			id := in.procedure(t, "auth.session", token, `{}`).JSON(t)["id"].(string)
			by := map[string]string{"self": token, "owner": owner}[c.by]
			if c.by == "other" {
				by = in.procedure(t, "auth.login", "", `{"email":"`+email+`@example.test","password":"correct horse battery"}`).JSON(t)["token"].(string)
			}
			letIn := in.during(t, token, func() {
				if a := in.procedure(t, c.op, by, strings.NewReplacer("%[1]s", user, "%[2]s", id).Replace(c.body)); a.StatusCode != 200 {
					t.Errorf("%s: %s %s", c.op, a.Status, a.Body)
				}
			})
			if letIn > 0 {
				t.Errorf("%d requests got in afterwards", letIn)
			}
			if a := in.send(t, "GET", query("auth.session"), token, "", "X-Forwarded-For", fmt.Sprint("192.0.2.", 1+i)); a.StatusCode != 401 {
				t.Errorf("afterwards %s %s", a.Status, a.Body)
			}
			if c.by == "other" && in.send(t, "GET", query("auth.session"), by, "").StatusCode != 200 {
				t.Error("the session that ended the other ended too")
			}
		})
	}
}

// TestRolesChangeWithinARequest takes a role away from a session in use.
func TestRolesChangeWithinARequest(t *testing.T) {
	in := start(t, func(c *daemon.Config) { c.Limits = append(c.Limits, "trpc=0") })
	owner := in.session(t, in.A)
	user, token := in.member(t, owner, "editor", "editor")
	in.during(t, token, func() {
		if a := in.procedure(t, "team.setRole", owner, `{"id":"`+user+`","role":"viewer"}`); a.StatusCode != 200 {
			t.Errorf("%s %s", a.Status, a.Body)
		}
	})
	if a := in.procedure(t, "posts.create", token, `{"title":"x","content":"y"}`); a.StatusCode != 403 {
		t.Errorf("%s %s", a.Status, a.Body)
	}
}

// during runs change while the session is in use on four connections, and
// counts the requests that begin after change was answered and get in. An
// address that tries an ended session often is refused for that, too.
func (in *instance) during(t *testing.T, token string, change func()) (letIn int64) {
	t.Helper()
	var done atomic.Bool
	var count atomic.Int64
	var using conc.WaitGroup
	warm := make(chan struct{}, 4)
	for range 4 {
		using.Go(func() {
			for last := false; !last; {
				last = done.Load()
				a := in.send(t, "GET", query("auth.session"), token, "", "X-Forwarded-For", "198.51.100.1")
				if last && a.StatusCode == 200 {
					count.Add(1)
				}
				select {
				case warm <- struct{}{}:
				default:
				}
			}
		})
	}
	<-warm
	change()
	done.Store(true)
	using.Wait()
	return count.Load()
}
