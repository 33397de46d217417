package daemon_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
)

// pair makes a certificate for host, as PEM files' content.
func pair(t *testing.T, host string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: serial, DNSNames: []string{host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	ec, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: ec})
}

// shown is the certificate that the daemon shows to a client of host.
func (in *instance) shown(t *testing.T, host string) ([]byte, error) {
	t.Helper()
	c, err := tls.Dial("tcp", in.Addr, &tls.Config{ServerName: host, InsecureSkipVerify: true}) // looked at below
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0].Raw, nil
}

// TestRenewedCertificate replaces the files of a running daemon, at first with
// one of them only.
func TestRenewedCertificate(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(name+".new", b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
	}
	oldCert, oldKey := pair(t, "svc.example")
	put(certFile, oldCert)
	put(keyFile, oldKey)
	in := start(t, func(c *daemon.Config) { c.TLSCert, c.TLSKey = certFile, keyFile })
	want := func(cert []byte) {
		t.Helper()
		block, _ := pem.Decode(cert)
		if got, err := in.shown(t, "svc.example"); err != nil || !bytes.Equal(got, block.Bytes) {
			t.Errorf("another certificate is shown, %v", err)
		}
	}
	want(oldCert)
	// Longer than the one before, so that a coarse clock of the disk does not matter.
	newCert, newKey := pair(t, "renewed.svc.example")
	put(certFile, newCert)
	want(oldCert)
	put(keyFile, newKey)
	want(newCert)
}

// TestSiteHostsHaveCertificates has certificates at hand for a team's host and
// for a stranger's; only the first is shown.
func TestSiteHostsHaveCertificates(t *testing.T) {
	in := start(t, func(c *daemon.Config) {
		c.TLSDomains, c.SiteHosts = []string{"svc.example"}, []string{"blog.example=team-a"}
		dir := filepath.Join(c.Data, "certificates")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"svc.example", "blog.example", "stranger.example"} {
			cert, key := pair(t, host)
			if err := os.WriteFile(filepath.Join(dir, host), append(key, cert...), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
	for host, served := range map[string]bool{"svc.example": true, "blog.example": true, "stranger.example": false} {
		if _, err := in.shown(t, host); (err == nil) != served {
			t.Errorf("%s: %v", host, err)
		}
	}
}
