package access_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/team/teamtest"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

func session(w *teamtest.World, token api.Secret) (op.Caller, api.Code) {
	who, err := w.Access.AuthenticateSession(w.Context(), string(token), teamtest.Home, "test")
	return who, w.Code(err)
}

func byPassword(email string, text api.Secret) api.Login {
	return api.Login{Email: email, Password: text}
}

func TestLinkSignsInOnce(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	link := api.Login{LinkToken: b.LinkToken}
	for new, want := range map[api.Secret]string{"short": "too_short", "owner@A.example": "not_allowed"} {
		e := w.As(teamtest.From(teamtest.Home)).Refused(api.CodeValidationFailed, "auth.login", api.Login{LinkToken: b.LinkToken, NewPassword: new})
		if e.Errors[0].Code != want || e.Pointer() != "/newPassword" {
			t.Fatalf("%+v", e.Errors)
		}
	}
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: b.LinkToken, NewPassword: teamtest.Password})
	if !strings.HasPrefix(string(s.Token), "sess_") || len(s.Token) != 48 || !s.Current || s.Team.ID != b.Team.ID || s.User.State != "active" || s.Address != teamtest.Home {
		t.Fatalf("%+v", s)
	}
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", link)
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", api.Login{LinkToken: "link_nonsense"})
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeValidationFailed, "auth.login", api.None{})

	late := w.Found("late")
	w.Pass(72 * time.Hour)
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", api.Login{LinkToken: late.LinkToken})
}

func TestAnotherLinkReplacesTheFirst(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	owner := w.Enter(b.LinkToken)
	invite := api.MemberInvite{Email: "e@a.example", Role: "admin"}
	first := optest.Must[api.MemberInvited](w.As(owner), "team.invite", invite)
	invite.Role = "viewer"
	second := optest.Must[api.MemberInvited](w.As(owner), "team.invite", invite)
	if second.User.ID != first.User.ID || second.User.Role != "admin" || second.Expire != api.TimeOf(w.Now().Add(72*time.Hour)) {
		t.Fatalf("%+v", second)
	}
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", api.Login{LinkToken: teamtest.TokenOf(first.Link)})
	admin := w.Enter(teamtest.TokenOf(second.Link))
	w.As(owner).Refused(api.CodeEmailTaken, "team.invite", invite)

	// An owner who has not come yet: their link would make its maker an owner.
	optest.Must[api.MemberInvited](w.As(owner), "team.invite", api.MemberInvite{Email: "o@a.example", Role: "admin"})
	page := optest.Must[api.Page[api.User]](w.As(owner), "team.members", api.None{})
	optest.Must[api.User](w.As(owner), "team.setRole", api.MemberRole{ID: page.Data[0].ID, Role: "owner"})
	w.As(admin).Refused(api.CodeEmailTaken, "team.invite", api.MemberInvite{Email: "o@a.example", Role: "viewer"})
	optest.Must[api.MemberInvited](w.As(owner), "team.invite", api.MemberInvite{Email: "o@a.example", Role: "viewer"})
}

func TestPasswordSignsIn(t *testing.T) {
	w := teamtest.New(t)
	first := w.Enter(w.Found("a").LinkToken)
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword(" OWNER@a.example", teamtest.Password))
	if s.ID == first.Credential {
		t.Fatal("the same session twice")
	}
	who := w.Caller(s.Token)
	if who.Kind != op.Session || who.Role != op.Owner || who.Scopes != op.AllScopes || who.Credential != s.ID || who.ExpiresAt != s.ExpiresAt {
		t.Fatalf("%+v", who)
	}
	for _, in := range []api.Login{byPassword("owner@a.example", "wrong"), byPassword("nobody@a.example", teamtest.Password)} {
		if e := w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", in); e.Detail == "" {
			t.Fatal(e)
		}
	}
	// Nobody signs in to an account that has no password yet.
	w.Found("new")
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeValidationFailed, "auth.login", byPassword("owner@new.example", ""))
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", byPassword("owner@new.example", "0"))
}

