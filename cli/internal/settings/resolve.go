package settings

import (
	"errors"
	"fmt"
	"strings"

	"edgesvc.dev/svc/sdk"
)

// Flags are the choices made on the command line.
type Flags struct {
	URL, Context, Output string
	Insecure             bool
	// NewContext lets Context name one that does not exist yet.
	NewContext bool
}

// ErrNoContext says that the context asked for does not exist.
var ErrNoContext = errors.New("there is no such context")

// Settings is what holds for one command: flag over environment over project
// over context over default.
type Settings struct {
	URL     string
	URLFrom string // where URL was decided, for people
	// Name is the context in use, empty when URL belongs to none.
	Name     string
	Context  *Context
	Insecure bool
	Output   string
	Editor   string
	// EnvKey is SVC_API_KEY, empty where it must not be sent to URL.
	EnvKey string
	// Withheld: there is an SVC_API_KEY, but only the project file names URL.
	Withheld bool

	Dir     string
	File    *File
	Project *Project
}

// Resolve reads the files and decides. A credential is bound to the address
// that it was stored for, and a project file, which may come from a stranger's
// repository, does not get SVC_API_KEY sent to an address of its choice.
func Resolve(getenv func(string) string, workdir string, flags Flags) (*Settings, error) {
	s := &Settings{Dir: Dir(getenv)}
	var err error
	if s.File, err = Read(s.Dir); err != nil {
		return nil, err
	}
	if s.Project, err = FindProject(workdir); err != nil {
		return nil, err
	}
	if err := s.chooseContext(getenv, flags); err != nil {
		return nil, err
	}
	s.chooseURL(getenv, flags)
	s.Insecure = flags.Insecure || s.Context != nil && s.Context.Insecure
	s.Output = first(flags.Output, getenv("SVC_OUTPUT"), s.Project.Output, s.File.Output)
	s.Editor = first(getenv("SVC_EDITOR"), s.File.Editor, getenv("VISUAL"), getenv("EDITOR"), "vi")
	s.EnvKey = strings.TrimSpace(getenv("SVC_API_KEY"))
	if s.EnvKey != "" && s.URLFrom == ProjectFile && s.Context == nil {
		s.EnvKey, s.Withheld = "", true
	}
	return s, nil
}

func (s *Settings) chooseContext(getenv func(string) string, flags Flags) error {
	named := first(flags.Context, getenv("SVC_CONTEXT"), s.Project.Context)
	s.Name = first(named, s.File.Current)
	s.Context = s.File.Contexts[s.Name]
	if s.Context == nil && named != "" && !flags.NewContext {
		return fmt.Errorf("%w: %s", ErrNoContext, named)
	}
	return nil
}

func (s *Settings) chooseURL(getenv func(string) string, flags Flags) {
	switch {
	case flags.URL != "":
		s.URL, s.URLFrom = flags.URL, "--url"
	case flags.Context != "" && s.Context != nil:
		s.URL, s.URLFrom = s.Context.URL, "--context"
	case getenv("SVC_URL") != "":
		s.URL, s.URLFrom = getenv("SVC_URL"), "SVC_URL"
	case getenv("SVC_CONTEXT") != "" && s.Context != nil:
		s.URL, s.URLFrom = s.Context.URL, "SVC_CONTEXT"
	case s.Project.URL != "":
		s.URL, s.URLFrom = s.Project.URL, ProjectFile
	case s.Context != nil:
		s.URL, s.URLFrom = s.Context.URL, "context "+s.Name
	default:
		s.URL, s.URLFrom = sdk.DefaultURL, "default"
	}
	s.URL = strings.TrimRight(s.URL, "/")
	if s.Context == nil || s.Context.URL != s.URL {
		s.Name, s.Context = s.contextOf(s.URL)
	}
}

// contextOf finds a context that already knows the address.
func (s *Settings) contextOf(url string) (string, *Context) {
	for name, c := range s.File.Contexts {
		if c.URL == url {
			return name, c
		}
	}
	return "", nil
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
