package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/settings"
)

const config = `
current: prod
output: wide
contexts:
  prod: {url: https://prod.test}
  staging: {url: https://staging.test, insecure: true}
`

// resolve decides with config.yaml, a project's file and an environment.
func resolve(t *testing.T, project string, env map[string]string, flags settings.Flags) (*settings.Settings, error) {
	t.Helper()
	dir, work := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "config.yaml"), config)
	if project != "" {
		write(t, filepath.Join(work, settings.ProjectFile), project)
	}
	inner := filepath.Join(work, "a", "b")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	return settings.Resolve(func(name string) string {
		if name == "SVC_CONFIG_DIR" {
			return dir
		}
		return env[name]
	}, inner, flags)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPrecedence(t *testing.T) {
	const key = "svc_x"
	for _, test := range []struct {
		name     string
		project  string
		env      map[string]string
		flags    settings.Flags
		url      string
		context  string
		insecure bool
		key      string
		output   string
	}{
		{"the current context", "", map[string]string{"SVC_API_KEY": key}, settings.Flags{}, "https://prod.test", "prod", false, key, "wide"},
		{"a project's context", "context: staging\noutput: json", nil, settings.Flags{}, "https://staging.test", "staging", true, "", "json"},
		{"the environment over a project", "url: https://p.test\noutput: json", map[string]string{"SVC_URL": "https://env.test/", "SVC_API_KEY": key, "SVC_OUTPUT": "csv"}, settings.Flags{}, "https://env.test", "", false, key, "csv"},
		{"a flag over the environment", "", map[string]string{"SVC_URL": "https://env.test", "SVC_OUTPUT": "csv"}, settings.Flags{URL: "https://flag.test", Output: "ids"}, "https://flag.test", "", false, "", "ids"},
		{"a context's flag over an address of the environment", "", map[string]string{"SVC_URL": "https://env.test"}, settings.Flags{Context: "staging"}, "https://staging.test", "staging", true, "", "wide"},
		{"an address finds its context", "", nil, settings.Flags{URL: "https://staging.test/"}, "https://staging.test", "staging", true, "", "wide"},
		{"a project's address gets no key of the environment", "url: https://evil.test", map[string]string{"SVC_API_KEY": key}, settings.Flags{}, "https://evil.test", "", false, "", "wide"},
		{"unless it is known", "url: https://prod.test", map[string]string{"SVC_API_KEY": key}, settings.Flags{}, "https://prod.test", "prod", false, key, "wide"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := resolve(t, test.project, test.env, test.flags)
			if err != nil {
				t.Fatal(err)
			}
			if s.URL != test.url || s.Name != test.context || s.Insecure != test.insecure || s.EnvKey != test.key || s.Output != test.output {
				t.Errorf("got %s %q insecure=%t key=%q %s, want %+v", s.URL, s.Name, s.Insecure, s.EnvKey, s.Output, test)
			}
		})
	}
	if _, err := resolve(t, "", nil, settings.Flags{Context: "nope"}); !errors.Is(err, settings.ErrNoContext) {
		t.Errorf("an unknown context: %v", err)
	}
	if _, err := resolve(t, "apiKey: svc_secret", nil, settings.Flags{}); err == nil || strings.Contains(err.Error(), "svc_secret") {
		t.Errorf("a secret in a project's file: %v", err)
	}
}

func TestSecretsFile(t *testing.T) {
	dir := t.TempDir()
	s := settings.NewSecrets(dir, func(string) string { return "" })
	c := &settings.Context{URL: "https://prod.test", Storage: settings.StorageFile}
	if err := s.Set("prod", c, settings.SecretKey, "svc_1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Rename("prod", "live", c); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get("live", c, settings.SecretKey); got != "svc_1" || err != nil {
		t.Errorf("got %q, error %v", got, err)
	}
	if got, _ := s.Get("prod", c, settings.SecretKey); got != "" {
		t.Errorf("the old name still has %q", got)
	}
	if err := os.Chmod(s.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("live", c, settings.SecretKey); err == nil {
		t.Error("a file that others can read was taken")
	}
	if err := os.Chmod(s.Path(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete("live", c); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(s.Path()); err != nil || strings.Contains(string(b), "svc_1") {
		t.Errorf("left %s, error %v", b, err)
	}
}