// TestTenFailuresSlowANetwork: after ten failures each further attempt from there
// waits twice as long, for an account that is there and for one that is not; the
// right password is never refused elsewhere, nor there after the wait.
func TestTenFailuresSlowANetwork(t *testing.T) {
	for _, email := range []string{"owner@a.example", "nobody@a.example"} {
		t.Run(email, func(t *testing.T) {
			w := teamtest.New(t)
			w.Enter(w.Found("a").LinkToken)
			for i := range 10 {
				in := byPassword(email, "wrong")
				if i == 5 {
					in = api.Login{LinkToken: "link_wrong"}
				}
				w.As(teamtest.From("198.51.100."+strconv.Itoa(i))).Refused(api.CodeInvalidCredentials, "auth.login", in)
			}
			for _, wait := range []int{1, 2, 4, 8} {
				if e := w.As(teamtest.From("198.51.100.99")).Refused(api.CodeRateLimited, "auth.login", byPassword(email, teamtest.Password)); e.RetryAfter != wait {
					t.Fatalf("wait %d, not %d", e.RetryAfter, wait)
				}
				w.Pass(time.Duration(wait) * time.Second)
				w.As(teamtest.From("198.51.100.99")).Refused(api.CodeInvalidCredentials, "auth.login", byPassword(email, "wrong"))
			}
			optest.Must[api.Session](w.As(teamtest.From("203.0.113.1")), "auth.login", byPassword("owner@a.example", teamtest.Password))
			w.Pass(16 * time.Second)
			optest.Must[api.Session](w.As(teamtest.From("198.51.100.99")), "auth.login", byPassword("owner@a.example", teamtest.Password))
			w.As(teamtest.From("198.51.100.99")).Refused(api.CodeRateLimited, "auth.login", byPassword("other@a.example", "wrong")) // a success buys no guesses at others
			w.Pass(2 * time.Hour)
			for range 10 {
				w.As(teamtest.From("198.51.100.99")).Refused(api.CodeInvalidCredentials, "auth.login", byPassword(email, "wrong"))
			}
		})
	}
}

// TestKnownNetworkDoesNotWait: a neighbour's guesses keep nobody out who has signed
// in from the network before, not even after that session's end, and are told.
func TestKnownNetworkDoesNotWait(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	other := w.Enter(w.Found("b").LinkToken)
	optest.Must[api.None](w.As(owner), "auth.logout", api.None{})
	for range 15 {
		w.As(teamtest.From("192.0.2.200")).Refused(api.CodeInvalidCredentials, "auth.login", byPassword("owner@a.example", "wrong"))
	}
	for i := range 10 {
		w.As(teamtest.From("192.0.2.200")).Refused(api.CodeInvalidCredentials, "auth.login", byPassword("x"+strconv.Itoa(i)+"@a.example", "wrong"))
	}
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeRateLimited, "auth.login", byPassword("nobody@a.example", "wrong"))
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword("owner@a.example", teamtest.Password))
	w.Must(w.Access.Flush(t.Context()))
	count := func(who op.Caller) (n int) {
		for _, action := range w.Actions(who) {
			if action == "auth.lockout" {
				n++
			}
		}
		return n
	}
	if a, b := count(w.Caller(s.Token)), count(other); a != 1 || b != 0 {
		t.Errorf("told %d times, the other team %d times", a, b)
	}
}

// TestLockoutsDoNotFillTheAuditLog attacks an account from more networks than the
// audit log tells of in a day. The next day it tells again.
func TestLockoutsDoNotFillTheAuditLog(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	attack := func(networks int) int {
		t.Helper()
		for i := range networks {
			address := fmt.Sprintf("198.51.%d.1", i)
			for range 10 {
				w.As(teamtest.From(address)).Refused(api.CodeInvalidCredentials, "auth.login", byPassword("owner@a.example", "wrong"))
			}
		}
		w.Must(w.Access.Flush(t.Context()))
		all := optest.Must[api.Page[api.AuditEntry]](w.As(owner), "team.auditLog", map[string]any{"limit": 100}).Data
		return len(slices.DeleteFunc(all, func(e api.AuditEntry) bool { return e.Action != "auth.lockout" }))
	}
	if n := attack(60); n != 50 {
		t.Errorf("%d lock-outs are told, not 50", n)
	}
	w.Pass(24 * time.Hour)
	if n := attack(1); n != 51 {
		t.Errorf("%d with the next day's", n)
	}
}

