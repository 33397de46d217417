package daemon_test

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
)

const hostCookie = "__Host-svc_session"

// TestAcceptHostCookie signs in where the public address is https: browsers must
// take the cookie from this host alone, and one that a neighbour below the same
// domain can plant is not looked at.
func TestAcceptHostCookie(t *testing.T) {
	for _, base := range []string{"https://blog.example", "HTTPS://blog.example"} {
		in := start(t, func(c *daemon.Config) { c.BaseURL, c.BehindProxy = base, true })
		a := in.ask(t, "auth.login", "", `{"linkToken":"`+strings.SplitAfter(in.A.SignInLink, "token=")[1]+`"}`)
		if a.StatusCode != 200 || len(a.Cookies()) != 1 {
			t.Fatalf("%s %v", a.Status, a.Cookies())
		}
		token := isHostCookie(t, a.Cookies()[0])
		for _, c := range []struct {
			cookie string
			status int
		}{
			{hostCookie + "=" + token, 200},
			{"svc_session=" + token, 401},
			{"svc_session=sess_planted; " + hostCookie + "=" + token, 200},
		} {
			if a := in.ask(t, "auth.session", "", `{}`, "Cookie", c.cookie); a.StatusCode != c.status {
				t.Errorf("%s: %s %s", c.cookie, a.Status, a.Body)
			}
		}
		large := `{"title":"Large","content":"` + strings.Repeat("a", 100<<10) + `"}`
		if a := in.ask(t, "posts.create", "", large, "Cookie", hostCookie+"="+token); a.StatusCode != 200 {
			t.Errorf("a large body: %s %s", a.Status, a.Body)
		}
		if a := in.ask(t, "posts.create", "", large, "Cookie", "svc_session="+token); a.StatusCode != 413 {
			t.Errorf("a large body from a stranger: %s %s", a.Status, a.Body)
		}
		a = in.ask(t, "auth.logout", "", `{}`, "Cookie", hostCookie+"="+token)
		if a.StatusCode != 200 || isHostCookie(t, a.Cookies()[0]) != "" || a.Cookies()[0].Expires.After(time.Now()) {
			t.Errorf("logout: %s %v", a.Status, a.Cookies())
		}
	}
}

// isHostCookie checks what browsers ask of that name, and returns the value.
func isHostCookie(t *testing.T, c *http.Cookie) string {
	t.Helper()
	if c.Name != hostCookie || !c.Secure || !c.HttpOnly || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode {
		t.Errorf("%v", c)
	}
	return c.Value
}

// TestHostCookieOverTLS does the same over TLS of the daemon's own, whatever the
// scheme of base-url.
func TestHostCookieOverTLS(t *testing.T) {
	in := start(t, func(c *daemon.Config) {
		cert, key := pair(t, "svc.example")
		c.BaseURL = "http://svc.example"
		c.TLSCert, c.TLSKey = filepath.Join(c.Data, "cert.pem"), filepath.Join(c.Data, "key.pem")
		for name, b := range map[string][]byte{c.TLSCert: cert, c.TLSKey: key} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // its own certificate
	defer client.CloseIdleConnections()
	body := `{"json":{"linkToken":"` + strings.SplitAfter(in.A.SignInLink, "token=")[1] + `"}}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+in.Addr+query("auth.login"), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 || len(res.Cookies()) != 1 {
		t.Fatalf("%s %v", res.Status, res.Cookies())
	}
	isHostCookie(t, res.Cookies()[0])
}
