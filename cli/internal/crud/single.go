package crud

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Single is an object of which a team has one: it is shown and changed, with a
// flag for each member of P.
type Single[T, P any] struct {
	Name, Short, Kind string
	Set               string // the verb that changes it; update unless set
	Columns           []output.Column[T]
	Help              map[string]string

	Connect func(*kit.App) (*sdk.Client, error)
	Get     func(ctx context.Context, c *sdk.Client, options ...sdk.CallOption) (*T, error)
	Update  func(ctx context.Context, c *sdk.Client, in P, options ...sdk.CallOption) (*T, error)
	// Whole says that Update replaces the object: what no flag changes is sent as
	// it is.
	Whole bool
}

// Command is the noun with get and update.
func (s *Single[T, P]) Command(a *kit.App) *cobra.Command {
	return kit.Group(s.Name, s.Short, nil, s.Commands(a)...)
}

// Commands are get and update, for a noun that has more.
func (s *Single[T, P]) Commands(a *kit.App) []*cobra.Command {
	return []*cobra.Command{s.newGet(a), s.newUpdate(a)}
}

func (s *Single[T, P]) view() output.View[T] {
	return output.View[T]{ID: func(record *T) string { return idOf(record) }, Columns: s.Columns}
}

func (s *Single[T, P]) newGet(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "get", Short: "Show " + s.Kind, Aliases: []string{"show"}, Args: kit.Exactly(), Example: "  svcctl " + s.Name + " get -o yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Connect(a)
			if err != nil {
				return err
			}
			record, err := s.Get(cmd.Context(), c)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, s.view(), record)
		},
	}
}

func (s *Single[T, P]) newUpdate(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	file := &kit.File{App: a, Noun: s.Name}
	verb, aliases := "update", []string{"patch", "set"}
	if s.Set != "" {
		verb, aliases = s.Set, []string{"update", "patch"}
	}
	cmd := &cobra.Command{Use: verb, Short: "Change " + s.Kind, Aliases: aliases, Args: kit.Exactly()}
	f := (&describer{help: s.Help}).memberFlags(a, cmd, future, reflect.TypeFor[P](), reflect.TypeFor[T]())
	file.Add(cmd)
	w.Add(cmd)
	cmd.Example = "  svcctl " + s.Name + " " + verb + f.sample() + "\n  svcctl " + s.Name + " " + verb + " -f " + s.Name + ".yaml --dry-run"
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		members, err := input(cmd.Context(), a, f, file, nil)
		if err != nil {
			return err
		}
		if len(members) == 0 {
			return nothingToChange(cmd, f, nil)
		}
		return s.update(cmd.Context(), a, w, file, members)
	}
	return cmd
}

func (s *Single[T, P]) update(ctx context.Context, a *kit.App, w kit.WriteFlags, file *kit.File, members map[string]json.RawMessage) error {
	a.Rehearse(w)
	c, err := s.Connect(a)
	if err != nil {
		return err
	}
	in, err := s.input(ctx, c, file, members)
	if err != nil {
		return err
	}
	record, err := s.Update(ctx, c, in, w.Options()...)
	if err != nil {
		return err
	}
	a.IO.Say("changed %s", s.Kind)
	return kit.ShowOne(a, s.view(), record)
}

// input is what is sent: the members, over the object as it is where it is
// replaced. A file replaces all of it.
func (s *Single[T, P]) input(ctx context.Context, c *sdk.Client, file *kit.File, members map[string]json.RawMessage) (in P, err error) {
	if s.Whole && file.Name == "" {
		record, err := s.Get(kit.Reading(ctx), c)
		if err != nil {
			return in, err
		}
		b, err := json.Marshal(record)
		if err == nil {
			err = json.Unmarshal(b, &in)
		}
		if err != nil {
			return in, fmt.Errorf("read %s: %w", s.Kind, err)
		}
	}
	return in, file.Decode(members, &in)
}

// Browse is the object for a screen, a list of one; members says that it takes a
// session.
func (s *Single[T, P]) Browse(a *kit.App, members bool) browse.Noun {
	l := Lister[T, api.PageQuery]{Path: s.Name, Plural: s.Name, View: s.view(), Connect: func(a *kit.App) (Pages[T, api.PageQuery], error) {
		c, err := s.Connect(a)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, _ api.PageQuery, options ...sdk.CallOption) (*api.Page[T], error) {
			record, err := s.Get(ctx, c, options...)
			if err != nil {
				return nil, err
			}
			return &api.Page[T]{Data: []T{*record}}, nil
		}, nil
	}}
	n := l.Browse(a, Screen[T]{Members: members})
	n.Command = func(*browse.Row) string { return "svcctl " + s.Name + " get" }
	return n
}
