package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
)

// ProjectFile is the name of a project's defaults.
const ProjectFile = ".svc.yaml"

// Project is .svc.yaml, which is shared with everyone who has the folder: it
// can name a daemon, but not make a credential go there (see Resolve).
type Project struct {
	URL     string `yaml:"url,omitempty"`
	Context string `yaml:"context,omitempty"`
	Output  string `yaml:"output,omitempty"`
	Path    string `yaml:"-"`
}

// FindProject reads .svc.yaml of dir or of the nearest folder above.
func FindProject(dir string) (*Project, error) {
	for {
		p, err := readProject(filepath.Join(dir, ProjectFile))
		if !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return new(Project), nil
		}
		dir = parent
	}
}

func readProject(path string) (*Project, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Project{Path: path}
	// Strict also keeps secrets out: there is no member for one.
	if err := yaml.UnmarshalWithOptions(b, p, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s (it may have url, context and output, and never a secret): %s", path, yaml.FormatError(err, false, false))
	}
	return p, nil
}