// TestNobodyFlushesADelay fills the table of failures from more networks than it
// holds: the one that has to wait still has to.
func TestNobodyFlushesADelay(t *testing.T) {
	w := teamtest.New(t)
	w.Enter(w.Found("a").LinkToken)
	for range 10 {
		w.As(teamtest.From("198.51.100.1")).Refused(api.CodeInvalidCredentials, "auth.login", byPassword("owner@a.example", "wrong"))
	}
	for i := range 60_000 {
		address := fmt.Sprintf("2001:db8:%x:%x::1", i>>8, i&0xff)
		_, err := w.Access.Login(t.Context(), teamtest.From(address), api.Login{LinkToken: "link_wrong"})
		if w.Code(err) != api.CodeInvalidCredentials {
			t.Fatal(err)
		}
	}
	w.As(teamtest.From("198.51.100.1")).Refused(api.CodeRateLimited, "auth.login", byPassword("owner@a.example", teamtest.Password))
}

// TestManyAttemptsAtOnceAreNoWayAround counts how many of a crowd were looked at.
func TestManyAttemptsAtOnceAreNoWayAround(t *testing.T) {
	w := teamtest.New(t)
	w.Enter(w.Found("a").LinkToken)
	var seen atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := optest.Call[any](w, teamtest.From("198.51.100.1"), "auth.login", byPassword("owner@a.example", "wrong")); err.Code == api.CodeInvalidCredentials {
				seen.Add(1)
			}
		})
	}
	wg.Wait()
	if seen.Load() != 10 {
		t.Fatal(seen.Load())
	}
}

func TestSessionEnds(t *testing.T) {
	day := 24 * time.Hour
	for name, row := range map[string]struct {
		every time.Duration // between uses
		times int
		want  api.Code
	}{
		"used within the week":     {7*day - time.Second, 4, ""},
		"idle for a week":          {7 * day, 1, api.CodeSessionRequired},
		"used daily for 29 days":   {day, 29, ""},
		"used daily for 30 days":   {day, 30, api.CodeSessionRequired},
		"the clock stepped back":   {-day, 1, api.CodeSessionRequired},
		"the clock wavered":        {-time.Minute, 1, ""},
		"the clock jumped to 2106": {80 * 365 * day, 1, api.CodeSessionRequired},
	} {
		t.Run(name, func(t *testing.T) {
			w := teamtest.New(t)
			s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: w.Found("a").LinkToken})
			var code api.Code
			for range row.times {
				if code != "" {
					t.Fatal("ended early:", code)
				}
				w.Pass(row.every)
				_, code = session(w, s.Token)
			}
			if code != row.want {
				t.Fatalf("%q", code)
			}
		})
	}
}

// TestUseUnderAWrongClockExtendsNothing: the renewal that a clock gave which ran
// ahead does not outlive its correction.
func TestUseUnderAWrongClockExtendsNothing(t *testing.T) {
	w := teamtest.New(t)
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: w.Found("a").LinkToken})
	w.Pass(6 * 24 * time.Hour)
	if _, code := session(w, s.Token); code != "" {
		t.Fatal(code)
	}
	w.Pass(-6 * 24 * time.Hour)
	if _, code := session(w, s.Token); code != api.CodeSessionRequired {
		t.Fatal(code)
	}
}

func TestSessionIsRenewedAtMostHourly(t *testing.T) {
	w := teamtest.New(t)
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: w.Found("a").LinkToken})
	w.Pass(59 * time.Minute)
	if who, _ := session(w, s.Token); who.ExpiresAt != s.ExpiresAt {
		t.Fatal("renewed after 59 minutes")
	}
	w.Pass(time.Minute)
	if who, _ := session(w, s.Token); who.ExpiresAt != s.ExpiresAt+api.Time(time.Hour/time.Millisecond) {
		t.Fatal(who.ExpiresAt)
	}
}

