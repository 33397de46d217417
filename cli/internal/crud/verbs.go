package crud

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/contract"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
)

// NewList is the verb list.
func (n *Noun[T, C, P, Q]) NewList(a *kit.App) *cobra.Command {
	l := Lister[T, Q]{
		Path: n.path(), Plural: Plural(n.Kind), View: n.View(), Flags: n.Flags, Help: n.Help, Refs: n.Refs,
		Connect: func(a *kit.App) (Pages[T, Q], error) {
			s, err := n.Connect(a)
			if err != nil {
				return nil, err
			}
			return s.List, nil
		},
	}
	return l.New(a)
}

func (n *Noun[T, C, P, Q]) describer() *describer {
	return &describer{flags: n.Flags, help: n.Help, refs: n.Refs, commas: n.Commas}
}

// NewGet is the verb get.
func (n *Noun[T, C, P, Q]) NewGet(a *kit.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "get " + n.argument(), Short: "Show " + article(n.Kind), Aliases: []string{"show"}, Args: kit.Exactly(n.wanted()), Example: n.examples("get " + n.Example),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := n.Connect(a)
			if err != nil {
				return err
			}
			record, err := n.Find(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			return kit.ShowOne(a, n.View(), record)
		},
	}
	n.completes(a, cmd)
	return cmd
}

// NewCreate is the verb create.
func (n *Noun[T, C, P, Q]) NewCreate(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	file := &kit.File{App: a, Noun: n.Kind}
	cmd := &cobra.Command{Use: "create", Short: "Create " + article(n.Kind), Aliases: []string{"new"}, Args: kit.Exactly()}
	if n.Argument != "" {
		cmd.Use, cmd.Args = "create "+strings.ToUpper(n.Argument), kit.Exactly(article(contract.Words(n.Argument)))
	}
	d := n.describer()
	d.argument = n.Argument
	f := d.memberFlags(a, cmd, future, reflect.TypeFor[C](), reflect.TypeFor[T]())
	file.Add(cmd)
	w.Add(cmd)
	cmd.Example = n.createExample(f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		members, err := input(cmd.Context(), a, f, file, n.Read)
		if err != nil {
			return err
		}
		if n.Argument != "" {
			if members[n.Argument], err = json.Marshal(args[0]); err != nil {
				return err
			}
		}
		if missing := n.missing(f, members); missing != "" && file.Name == "" {
			return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: article(n.Kind) + " needs " + missing, Hint: strings.TrimSpace(strings.Split(cmd.Example, "\n")[0])}
		}
		var in C
		if err := file.Decode(members, &in); err != nil {
			return err
		}
		return n.create(cmd.Context(), a, w, in)
	}
	return cmd
}

func (n *Noun[T, C, P, Q]) create(ctx context.Context, a *kit.App, w kit.WriteFlags, in C) error {
	s, err := n.writer(a, w)
	if err != nil {
		return err
	}
	record, err := s.Create(ctx, in, w.Options()...)
	if err != nil {
		return err
	}
	if n.Created != nil {
		return n.Created(a, record)
	}
	return n.changed(a, "created", record)
}

// writer connects for a verb that changes something.
func (n *Noun[T, C, P, Q]) writer(a *kit.App, w kit.WriteFlags) (Service[T, C, P, Q], error) {
	a.Rehearse(w)
	return n.Connect(a)
}

// input is what the file says, with the flags over it.
func input(ctx context.Context, a *kit.App, f *memberFlags, file *kit.File, read func(context.Context, *kit.App, map[string]json.RawMessage) error) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if file.Name != "" {
		var err error
		if members, err = file.Read(); err != nil {
			return nil, err
		}
		if read != nil {
			if err := read(ctx, a, members); err != nil {
				return nil, err
			}
		}
	}
	flags, err := f.members(ctx)
	for name, value := range flags {
		members[name] = value
	}
	return members, err
}

