package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/sourcegraph/conc"
	"github.com/zalando/go-keyring"

	"edgesvc.dev/svc/cli/internal/atomicfile"
)

// The kinds of secret that a context can have.
const (
	SecretKey     = "key"     // svc_…
	SecretSession = "session" // sess_…
)

// The places where secrets are kept.
const (
	StorageKeyring = "keyring"
	StorageFile    = "file"
)

const (
	keyringService = "svcctl"
	keyringWait    = 3 * time.Second
)

// Secrets keeps credentials by context and kind.
type Secrets struct {
	dir    string
	getenv func(string) string
}

// NewSecrets keeps credentials beside the configuration in dir, or in the
// keyring.
func NewSecrets(dir string, getenv func(string) string) Secrets { return Secrets{dir, getenv} }

// Get returns a credential, empty when there is none.
func (s Secrets) Get(name string, c *Context, kind string) (string, error) {
	switch c.Storage {
	case "":
		return "", nil // nothing was ever kept
	case StorageFile:
		all, err := s.readFile()
		return all[name][kind], err
	}
	var secret string
	err := patiently(func() (err error) {
		secret, err = keyring.Get(keyringService, name+"/"+kind)
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the keyring: %w", err)
	}
	return secret, nil
}

// Set keeps a credential where the context says, or decides: the keyring, and
// where there is none, the file. It sets c.Storage.
func (s Secrets) Set(name string, c *Context, kind, secret string) error {
	if c.Storage != StorageFile && s.keyringLikely() {
		err := patiently(func() error { return keyring.Set(keyringService, name+"/"+kind, secret) })
		if err == nil {
			c.Storage = StorageKeyring
			return nil
		}
		if c.Storage == StorageKeyring {
			return fmt.Errorf("write the keyring (--insecure-storage uses a file): %w", err)
		}
	}
	c.Storage = StorageFile
	return s.change(func(all map[string]map[string]string) {
		if all[name] == nil {
			all[name] = map[string]string{}
		}
		all[name][kind] = secret
	})
}

// Delete forgets a context's credentials.
func (s Secrets) Delete(name string, c *Context) error {
	switch c.Storage {
	case "":
		return nil
	case StorageFile:
		return s.change(func(all map[string]map[string]string) { delete(all, name) })
	}
	for _, kind := range []string{SecretKey, SecretSession} {
		err := patiently(func() error { return keyring.Delete(keyringService, name+"/"+kind) })
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("delete from the keyring: %w", err)
		}
	}
	return nil
}

// Rename carries a context's credentials over to its new name.
func (s Secrets) Rename(from, to string, c *Context) error {
	for _, kind := range []string{SecretKey, SecretSession} {
		secret, err := s.Get(from, c, kind)
		if err != nil {
			return err
		}
		if secret == "" {
			continue
		}
		if err := s.Set(to, c, kind, secret); err != nil {
			return err
		}
	}
	return s.Delete(from, c)
}

// Path is the file of the secrets that no keyring keeps.
func (s Secrets) Path() string { return filepath.Join(s.dir, "secrets.yaml") }

// keyringLikely spares Linux machines without a session bus the attempt to
// start one.
func (s Secrets) keyringLikely() bool {
	return runtime.GOOS != "linux" || s.getenv("DBUS_SESSION_BUS_ADDRESS") != ""
}

func (s Secrets) readFile() (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	info, err := os.Stat(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others: chmod 600 %s", s.Path(), s.Path())
	}
	b, err := os.ReadFile(s.Path())
	if err != nil {
		return nil, fmt.Errorf("read secrets: %w", err)
	}
	if yaml.Unmarshal(b, &all) != nil {
		// The parser's message would quote the file.
		return nil, fmt.Errorf("%s is damaged; remove it and run svcctl login", s.Path())
	}
	return all, nil
}

func (s Secrets) change(edit func(map[string]map[string]string)) error {
	all, err := s.readFile()
	if err != nil {
		return err
	}
	edit(all)
	b, err := yaml.Marshal(all)
	if err != nil {
		return fmt.Errorf("write secrets: %w", err)
	}
	return atomicfile.Write(s.Path(), b, 0o600)
}

// patiently gives up on a keyring that waits for something nobody sees. What
// it started may then outlive it; the process is about to end.
func patiently(do func() error) error {
	done := make(chan error, 1)
	var wg conc.WaitGroup
	wg.Go(func() { done <- do() })
	select {
	case err := <-done:
		wg.Wait()
		return err
	case <-time.After(keyringWait):
		return errors.New("the keyring does not answer")
	}
}
