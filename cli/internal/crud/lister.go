package crud

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/contract"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Pages gives one page of a list.
type Pages[T, Q any] = func(ctx context.Context, q Q, options ...sdk.CallOption) (*api.Page[T], error)

// Lister is a verb that lists objects. A noun that is no more than a list of
// objects has nothing else.
type Lister[T, Q any] struct {
	Path    string // the noun, as it is typed
	Verb    string // list unless set
	Aliases []string
	Plural  string // what is listed, in sentences
	Example string // the arguments and flags of an example

	Connect func(*kit.App) (Pages[T, Q], error)
	Columns []output.Column[T]
	View    output.View[T] // instead of Columns
	// IDMember is the member that -o ids prints; id unless it is set.
	IDMember string

	// Argument, such as TASK, is what the list is of: the member Of of the query,
	// described by Wanted in refusals.
	Argument, Wanted, Of string

	Flags map[string]string // as in Noun
	Help  map[string]string // as in Noun
	Refs  map[string]Lookup // as in Noun
	// More adds flags of the verb's own, and returns what they do to the query.
	More     func(cmd *cobra.Command) func(query map[string]json.RawMessage)
	Defaults map[string]string // texts of members where no flag is given
}

// New is the verb.
func (l *Lister[T, Q]) New(a *kit.App) *cobra.Command {
	var flags kit.ListFlags
	verb := l.Verb
	if verb == "" {
		verb, l.Aliases = "list", append(l.Aliases, "ls")
	}
	cmd := &cobra.Command{Use: strings.TrimSpace(verb + " " + l.Argument), Short: "List " + l.Plural, Aliases: l.Aliases, Args: kit.Exactly()}
	example := strings.TrimSpace(strings.ToLower(l.Argument) + " " + l.Example)
	if example == "" {
		example = "--limit 5 -o json"
	}
	cmd.Example = "  svcctl " + l.Path + " " + verb + " " + example
	flags.AddPaged(cmd)
	_ = cmd.RegisterFlagCompletionFunc("sort", a.Completion(orders[T]())) // the flag exists
	n := &describer{flags: l.Flags, help: l.Help, refs: l.Refs, argument: l.Of}
	f := n.memberFlags(a, cmd, past, reflect.TypeFor[Q](), reflect.TypeFor[T]())
	for member, text := range l.Defaults {
		f.values[member].texts = []string{text}
		cmd.Flags().Lookup(f.flags[member]).DefValue = text
	}
	if l.Argument != "" {
		cmd.Args = kit.Exactly(l.Wanted)
		if names := l.Refs[l.Of].Names; names != nil {
			a.CompleteFirst(cmd, names)
		}
	}
	more := func(map[string]json.RawMessage) {}
	if l.More != nil {
		more = l.More(cmd)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		members, err := f.members(cmd.Context())
		if err != nil {
			return err
		}
		if l.Argument != "" {
			if members[l.Of], err = l.of(cmd.Context(), a, args[0]); err != nil {
				return err
			}
		}
		more(members)
		list, err := l.Connect(a)
		if err != nil {
			return err
		}
		return showPages(cmd.Context(), a, flags, l.view(), list, asAny(members))
	}
	return cmd
}

// of is the id of what the list is of, as JSON.
func (l *Lister[T, Q]) of(ctx context.Context, a *kit.App, ref string) (json.RawMessage, error) {
	id, err := l.ofID(ctx, a, ref)
	if err != nil {
		return nil, err
	}
	return json.Marshal(id)
}

func (l *Lister[T, Q]) ofID(ctx context.Context, a *kit.App, ref string) (string, error) {
	if find := l.Refs[l.Of].Find; find != nil {
		return find(ctx, a, ref)
	}
	return ref, nil
}

func (l *Lister[T, Q]) view() output.View[T] {
	if l.View.Columns != nil {
		return l.View
	}
	id := l.IDMember
	if id == "" {
		id = "id"
	}
	return output.View[T]{ID: column[T](id).Value, Columns: l.Columns}
}

// ByKey lets a lookup use the API key.
func ByKey(find func(ctx context.Context, c *sdk.Client, ref string) (string, error)) func(context.Context, *kit.App, string) (string, error) {
	return func(ctx context.Context, a *kit.App, ref string) (string, error) {
		c, err := a.Client()
		if err != nil {
			return "", err
		}
		return find(ctx, c, ref)
	}
}

// orders are the members by which a list can be sorted.
func orders[T any]() kit.Names {
	var names []string
	for _, m := range contract.Members(reflect.TypeFor[T]()) {
		names = append(names, m.Name, "-"+m.Name)
	}
	return kit.Fixed(names...)
}