func nothingToChange(cmd *cobra.Command, f *memberFlags, args []string) error {
	return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "say what to change", Hint: strings.Join(append([]string{cmd.CommandPath()}, args...), " ") + " " + strings.Join(f.names(), ", ")}
}

// missing lists the flags of members that a new object needs and has not got.
func (n *Noun[T, C, P, Q]) missing(f *memberFlags, members map[string]json.RawMessage) string {
	var flags []string
	for _, m := range f.needed(n.Needs) {
		if _, ok := members[m.Name]; !ok && m.Name != n.Argument {
			flags = append(flags, "--"+f.flag(m))
		}
	}
	if n := len(flags); n > 1 {
		return strings.Join(flags[:n-1], ", ") + " and " + flags[n-1]
	}
	return strings.Join(flags, "")
}

// NewUpdate is the verb update, also called patch.
func (n *Noun[T, C, P, Q]) NewUpdate(a *kit.App) *cobra.Command {
	ref := ""
	cmd := n.NewUpdateOf(a, "update", "Change "+article(n.Kind), func(ctx context.Context, w kit.WriteFlags) (string, error) {
		s, err := n.writer(a, w)
		if err != nil {
			return "", err
		}
		return n.FindID(ctx, s, ref)
	})
	run := cmd.RunE
	cmd.Use, cmd.Aliases, cmd.Args = "update "+n.argument(), []string{"patch"}, kit.Exactly(n.wanted())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref = args[0]
		return run(cmd, args)
	}
	n.completes(a, cmd)
	return cmd
}

// NewUpdateOf is a verb that changes an object that no argument names: which
// finds its id.
func (n *Noun[T, C, P, Q]) NewUpdateOf(a *kit.App, verb, short string, which func(ctx context.Context, w kit.WriteFlags) (string, error)) *cobra.Command {
	w := kit.WriteFlags{Versioned: n.versioned()}
	file := &kit.File{App: a, Noun: n.Kind}
	cmd := &cobra.Command{Use: verb, Short: short, Args: kit.Exactly()}
	f := n.describer().memberFlags(a, cmd, future, reflect.TypeFor[P](), reflect.TypeFor[T](), reflect.TypeFor[C]())
	file.Add(cmd)
	w.Add(cmd)
	cmd.Example = n.examples(verb+" "+n.Example+f.sample(), verb+" "+n.Example+" -f "+n.Name+".yaml --dry-run")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		members, err := input(cmd.Context(), a, f, file, n.Read)
		if err != nil {
			return err
		}
		if len(members) == 0 {
			return nothingToChange(cmd, f, args)
		}
		id, err := which(cmd.Context(), w)
		if err != nil {
			return err
		}
		return n.update(cmd.Context(), a, w, id, members, file)
	}
	return cmd
}

func (n *Noun[T, C, P, Q]) update(ctx context.Context, a *kit.App, w kit.WriteFlags, id string, members map[string]json.RawMessage, file *kit.File) error {
	s, err := n.writer(a, w)
	if err != nil {
		return err
	}
	if members["id"], err = json.Marshal(id); err != nil {
		return err
	}
	version, err := w.Version()
	if err != nil {
		return err
	}
	if version > 0 {
		members["ifMatch"] = json.RawMessage(fmt.Sprint(version))
	}
	var patch P
	if err := file.Decode(members, &patch); err != nil {
		return err
	}
	record, err := s.Update(ctx, patch, w.Options()...)
	if err != nil {
		return err
	}
	return n.changed(a, "changed", record)
}

// NewDelete is the verb delete: the name is typed, or --yes given.
func (n *Noun[T, C, P, Q]) NewDelete(a *kit.App) *cobra.Command {
	w, end := kit.WriteFlags{Versioned: n.versioned()}, n.ending()
	cmd := &cobra.Command{
		Use: end.Verb + " " + n.argument(), Short: end.Short, Aliases: []string{"rm"}, Args: kit.Exactly(n.wanted()), Example: n.examples(end.Verb+" "+n.Example, end.Verb+" "+n.Example+" --yes"),
		RunE: func(cmd *cobra.Command, args []string) error { return n.delete(cmd.Context(), a, w, args[0]) },
	}
	w.Add(cmd)
	n.completes(a, cmd)
	return cmd
}