func TestSessionsAreListedAndRevoked(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	second := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword("owner@a.example", teamtest.Password))
	editor := w.Invite(owner, "e@a.example", "editor")
	admin := w.Invite(owner, "ad@a.example", "admin")
	page := optest.Must[api.Page[api.Session]](w.As(owner), "auth.sessions", api.None{})
	if len(page.Data) != 2 || page.Data[0].ID != second.ID || page.Data[0].Current || !page.Data[1].Current || page.Data[0].UserAgent != "test" {
		t.Fatalf("%+v", page)
	}
	viewer := w.Invite(owner, "v@a.example", "viewer")
	w.As(editor).Refused(api.CodeNotFound, "auth.revokeSession", api.SessionRef{ID: second.ID})
	w.As(editor).Refused(api.CodeNotFound, "auth.revokeSession", api.SessionRef{ID: viewer.Credential})
	w.As(admin).Refused(api.CodeNotFound, "auth.revokeSession", api.SessionRef{ID: second.ID}) // an owner's
	stranger := w.Enter(w.Found("b").LinkToken)
	w.As(stranger).Refused(api.CodeNotFound, "auth.revokeSession", api.SessionRef{ID: second.ID})
	if _, code := session(w, second.Token); code != "" {
		t.Fatal(code)
	}
	optest.Must[api.None](w.As(owner), "auth.revokeSession", api.SessionRef{ID: second.ID})
	if _, code := session(w, second.Token); code != api.CodeSessionRequired {
		t.Fatal(code)
	}
	optest.Must[api.None](w.As(admin), "auth.revokeSession", api.SessionRef{ID: editor.Credential})
	w.As(editor).Refused(api.CodeNotFound, "auth.session", api.None{})
}

func TestLogout(t *testing.T) {
	w := teamtest.New(t)
	s := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: w.Found("a").LinkToken})
	who := w.Caller(s.Token)
	if got := optest.Must[api.Session](w.As(who), "auth.session", api.None{}); got.ID != s.ID || !got.Current || got.Token != "" {
		t.Fatalf("%+v", got)
	}
	optest.Must[api.None](w.As(who), "auth.logout", api.None{})
	if _, code := session(w, s.Token); code != api.CodeSessionRequired {
		t.Fatal(code)
	}
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	w := teamtest.New(t)
	first := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: w.Found("a").LinkToken})
	who := w.Caller(first.Token)
	// Signed in by link, there is no current password to know.
	optest.Must[api.None](w.As(who), "auth.changePassword", api.PasswordChange{Current: "none", New: teamtest.Password})
	second := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword("owner@a.example", teamtest.Password))

	if e := w.As(who).Refused(api.CodeValidationFailed, "auth.changePassword", api.PasswordChange{Current: "wrong", New: "long enough"}); e.Pointer() != "/currentPassword" {
		t.Fatal(e.Pointer())
	}
	w.As(who).Refused(api.CodeValidationFailed, "auth.changePassword", api.PasswordChange{Current: teamtest.Password, New: "owner@a.example"})
	optest.Must[api.None](w.As(who), "auth.changePassword", api.PasswordChange{Current: teamtest.Password, New: "long enough"})
	if _, code := session(w, first.Token); code != "" {
		t.Fatal(code)
	}
	if _, code := session(w, second.Token); code != api.CodeSessionRequired {
		t.Fatal(code)
	}
	w.As(teamtest.From(teamtest.Home)).Refused(api.CodeInvalidCredentials, "auth.login", byPassword("owner@a.example", teamtest.Password))
	optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword("owner@a.example", "long enough"))
}

// TestStolenSessionCannotGuessThePassword: guesses at the current password count
// as attempts to sign in.
func TestStolenSessionCannotGuessThePassword(t *testing.T) {
	w := teamtest.New(t)
	who := w.Enter(w.Found("a").LinkToken)
	for range 10 {
		w.As(who).Refused(api.CodeValidationFailed, "auth.changePassword", api.PasswordChange{Current: "wrong", New: "long enough"})
	}
	w.As(who).Refused(api.CodeRateLimited, "auth.changePassword", api.PasswordChange{Current: teamtest.Password, New: "long enough"})
}

func TestWrongSessionTokensAreLimited(t *testing.T) {
	w := teamtest.New(t)
	for i := range 11 {
		want := api.CodeSessionRequired
		if i == 10 {
			want = api.CodeRateLimited
		}
		if _, code := session(w, "sess_wrong"); code != want {
			t.Fatalf("attempt %d: %q", i, code)
		}
	}
}

