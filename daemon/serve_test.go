package daemon_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
)

// TestTLS serves HTTPS with a certificate of its own, HTTP/1.1 only, and sets
// the session cookie Secure.
func TestTLS(t *testing.T) {
	cert, key, pool := selfSigned(t)
	in := start(t, func(c *daemon.Config) { c.TLSCert, c.TLSKey = cert, key })
	config := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	conn, err := tls.Dial("tcp", in.Addr, config)
	if err != nil {
		t.Fatal(err)
	}
	if proto := conn.ConnectionState().NegotiatedProtocol; proto != "http/1.1" {
		t.Errorf("negotiated %q", proto)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	_, token, _ := strings.Cut(in.A.SignInLink, "token=")
	res, err := client.Post("https://"+in.Addr+"/svc-api/trpc/auth.login", "application/json",
		strings.NewReader(`{"json":{"linkToken":"`+token+`","newPassword":"correct horse battery"}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if c := res.Cookies(); len(c) != 1 || !c[0].Secure || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode {
		t.Errorf("%s, cookies %v", res.Status, c)
	}
	if !strings.HasPrefix(in.A.SignInLink, "https://") {
		t.Errorf("the link is %s", in.A.SignInLink)
	}
	client.CloseIdleConnections()
}

// selfSigned writes a certificate for 127.0.0.1 and its key.
func selfSigned(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	if err := os.WriteFile(certFile, certPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, keyPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, pool
}

// TestAdminListener shows figures to loopback names only.
func TestAdminListener(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	admin := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	in := start(t, func(c *daemon.Config) { c.Admin = admin })
	in.post(t, in.A.Key, `{"title":"counted","content":"x"}`)
	other := *in
	other.URL = "http://" + admin
	got := other.send(t, "GET", "/metrics", "", "")
	for _, want := range []string{`svc_operation_seconds_count{op="posts.create",status="201"} 1`, "svc_store_commits", "go_goroutines"} {
		if !strings.Contains(string(got.Body), want) {
			t.Errorf("no %s in the figures", want)
		}
	}
	if p := other.send(t, "GET", "/debug/pprof/goroutine?debug=1", "", ""); p.StatusCode != http.StatusNotFound || p.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("profiles are open to every user of the machine: %s", p.Status)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", other.URL+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.example"
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign name: %s", res.Status)
	}
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		if a := in.send(t, "GET", path, "", ""); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s on the public listener: %s", path, a.Status)
		}
	}
}

// TestRequestLog logs requests at the debug level with their id and without
// what the query holds.
func TestRequestLog(t *testing.T) {
	in := start(t)
	a := in.send(t, "GET", "/sign-in?token=link_secret", "", "", "X-Request-Id", "my-request-1")
	if a.StatusCode != http.StatusOK || a.Header.Get("X-Request-Id") != "my-request-1" {
		t.Errorf("%s, id %q", a.Status, a.Header.Get("X-Request-Id"))
	}
	if log := in.log.String(); !strings.Contains(log, "request=my-request-1") || strings.Contains(log, "link_secret") {
		t.Errorf("log:\n%s", log)
	}
	if h := in.send(t, "GET", "/readyz", "", ""); h.StatusCode != http.StatusOK || h.JSON(t)["status"] != "ok" {
		t.Errorf("readyz: %s %s", h.Status, h.Body)
	}
}

// TestBodyLimits lets a large body in only where a credential of the right kind
// comes with it.
func TestBodyLimits(t *testing.T) {
	in := start(t)
	text := strings.Repeat("x", 300<<10)
	session := in.session(t, in.A)
	for _, tc := range []struct {
		path, credential, body string
		status                 int
	}{
		{"/svc-api/trpc/posts.create", session, `{"json":{"title":"a","content":"` + text + `"}}`, 200},
		{"/svc-api/trpc/posts.create", in.A.Key, `{"json":{"title":"a","content":"` + text + `"}}`, 413},
		{"/svc-api/trpc/posts.create", "", `{"json":{"title":"a","content":"` + text + `"}}`, 413},
		{"/svc-api/v1/posts", in.A.Key, `{"title":"a","content":"` + text + `"}`, 201},
		{"/svc-api/v1/posts", session, `{"title":"a","content":"` + text + `"}`, 413},
		{"/svc-api/v1/posts", "", `{"title":"a","content":"` + text + `"}`, 413},
	} {
		if a := in.send(t, "POST", tc.path, tc.credential, tc.body); a.StatusCode != tc.status {
			t.Errorf("%s with %.5s…: %s, want %d: %.200s", tc.path, tc.credential, a.Status, tc.status, a.Body)
		}
	}
}