// versioned reports that changes may ask for a version.
func (n *Noun[T, C, P, Q]) versioned() bool { return contract.Has(reflect.TypeFor[P](), "ifMatch") }

func (n *Noun[T, C, P, Q]) ending() Ending {
	if n.End.Verb != "" {
		return n.End
	}
	return Ending{"delete", "deleted", "Delete " + article(n.Kind)}
}

func (n *Noun[T, C, P, Q]) delete(ctx context.Context, a *kit.App, w kit.WriteFlags, ref string) error {
	version, err := w.Version()
	if err != nil {
		return err
	}
	s, err := n.writer(a, w)
	if err != nil {
		return err
	}
	record, err := n.Find(ctx, s, ref)
	if err != nil {
		return err
	}
	id, label := idOf(record), n.label(record)
	if !w.DryRun {
		if err := a.Confirm(gerund(n.ending().Verb)+" "+id, label); err != nil {
			return err
		}
	}
	if err := s.Delete(ctx, api.Ref{ID: id, IfMatch: version}, w.Options()...); err != nil {
		return err
	}
	a.IO.Say("%s %s", n.ending().Done, terminal.Line(label))
	return nil
}

// Act is a verb that takes one object and shows it after the change.
type Act[T any] struct {
	Verb, Short, Long string
	Done              string // what is told, such as activated; nothing when empty
	Do                func(ctx context.Context, a *kit.App, ref api.Ref, w kit.WriteFlags) (*T, error)
}

// NewAct is a verb of the noun's own.
func (n *Noun[T, C, P, Q]) NewAct(a *kit.App, act Act[T]) *cobra.Command {
	w := kit.WriteFlags{Versioned: n.versioned()}
	cmd := &cobra.Command{
		Use: act.Verb + " " + n.argument(), Short: act.Short, Long: act.Long, Args: kit.Exactly(n.wanted()), Example: n.examples(act.Verb + " " + n.Example),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := w.Version()
			if err != nil {
				return err
			}
			s, err := n.writer(a, w)
			if err != nil {
				return err
			}
			id, err := n.FindID(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			record, err := act.Do(cmd.Context(), a, api.Ref{ID: id, IfMatch: version}, w)
			if err != nil {
				return err
			}
			if act.Done != "" {
				a.IO.Say("%s %s", act.Done, n.label(record))
			}
			return kit.ShowOne(a, n.View(), record)
		},
	}
	w.Add(cmd)
	n.completes(a, cmd)
	return cmd
}

// examples are command lines of this noun.
func (n *Noun[T, C, P, Q]) examples(lines ...string) string {
	for i, line := range lines {
		lines[i] = "  svcctl " + n.path() + " " + line
	}
	return strings.Join(lines, "\n")
}

// createExample names a new object and fills what it needs.
func (n *Noun[T, C, P, Q]) createExample(f *memberFlags) string {
	line := "create"
	if n.Argument != "" {
		line += " " + n.Example
	}
	for _, m := range f.needed(n.Needs) {
		if m.Name != n.Argument {
			line += " --" + f.flag(m) + " " + n.sampleOf(m)
		}
	}
	return n.examples(line, "create -f "+n.Name+".yaml --dry-run")
}

func (n *Noun[T, C, P, Q]) sampleOf(m contract.Member) string {
	switch {
	case n.Refs[m.Name].Flag != "":
		return strings.ToUpper(n.Refs[m.Name].Flag)
	case m.Name == n.By:
		return n.Example
	case len(m.Enum) > 0:
		return strings.ToLower(m.Enum[0])
	case m.Long:
		return "@" + m.Name + ".md"
	}
	return strings.ToUpper(contract.Words(m.Name))
}
