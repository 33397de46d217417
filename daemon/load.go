package daemon

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/pflag"
)

// maxFile is the largest configuration file, in bytes: parsing takes some twenty
// times as much memory.
const maxFile = 1 << 20

// Load fills the configuration from all its sources and checks it. Everything
// that is wrong is reported at once. A variable that is set to nothing counts as
// set: SVCD_ADMIN= turns the admin address off, and what cannot be empty, such
// as a number or the data folder, is refused.
func Load(flags *pflag.FlagSet, lookup func(string) (string, bool)) (*Config, error) {
	c := &Config{}
	settings := c.settings()
	var bad []error
	apply := func(s *setting, source, text string) {
		if err := s.set(text); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", source, err))
			_ = s.set(s.def) // it parses: so that check speaks of the other settings only
		}
	}
	path, _ := flags.GetString("config")
	if path == "" {
		path, _ = lookup("SVCD_CONFIG")
	}
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	for i := range settings {
		s := &settings[i]
		apply(s, "default", s.def)
		if text, ok := file[s.name]; ok {
			apply(s, path, text)
			delete(file, s.name)
		}
		if text, set := lookup(s.env); set {
			apply(s, s.env, text)
		}
		if f := flags.Lookup(s.name); f != nil && f.Changed {
			apply(s, "--"+s.name, f.Value.String())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		bad = append(bad, fmt.Errorf("%s: there is no setting %s", path, name))
	}
	return c, errors.Join(append(bad, c.check())...)
}

// readFile reads name: value pairs; lists become comma-separated text.
func readFile(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	b, err := readSmall(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	var raw map[string]any
	if err := yaml.Unmarshal(b, &raw); err != nil {
		return nil, fmt.Errorf("read configuration %s: %s", path, yaml.FormatError(err, false, false))
	}
	out := make(map[string]string, len(raw))
	for name, v := range raw {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		var parts []string
		for _, item := range list {
			if item != nil {
				parts = append(parts, fmt.Sprint(item))
			}
		}
		out[name] = strings.Join(parts, ",")
	}
	return out, nil
}

// readSmall reads a file of at most maxFile, and no byte of a larger one.
func readSmall(path string) (b []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	tooLarge := fmt.Errorf("%s is larger than 1 MiB: is it a configuration file of svcd?", path)
	if info, err := f.Stat(); err == nil && info.Size() > maxFile {
		return nil, tooLarge
	}
	// A pipe has no size.
	if b, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err == nil && len(b) > maxFile {
		return nil, tooLarge
	}
	return b, err
}

// AddFlags declares one flag for each setting, and --config.
func AddFlags(flags *pflag.FlagSet) {
	flags.StringP("config", "c", "", "configuration file (YAML); SVCD_CONFIG names it too")
	c := &Config{}
	for _, s := range c.settings() {
		if s.value.Type() == secretType {
			continue // never on a command line, where others can read it
		}
		doc := strings.TrimSuffix(s.doc, ".")
		if s.value.Kind().String() == "bool" {
			flags.Bool(s.name, false, doc)
			continue
		}
		flags.String(s.name, s.def, doc)
	}
}

// Show writes the settings in effect, secrets masked.
func (c *Config) Show(w io.Writer) error {
	var b strings.Builder
	for _, s := range c.settings() {
		fmt.Fprintf(&b, "%s: %s\n", s.name, s.text())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// PrintDefault writes the commented default configuration.
func PrintDefault(w io.Writer) error {
	c := &Config{}
	var b strings.Builder
	b.WriteString("# Configuration of svcd. Every line is optional; what is commented out shows the default.\n")
	for _, s := range c.settings() {
		fmt.Fprintf(&b, "\n# %s\n# Environment: %s", s.doc, s.env)
		if s.value.Type() != secretType {
			fmt.Fprintf(&b, ", flag: --%s", s.name)
		}
		fmt.Fprintf(&b, "\n#%s: %s\n", s.name, s.def)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var secretType = reflect.TypeFor[secret]()
