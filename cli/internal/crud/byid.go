package crud

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// ByID is objects that are named by their id alone, for the verbs that take one.
type ByID[T any] struct {
	Path    string // the noun, as it is typed
	Kind    string // in sentences, such as image
	Example string // an id

	Connect func(*kit.App) (*sdk.Client, error)
	View    output.View[T]
	Show    func(a *kit.App, record *T) error // instead of View
	Names   kit.Names                         // the newest ids, for completion
}

// Connected is what the SDK does with one object.
type Connected[Out any] = func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) (Out, error)

func (n *ByID[T]) command(a *kit.App, verb, short string, aliases ...string) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb + " ID", Short: short, Aliases: aliases, Args: kit.Exactly("the " + n.Kind + "'s id"),
		Example: "  svcctl " + n.Path + " " + verb + " " + n.Example,
	}
	if n.Names != nil {
		a.CompleteFirst(cmd, n.Names)
	}
	return cmd
}

func (n *ByID[T]) show(a *kit.App, record *T) error {
	if n.Show != nil {
		return n.Show(a, record)
	}
	return kit.ShowOne(a, n.View, record)
}

// NewGet is the verb get.
func (n *ByID[T]) NewGet(a *kit.App, get func(ctx context.Context, c *sdk.Client, id string) (*T, error)) *cobra.Command {
	cmd := n.command(a, "get", "Show "+article(n.Kind), "show")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := n.Connect(a)
		if err != nil {
			return err
		}
		record, err := get(cmd.Context(), c, kit.ParseRef(args[0]))
		if err != nil {
			return err
		}
		return n.show(a, record)
	}
	return cmd
}

// NewChange is a verb that changes an object and shows it.
func (n *ByID[T]) NewChange(a *kit.App, verb, short string, do Connected[*T]) *cobra.Command {
	var w kit.WriteFlags
	cmd := n.command(a, verb, short)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.Rehearse(w)
		c, err := n.Connect(a)
		if err != nil {
			return err
		}
		record, err := do(cmd.Context(), c, api.Ref{ID: kit.ParseRef(args[0])}, w.Options()...)
		if err != nil {
			return err
		}
		return n.show(a, record)
	}
	w.Add(cmd)
	return cmd
}

// NewEnd is the verb that ends an object: its id is typed, or --yes given.
func (n *ByID[T]) NewEnd(a *kit.App, end Ending, do func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) error) *cobra.Command {
	var w kit.WriteFlags
	cmd := n.command(a, end.Verb, end.Short, "rm")
	cmd.Example += " --yes"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		a.Rehearse(w)
		c, err := n.Connect(a)
		if err != nil {
			return err
		}
		id := kit.ParseRef(args[0])
		if !w.DryRun {
			if err := a.Confirm(gerund(end.Verb)+" "+id, id); err != nil {
				return err
			}
		}
		if err := do(cmd.Context(), c, api.Ref{ID: id}, w.Options()...); err != nil {
			return err
		}
		a.IO.Say("%s %s", end.Done, id)
		return nil
	}
	w.Add(cmd)
	return cmd
}

// Names are the ids of the first page, for completion.
func (l *Lister[T, Q]) Names(ctx context.Context, a *kit.App) ([]string, error) {
	list, err := l.Connect(a)
	if err != nil {
		return nil, err
	}
	q, err := decodeQuery[Q](map[string]any{"limit": 30})
	if err != nil {
		return nil, err
	}
	page, err := list(ctx, q)
	return kit.Each(page, err, l.view().ID)
}
