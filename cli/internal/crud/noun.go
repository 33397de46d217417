// Package crud makes the verbs of a noun from the contract: list, get, create, update
// and delete, with a flag for each member of what they send, and names, ids or
// addresses for objects. A noun is a value that says what is special to it.
package crud

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Service is what the sdk has for objects T: C creates one, P changes it, Q
// lists.
type Service[T, C, P, Q any] interface {
	List(ctx context.Context, q Q, options ...sdk.CallOption) (*api.Page[T], error)
	Get(ctx context.Context, id string, options ...sdk.CallOption) (*T, error)
	Create(ctx context.Context, in C, options ...sdk.CallOption) (*T, error)
	Update(ctx context.Context, patch P, options ...sdk.CallOption) (*T, error)
	Delete(ctx context.Context, ref api.Ref, options ...sdk.CallOption) error
}

// Noun is a kind of object. Its verbs list, get, create, update and delete come
// from the contract: a flag for each member of C, P and Q.
type Noun[T, C, P, Q any] struct {
	Name    string // as it is typed, such as canned
	Under   string // the noun that it is a verb of, such as help-article
	Aliases []string
	Kind    string // in sentences, such as canned response
	Short   string
	Example string // the name of one, for examples

	// Connect opens what the verbs call.
	Connect func(*kit.App) (Service[T, C, P, Q], error)

	Prefix string // of ids, such as can_
	// By is the member by which people name an object beside its id.
	By      string
	Columns []output.Column[T]

	Argument string            // the member of C that create takes as an argument
	Needs    []string          // members that create needs here beside those of the contract
	Flags    map[string]string // flags of members that are not those of the contract; - is none
	Help     map[string]string // of flags, by member, where the contract's is not enough
	Refs     map[string]Lookup // members that name another object
	// Read turns the members of a file into those of the API.
	Read   func(ctx context.Context, a *kit.App, members map[string]json.RawMessage) error
	Commas []string // list members whose values may be separated by commas
	// Created shows an object that create made, where that is not as always.
	Created func(a *kit.App, record *T) error
	End     Ending
	// IDOnly prints the id of an object that was changed, for the next command,
	// where no format is asked for.
	IDOnly bool
}

// Ending is the verb that ends an object; delete unless it is set.
type Ending struct{ Verb, Done, Short string }

// Lookup finds the id of the object that a person names.
type Lookup struct {
	Flag string // such as agent
	Help string
	Find func(ctx context.Context, a *kit.App, ref string) (string, error)
	// Names completes the flag's value.
	Names kit.Names
}

// Command is the noun with its five verbs and more.
func (n *Noun[T, C, P, Q]) Command(a *kit.App, more ...*cobra.Command) *cobra.Command {
	verbs := []*cobra.Command{n.NewList(a), n.NewGet(a), n.NewCreate(a), n.NewUpdate(a), n.NewDelete(a)}
	return kit.Group(n.Name, n.Short, n.Aliases, append(verbs, more...)...)
}

// path is the noun as it is typed after svcctl.
func (n *Noun[T, C, P, Q]) path() string { return strings.TrimSpace(n.Under + " " + n.Name) }

// View is how the objects are shown.
func (n *Noun[T, C, P, Q]) View() output.View[T] {
	return output.View[T]{ID: func(record *T) string { return idOf(record) }, Columns: n.Columns}
}

// idOf is the id of an object of the contract.
func idOf(record any) string {
	v := reflect.ValueOf(record).Elem().FieldByName("ID")
	if v.Kind() != reflect.String {
		return ""
	}
	return v.String()
}

// label is what people call an object.
func (n *Noun[T, C, P, Q]) label(record *T) string {
	if by := memberText(record, n.By); by != "" {
		return by
	}
	return idOf(record)
}

// memberText is a text by its name in JSON.
func memberText(record any, name string) string {
	v := reflect.ValueOf(record).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if member == name && f.Type.Kind() == reflect.String {
			return v.FieldByIndex(f.Index).String()
		}
	}
	return ""
}

// argument names an object in usages: RESPONSE.
func (n *Noun[T, C, P, Q]) argument() string {
	words := strings.Fields(n.Kind)
	return strings.ToUpper(words[len(words)-1])
}

// wanted describes the argument in refusals: the response's shortcut or id.
func (n *Noun[T, C, P, Q]) wanted() string {
	words := strings.Fields(n.Kind)
	if n.By == "" {
		return "the " + words[len(words)-1] + "'s id"
	}
	return "the " + words[len(words)-1] + "'s " + n.By + " or id"
}

