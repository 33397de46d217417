package cli

import (
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"github.com/spf13/cobra"
)

// contextInfo is a context as it is shown: no secret, only where it is kept.
type contextInfo struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Team     string `json:"team,omitempty"`
	Storage  string `json:"storage,omitempty"`
	Insecure bool   `json:"insecure,omitempty"`
	Current  bool   `json:"current"`
}

var contextView = output.View[contextInfo]{
	ID: func(c *contextInfo) string { return c.Name },
	Columns: []output.Column[contextInfo]{
		{Name: "name", Value: func(c *contextInfo) string { return c.Name }},
		{Name: "url", Value: func(c *contextInfo) string { return c.URL }, Flex: true},
		{Name: "team", Value: func(c *contextInfo) string { return c.Team }, Flex: true},
		{Name: "current", Value: func(c *contextInfo) string { return yes(c.Current) }},
		{Name: "secrets", Value: func(c *contextInfo) string { return c.Storage }, Wide: true},
		{Name: "insecure", Value: func(c *contextInfo) string { return yes(c.Insecure) }, Wide: true},
	},
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func newContext(a *app) *cobra.Command {
	return group("context", "Daemons that svcctl knows", []string{"contexts", "ctx"},
		newContextList(a), newContextShow(a), newContextUse(a), newContextAdd(a), newContextRename(a), newContextRemove(a))
}

func info(f *settings.File, name string) contextInfo {
	c := f.Contexts[name]
	return contextInfo{Name: name, URL: c.URL, Team: c.Team, Storage: c.Storage, Insecure: c.Insecure, Current: name == f.Current}
}

func newContextList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List contexts", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			f, err := settings.Read(settings.Dir(a.getenv))
			if err != nil {
				return err
			}
			infos := []contextInfo{}
			for name := range f.Contexts {
				infos = append(infos, info(f, name))
			}
			slices.SortFunc(infos, func(x, y contextInfo) int { return strings.Compare(x.Name, y.Name) })
			return showList(a, listFlags{all: true}, contextView, list(infos))
		},
	}
}

func newContextShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show [NAME]", Short: "Show a context, the current one unless named", Args: atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := settings.Read(settings.Dir(a.getenv))
			if err != nil {
				return err
			}
			name := f.Current
			if len(args) == 1 {
				name = args[0]
			}
			if f.Contexts[name] == nil {
				return noContext(name)
			}
			c := info(f, name)
			return showOne(a, contextView, &c)
		},
	}
}

func noContext(name string) error {
	if name == "" {
		return &failure{Exit: exitNotFound, Code: "not_found", Message: "there is no current context", Hint: "svcctl login"}
	}
	return &failure{Exit: exitNotFound, Code: "not_found", Message: "there is no context " + name, Hint: "svcctl context list"}
}

// editContexts changes config.yaml.
func (a *app) editContexts(edit func(*settings.File, settings.Secrets) error) error {
	dir := settings.Dir(a.getenv)
	f, err := settings.Read(dir)
	if err != nil {
		return err
	}
	if err := edit(f, settings.NewSecrets(dir, a.getenv)); err != nil {
		return err
	}
	return f.Write(dir)
}

func newContextUse(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Make a context the current one", Args: exactly("the context's name"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.editContexts(func(f *settings.File, _ settings.Secrets) error {
				if f.Contexts[args[0]] == nil {
					return noContext(args[0])
				}
				f.Current = args[0]
				a.io.Say("now using %s (%s)", args[0], f.Contexts[args[0]].URL)
				return nil
			})
		},
	}
}

func newContextAdd(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "add NAME URL", Short: "Add a context without signing in", Args: exactly("a name", "the daemon's address"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := settings.CheckName(args[0]); err != nil {
				return usage("%v", err)
			}
			return a.editContexts(func(f *settings.File, _ settings.Secrets) error {
				if f.Contexts[args[0]] != nil {
					return &failure{Exit: exitConflict, Code: "exists", Message: "there is a context " + args[0] + " already", Hint: "svcctl context remove " + args[0]}
				}
				current := f.Current
				f.Set(args[0], &settings.Context{URL: args[1], Insecure: a.flags.Insecure})
				if current != "" {
					f.Current = current
				}
				a.io.Say("added %s; sign in with svcctl login --context %s", args[0], args[0])
				return nil
			})
		},
	}
}

func newContextRename(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "rename NAME NEW", Short: "Rename a context", Args: exactly("the context's name", "its new name"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := settings.CheckName(args[1]); err != nil {
				return usage("%v", err)
			}
			return a.editContexts(func(f *settings.File, secrets settings.Secrets) error {
				c := f.Contexts[args[0]]
				if c == nil {
					return noContext(args[0])
				}
				if f.Contexts[args[1]] != nil {
					return usage("there is a context %s already", args[1])
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

func newContextRemove(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Forget a context and its credentials", Aliases: []string{"rm"}, Args: exactly("the context's name"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.editContexts(func(f *settings.File, secrets settings.Secrets) error {
				c := f.Contexts[args[0]]
				if c == nil {
					return noContext(args[0])
				}
				if err := secrets.Delete(args[0], c); err != nil {
					return err
				}
				delete(f.Contexts, args[0])
				if f.Current == args[0] {
					f.Current = ""
				}
				a.io.Say("removed %s", args[0])
				return nil
			})
		},
	}
}
