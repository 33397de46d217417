// Package config is svcctl config: the settings of svcctl itself.
package config

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
)

// setting is one name that config get and set know.
type setting struct {
	name string
	at   func(*settings.File) *string
}

var settable = []setting{
	{"context", func(f *settings.File) *string { return &f.Current }},
	{"output", func(f *settings.File) *string { return &f.Output }},
	{"editor", func(f *settings.File) *string { return &f.Editor }},
}

// New is the command config.
func New(a *kit.App) *cobra.Command {
	return kit.Group("config", "Settings of svcctl", nil, newGet(a), newSet(a), newPath(a), newShow(a))
}

func findSetting(name string) (setting, error) {
	i := slices.IndexFunc(settable, func(s setting) bool { return s.name == name })
	if i < 0 {
		return setting{}, &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "there is no setting " + name, Hint: "context, output or editor"}
	}
	return settable[i], nil
}

func newGet(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Print a setting: context, output or editor", Args: kit.Exactly("the setting's name"),
		Example: "  svcctl config get editor",
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := findSetting(args[0])
			if err != nil {
				return err
			}
			f, err := settings.Read(settings.Dir(a.Getenv))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.IO.Out, terminal.Line(*s.at(f)))
			return err
		},
	}
}

func newSet(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "set NAME VALUE", Short: "Change a setting; an empty value is the default again", Args: kit.Exactly("the setting's name", "its value"),
		Example: "  svcctl config set editor 'code --wait'",
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := findSetting(args[0])
			if err != nil {
				return err
			}
			if s.name == "output" {
				if err := (output.Printer{IO: a.IO, Format: args[1]}).Check(); err != nil {
					return err
				}
			}
			return a.EditContexts(func(f *settings.File, _ settings.Secrets) error {
				if s.name == "context" && f.Contexts[args[1]] == nil {
					return kit.NoContext(args[1])
				}
				*s.at(f) = args[1]
				return nil
			})
		},
	}
}

func newPath(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "path", Short: "Print where the configuration is", Args: kit.Exactly(),
		Example: "  svcctl config path",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.IO.Out, filepath.Join(settings.Dir(a.Getenv), "config.yaml"))
			return err
		},
	}
}

// shown is what holds now, with credentials masked.
type shown struct {
	URL     string `json:"url"`
	URLFrom string `json:"urlFrom"`
	Context string `json:"context,omitempty"`
	Key     string `json:"key,omitempty"`
	Session string `json:"session,omitempty"`
	Storage string `json:"storage,omitempty"`
	Output  string `json:"output"`
	Editor  string `json:"editor"`
	Config  string `json:"config"`
	Project string `json:"project,omitempty"`
}

var shownView = output.View[shown]{
	ID: func(s *shown) string { return s.Context },
	Columns: []output.Column[shown]{
		{Name: "url", Value: func(s *shown) string { return s.URL + " (" + s.URLFrom + ")" }},
		{Name: "context", Value: func(s *shown) string { return s.Context }},
		{Name: "key", Value: func(s *shown) string { return s.Key }},
		{Name: "session", Value: func(s *shown) string { return s.Session }},
		{Name: "storage", Value: func(s *shown) string { return s.Storage }},
		{Name: "output", Value: func(s *shown) string { return s.Output }},
		{Name: "editor", Value: func(s *shown) string { return s.Editor }},
		{Name: "config", Value: func(s *shown) string { return s.Config }},
		{Name: "project", Value: func(s *shown) string { return s.Project }},
	},
}

func newShow(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show the settings in effect and where each comes from", Args: kit.Exactly(),
		Example: "  svcctl config show",
		RunE: func(*cobra.Command, []string) error {
			s, err := a.Load()
			if err != nil {
				return err
			}
			view := shown{
				URL: s.URL, URLFrom: s.URLFrom, Context: s.Name, Output: s.Output, Editor: s.Editor,
				Config: filepath.Join(s.Dir, "config.yaml"), Project: s.Project.Path,
			}
			if view.Output == "" {
				view.Output = "table"
			}
			key, err := a.Key(s)
			if err != nil {
				return err
			}
			if key != "" {
				view.Key = kit.Mask(key)
			}
			if s.Context != nil {
				view.Storage = s.Context.Storage
				session, err := a.Secrets(s).Get(s.Name, s.Context, settings.SecretSession)
				if err != nil {
					return err
				}
				if session != "" {
					view.Session = kit.Mask(session)
				}
			}
			return kit.ShowOne(a, shownView, &view)
		},
	}
}
