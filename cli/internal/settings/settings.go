// Package settings keeps what svcctl remembers: contexts (a daemon's address
// and who one is there) in config.yaml, defaults of a project in .svc.yaml, and
// credentials in the system's keyring or in a file that only the user can read.
// It knows no command and connects to nothing.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/goccy/go-yaml"

	"edgesvc.dev/svc/cli/internal/atomicfile"
)

// File is config.yaml. It holds no secret.
type File struct {
	Current  string              `yaml:"current,omitempty"`
	Output   string              `yaml:"output,omitempty"`
	Editor   string              `yaml:"editor,omitempty"`
	Contexts map[string]*Context `yaml:"contexts,omitempty"`
	Aliases  map[string]string   `yaml:"aliases,omitempty"`
}

// Context is one daemon and the way to it.
type Context struct {
	URL      string `yaml:"url"`
	Team     string `yaml:"team,omitempty"`
	Insecure bool   `yaml:"insecure,omitempty"`
	// Storage is where the secrets are: keyring or file.
	Storage string `yaml:"storage,omitempty"`
	// KeyID is the key that login made, so that logout can revoke it.
	KeyID string `yaml:"keyId,omitempty"`
}

// Dir is the folder of the configuration.
func Dir(getenv func(string) string) string {
	if dir := getenv("SVC_CONFIG_DIR"); dir != "" {
		return dir
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "svc")
	}
	return filepath.Join(xdg.ConfigHome, "svc")
}

// Read reads config.yaml in dir; one that does not exist is empty.
func Read(dir string) (*File, error) {
	f := new(File)
	path := filepath.Join(dir, "config.yaml")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	if err := yaml.UnmarshalWithOptions(b, f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %s", path, yaml.FormatError(err, false, false))
	}
	for name, c := range f.Contexts {
		if c == nil || c.URL == "" {
			return nil, fmt.Errorf("%s: context %q has no url", path, name)
		}
	}
	return f, nil
}

// Write replaces config.yaml in dir.
func (f *File) Write(dir string) error {
	b, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, "config.yaml"), b, 0o600)
}

// Set adds or replaces a context and makes it the current one.
func (f *File) Set(name string, c *Context) {
	if f.Contexts == nil {
		f.Contexts = map[string]*Context{}
	}
	f.Contexts[name] = c
	f.Current = name
}

// CheckName refuses a context's name that could not be typed or stored.
func CheckName(name string) error {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}) {
		return fmt.Errorf("a context's name has letters, digits, dots, dashes and underscores, not %q", name)
	}
	return nil
}
