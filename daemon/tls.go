package daemon

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// tlsConfig is nil when a proxy, or nobody, does TLS. fasthttp speaks HTTP/1.1
// only, so h2 must not be offered.
func (c *Config) tlsConfig() (*tls.Config, error) {
	switch {
	case c.TLSCert != "":
		pair := &certificate{files: [2]string{c.TLSCert, c.TLSKey}}
		if err := pair.load(pair.stamps()); err != nil {
			return nil, err
		}
		return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get, NextProtos: []string{"http/1.1"}}, nil
	case len(c.TLSDomains) > 0:
		m := &autocert.Manager{
			Prompt: autocert.AcceptTOS, Email: c.TLSEmail,
			HostPolicy: autocert.HostWhitelist(c.certificateHosts()...),
			Cache:      autocert.DirCache(filepath.Join(c.Data, "certificates")),
		}
		config := m.TLSConfig()
		config.MinVersion = tls.VersionTLS12
		config.NextProtos = []string{"http/1.1", acme.ALPNProto}
		return config, nil
	}
	return nil, nil
}

// certificateHosts are all names that the daemon answers to: its domains and the
// hosts of teams' sites.
func (c *Config) certificateHosts() []string {
	hosts := slices.Clone(c.TLSDomains)
	for host := range pairs(c.SiteHosts) {
		hosts = append(hosts, host)
	}
	return hosts
}

// certificate is a pair of files that is read again when it was renewed.
type certificate struct {
	files [2]string // certificate, key

	mu   sync.Mutex // guards what follows
	pair *tls.Certificate
	seen [2]stamp // of the files when they were read last, good or not
}

// stamp tells one version of a file from another.
type stamp struct {
	at   time.Time
	size int64
}

func (c *certificate) stamps() (now [2]stamp) {
	for i, name := range c.files {
		if info, err := os.Stat(name); err == nil {
			now[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	return now
}

// get is tls.Config.GetCertificate. Where the renewed files cannot be read, or
// one of them is not there yet, the certificate that was read before goes on.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.stamps(); now != c.seen {
		if err := c.load(now); err != nil {
			slog.Error("the certificate on disk has changed and cannot be used; the one before stays", "err", err)
		} else {
			slog.Info("certificate read again", "file", c.files[0])
		}
	}
	return c.pair, nil
}

func (c *certificate) load(now [2]stamp) error {
	c.seen = now
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return fmt.Errorf("read certificate: %w", err)
	}
	c.pair = &pair
	return nil
}
