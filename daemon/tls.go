package daemon

import (
	"crypto/tls"
	"fmt"
	"path/filepath"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// tlsConfig is nil when a proxy, or nobody, does TLS. fasthttp speaks HTTP/1.1
// only, so h2 must not be offered.
func (d *Daemon) tlsConfig() (*tls.Config, error) {
	switch {
	case d.cfg.TLSCert != "":
		cert, err := tls.LoadX509KeyPair(d.cfg.TLSCert, d.cfg.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("read certificate: %w", err)
		}
		return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}, nil
	case len(d.cfg.TLSDomains) > 0:
		m := &autocert.Manager{
			Prompt: autocert.AcceptTOS, Email: d.cfg.TLSEmail,
			HostPolicy: autocert.HostWhitelist(d.cfg.TLSDomains...),
			Cache:      autocert.DirCache(filepath.Join(d.cfg.Data, "certificates")),
		}
		c := m.TLSConfig()
		c.MinVersion = tls.VersionTLS12
		c.NextProtos = []string{"http/1.1", acme.ALPNProto}
		return c, nil
	}
	return nil, nil
}