// Find fetches the object that ref names by its id, its name or an address that
// ends in either.
func (n *Noun[T, C, P, Q]) Find(ctx context.Context, s Service[T, C, P, Q], ref string) (*T, error) {
	ctx = kit.Reading(ctx)
	name := kit.ParseRef(ref)
	if n.By == "" || n.isID(name) {
		return s.Get(ctx, name)
	}
	found, err := n.named(ctx, s, name)
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, &kit.Failure{Exit: kit.ExitNotFound, Code: string(api.CodeNotFound), Message: "there is no " + n.Kind + " " + name, Hint: "svcctl " + n.path() + " list"}
	}
	return nil, kit.Usage("several %s are named %s; use an id", Plural(n.Kind), name)
}

func (n *Noun[T, C, P, Q]) isID(ref string) bool {
	return n.Prefix != "" && strings.HasPrefix(ref, n.Prefix)
}

// named are the objects of that name: those of the very name, or else those
// that differ in case only.
func (n *Noun[T, C, P, Q]) named(ctx context.Context, s Service[T, C, P, Q], name string) (found []*T, err error) {
	query := map[string]any{}
	if hasQ[Q]() {
		query["q"] = name
	}
	walk := pages[T, Q]{list: s.List, query: query}
	var similar []*T
	for record, err := range walk.all(ctx) {
		if err != nil {
			return nil, err
		}
		switch by := memberText(record, n.By); {
		case by == name:
			found = append(found, record)
		case strings.EqualFold(by, name):
			similar = append(similar, record)
		}
	}
	if len(found) == 0 {
		return similar, nil
	}
	return found, nil
}

// FindID is Find where the id is enough: none is asked for.
func (n *Noun[T, C, P, Q]) FindID(ctx context.Context, s Service[T, C, P, Q], ref string) (string, error) {
	if name := kit.ParseRef(ref); n.isID(name) {
		return name, nil
	}
	record, err := n.Find(ctx, s, ref)
	if err != nil {
		return "", err
	}
	return idOf(record), nil
}

// Names are what objects may be called on the command line, for completion.
func (n *Noun[T, C, P, Q]) Names(ctx context.Context, a *kit.App) ([]string, error) {
	s, err := n.Connect(a)
	if err != nil {
		return nil, err
	}
	page, err := decodeQuery[Q](map[string]any{"limit": 100})
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx, page)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list.Data {
		names = append(names, n.label(&list.Data[i]))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// changed tells of a change and shows the object.
func (n *Noun[T, C, P, Q]) changed(a *kit.App, done string, record *T) error {
	a.IO.Say("%s %s", done, n.label(record))
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if n.IDOnly && !p.Structured() && p.Format == "" {
		return a.PrintText(idOf(record) + "\n")
	}
	return output.One(p, n.View(), record)
}

// ID is the id of the object that ref names.
func (n *Noun[T, C, P, Q]) ID(ctx context.Context, a *kit.App, ref string) (string, error) {
	if name := kit.ParseRef(ref); n.isID(name) {
		return name, nil
	}
	s, err := n.Connect(a)
	if err != nil {
		return "", err
	}
	return n.FindID(ctx, s, ref)
}

// Open is the object that ref names.
func (n *Noun[T, C, P, Q]) Open(ctx context.Context, a *kit.App, ref string) (*T, error) {
	s, err := n.Connect(a)
	if err != nil {
		return nil, err
	}
	return n.Find(ctx, s, ref)
}

// Named is the object of that name, nil when there is none.
func (n *Noun[T, C, P, Q]) Named(ctx context.Context, a *kit.App, name string) (*T, error) {
	record, err := n.Open(ctx, a, name)
	if f, ok := errors.AsType[*kit.Failure](err); ok && f.Exit == kit.ExitNotFound {
		return nil, nil
	}
	return record, err
}

// Lookup lets a flag of another noun name an object of this one.
func (n *Noun[T, C, P, Q]) Lookup(flag, help string) Lookup {
	return Lookup{Flag: flag, Help: help, Find: n.ID, Names: n.Names}
}

// Add gives a command the flag, for a verb that has no input of the contract.
func (l Lookup) Add(a *kit.App, cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, l.Flag, "", l.Help)
	_ = cmd.RegisterFlagCompletionFunc(l.Flag, a.Completion(l.Names)) // the flag exists
}

// Member connects by the session of svcctl login, for what keys may not do.
func Member[S any](of func(*sdk.Client) S) func(*kit.App) (S, error) {
	return connect(of, (*kit.App).Dashboard)
}

// Keyed connects by the API key.
func Keyed[S any](of func(*sdk.Client) S) func(*kit.App) (S, error) {
	return connect(of, (*kit.App).Client)
}

func connect[S any](of func(*sdk.Client) S, by func(*kit.App) (*sdk.Client, error)) func(*kit.App) (S, error) {
	return func(a *kit.App) (s S, err error) {
		c, err := by(a)
		if err != nil {
			return s, err
		}
		return of(c), nil
	}
}