func TestSweepLeavesWhatIsInUse(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	old := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: b.LinkToken, NewPassword: teamtest.Password})
	w.Found("b") // its link is not used
	optest.Must[api.MemberInvited](w.As(w.Caller(old.Token)), "team.invite", api.MemberInvite{Email: "e@a.example", Role: "viewer"})
	w.Pass(8 * 24 * time.Hour)
	live := optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword("owner@a.example", teamtest.Password))
	c := w.Found("c")
	w.Must(w.Access.Sweep(t.Context()))
	count := map[string]int{}
	w.Must(w.Store.View(t.Context(), func(tx kv.Tx) error {
		for _, name := range []string{"session", "token", "link"} {
			if err := tx.Scan(kv.Prefix(kv.Key(name, "r")), func(_, _ []byte) error { count[name]++; return nil }); err != nil {
				return err
			}
		}
		return nil
	}))
	if count["session"] != 1 || count["token"] != 1 || count["link"] != 1 {
		t.Fatal(count)
	}
	if _, code := session(w, live.Token); code != "" {
		t.Fatal(code)
	}
	if _, code := session(w, old.Token); code != api.CodeSessionRequired {
		t.Fatal(code)
	}
	w.Enter(c.LinkToken)
	again := optest.Must[api.MemberInvited](w.As(w.Caller(live.Token)), "team.invite", api.MemberInvite{Email: "e@a.example", Role: "viewer"})
	w.Enter(teamtest.TokenOf(again.Link))
}

// TestSweepStepsOver has a session, a link and their followers of which the first
// cannot be read.
func TestSweepStepsOver(t *testing.T) {
	w := teamtest.New(t)
	a := w.Found("a")
	w.Found("b")
	optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", api.Login{LinkToken: a.LinkToken, NewPassword: teamtest.Password})
	w.Damage("session", "")
	w.Damage("link", "")
	w.Pass(time.Second)
	w.Found("c")
	optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword("owner@a.example", teamtest.Password))
	count := func() (sessions, links int) {
		w.Must(w.Store.View(t.Context(), func(tx kv.Tx) error {
			sessions, links = 0, 0
			return errors.Join(
				tx.Scan(kv.Prefix(kv.Key("session", "r")), func(_, _ []byte) error { sessions++; return nil }),
				tx.Scan(kv.Prefix(kv.Key("link", "r")), func(_, _ []byte) error { links++; return nil }))
		}))
		return sessions, links
	}
	if sessions, links := count(); sessions != 2 || links != 2 {
		t.Fatal(sessions, links)
	}
	w.Pass(40 * 24 * time.Hour)
	w.Must(w.Access.Sweep(t.Context()))
	if sessions, links := count(); sessions != 1 || links != 1 {
		t.Errorf("%d sessions and %d links are left; one of each cannot be read", sessions, links)
	}
}

// TestLockoutsWait: what a store did not take is written when it does.
func TestLockoutsWait(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	for range 10 {
		w.As(teamtest.From("198.51.100.1")).Refused(api.CodeInvalidCredentials, "auth.login", byPassword("owner@a.example", "wrong"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Access.Flush(ctx); err == nil {
		t.Fatal("nothing failed")
	}
	w.Must(w.Access.Flush(t.Context()))
	if all := w.Actions(owner); !slices.Contains(all, "auth.lockout") {
		t.Errorf("%v", all)
	}
}

// TestCrowdAtTheDoorGivesUp: a login that cannot be served gives up with its
// request, and is not counted as a failure.
func TestCrowdAtTheDoorGivesUp(t *testing.T) {
	w := teamtest.New(t)
	w.Enter(w.Found("a").LinkToken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, err := w.Access.Login(ctx, teamtest.From(teamtest.Home), byPassword("owner@a.example", teamtest.Password))
		if err == nil || w.Code(err) != api.CodeOverloaded && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	optest.Must[api.Session](w.As(teamtest.From(teamtest.Home)), "auth.login", byPassword("owner@a.example", teamtest.Password))
}
