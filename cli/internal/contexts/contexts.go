// Package contexts is svcctl context: the daemons that svcctl knows.
package contexts

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
)

// shown is a context as it is shown: no secret, only where it is kept.
type shown struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Team     string `json:"team,omitempty"`
	Storage  string `json:"storage,omitempty"`
	Insecure bool   `json:"insecure,omitempty"`
	Current  bool   `json:"current"`
}

var view = output.View[shown]{
	ID: func(c *shown) string { return c.Name },
	Columns: []output.Column[shown]{
		{Name: "name", Value: func(c *shown) string { return c.Name }},
		{Name: "url", Value: func(c *shown) string { return c.URL }, Flex: true},
		{Name: "team", Value: func(c *shown) string { return c.Team }, Flex: true},
		{Name: "current", Value: func(c *shown) string { return yes(c.Current) }},
		{Name: "secrets", Value: func(c *shown) string { return c.Storage }, Wide: true},
		{Name: "insecure", Value: func(c *shown) string { return yes(c.Insecure) }, Wide: true},
	},
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// New is the command context.
func New(a *kit.App) *cobra.Command {
	return kit.Group("context", "Daemons that svcctl knows", []string{"contexts", "ctx"},
		newList(a), newShow(a), newUse(a), newAdd(a), newRename(a), newRemove(a))
}

func info(f *settings.File, name string) shown {
	c := f.Contexts[name]
	return shown{Name: name, URL: c.URL, Team: c.Team, Storage: c.Storage, Insecure: c.Insecure, Current: name == f.Current}
}

func newList(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List contexts", Aliases: []string{"ls"}, Args: kit.Exactly(),
		Example: "  svcctl context list",
		RunE: func(*cobra.Command, []string) error {
			f, err := settings.Read(settings.Dir(a.Getenv))
			if err != nil {
				return err
			}
			infos := []shown{}
			for name := range f.Contexts {
				infos = append(infos, info(f, name))
			}
			slices.SortFunc(infos, func(x, y shown) int { return strings.Compare(x.Name, y.Name) })
			return kit.ShowList(a, kit.ListFlags{All: true}, view, kit.List(infos))
		},
	}
}

func newShow(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "show [NAME]", Short: "Show a context, the current one unless named", Args: kit.AtMostOne,
		Example: "  svcctl context show work",
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := settings.Read(settings.Dir(a.Getenv))
			if err != nil {
				return err
			}
			name := f.Current
			if len(args) == 1 {
				name = args[0]
			}
			if f.Contexts[name] == nil {
				return kit.NoContext(name)
			}
			c := info(f, name)
			return kit.ShowOne(a, view, &c)
		},
	}
}

func newUse(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Make a context the current one", Args: kit.Exactly("the context's name"),
		Example: "  svcctl context use work",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.EditContexts(func(f *settings.File, _ settings.Secrets) error {
				if f.Contexts[args[0]] == nil {
					return kit.NoContext(args[0])
				}
				f.Current = args[0]
				a.IO.Say("now using %s (%s)", args[0], f.Contexts[args[0]].URL)
				return nil
			})
		},
	}
}

func newAdd(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "add NAME URL", Short: "Add a context without signing in", Args: kit.Exactly("a name", "the daemon's address"),
		Example: "  svcctl context add work https://svc.example.com",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := settings.CheckName(args[0]); err != nil {
				return kit.Usage("%v", err)
			}
			return a.EditContexts(func(f *settings.File, _ settings.Secrets) error {
				if f.Contexts[args[0]] != nil {
					return &kit.Failure{Exit: kit.ExitConflict, Code: "exists", Message: "there is a context " + args[0] + " already", Hint: "svcctl context remove " + args[0]}
				}
				current := f.Current
				f.Set(args[0], &settings.Context{URL: args[1], Insecure: a.Flags.Insecure})
				if current != "" {
					f.Current = current
				}
				a.IO.Say("added %s; sign in with svcctl login --context %s", args[0], args[0])
				return nil
			})
		},
	}
}

func newRename(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "rename NAME NEW", Short: "Rename a context", Args: kit.Exactly("the context's name", "its new name"),
		Example: "  svcctl context rename localhost-8080 home",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := settings.CheckName(args[1]); err != nil {
				return kit.Usage("%v", err)
			}
			return a.EditContexts(func(f *settings.File, secrets settings.Secrets) error {
				c := f.Contexts[args[0]]
				if c == nil {
					return kit.NoContext(args[0])
				}
				if f.Contexts[args[1]] != nil {
					return kit.Usage("there is a context %s already", args[1])
				}
				if err := secrets.Rename(args[0], args[1], c); err != nil {
					return err
				}
				delete(f.Contexts, args[0])
				f.Contexts[args[1]] = c
				if f.Current == args[0] {
					f.Current = args[1]
				}
				return nil
			})
		},
	}
}

func newRemove(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a context and its credentials", Aliases: []string{"rm"}, Args: kit.Exactly("the context's name"),
		Example: "  svcctl context remove old",
		RunE: func(_ *cobra.Command, args []string) error {
			return a.EditContexts(func(f *settings.File, secrets settings.Secrets) error {
				c := f.Contexts[args[0]]
				if c == nil {
					return kit.NoContext(args[0])
				}
				if err := secrets.Delete(args[0], c); err != nil {
					return err
				}
				delete(f.Contexts, args[0])
				if f.Current == args[0] {
					f.Current = ""
				}
				a.IO.Say("removed %s", args[0])
				return nil
			})
		},
	}
}

// Names are the contexts, for completion.
func Names(_ context.Context, a *kit.App) ([]string, error) {
	f, err := settings.Read(settings.Dir(a.Getenv))
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(f.Contexts)), nil
}
