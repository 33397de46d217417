package crud

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"edgesvc.dev/svc/cli/internal/contract"
	"edgesvc.dev/svc/cli/internal/kit"
)

// completes offers the objects of the noun as the first argument.
func (n *Noun[T, C, P, Q]) completes(a *kit.App, cmd *cobra.Command) {
	a.CompleteFirst(cmd, n.Names)
}

// Models are the ids of the language models, for completion.
func Models(ctx context.Context, a *kit.App) ([]string, error) {
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	models, err := c.Models(ctx)
	var names []string
	for _, m := range models {
		names = append(names, m.ID)
	}
	return names, err
}

// memberFlags are flags for the members of an input.
type memberFlags struct {
	app     *kit.App
	all     []contract.Member
	flags   map[string]string // by member; none for those without a flag
	values  map[string]*memberValue
	refs    map[string]Lookup
	instant func(string) (time.Time, error)
}

// memberValue keeps what was written until the command runs.
type memberValue struct {
	member contract.Member
	texts  []string // nil where nothing was written
	set    bool     // by a flag
	commas bool     // divide the values
}

// Set implements pflag.Value.
func (v *memberValue) Set(s string) error {
	if !v.set {
		v.texts, v.set = nil, true // not the default
	}
	if v.commas {
		v.texts = append(v.texts, strings.Split(s, ",")...)
		return nil
	}
	v.texts = append(v.texts, s)
	return nil
}

// String implements pflag.Value.
func (v *memberValue) String() string { return "" }

// Type implements pflag.Value: it is what --help shows for the value.
func (v *memberValue) Type() string {
	return map[contract.Kind]string{contract.Text: "string", contract.Bool: "bool", contract.Int: "int", contract.Number: "float", contract.Time: "time", contract.List: "list", contract.Pairs: "name=text", contract.JSON: "json"}[v.member.Kind]
}

// describer says how members become flags.
type describer struct {
	flags, help map[string]string
	refs        map[string]Lookup
	commas      []string
	argument    string // the member that is an argument, and has no flag
}

// plainFlags are the flags of members that have the same name in every noun.
var plainFlags = map[string]string{"q": "search", "include": "-", "total": "-", "createdAfter": "since", "createdBefore": "before"}

// shortFlags are the letters of flags that are typed most.
var shortFlags = map[string]string{"search": "q"}

// memberFlags gives cmd a flag for each member of the input in. What other
// types say of a member helps where the input says nothing.
func (n *describer) memberFlags(a *kit.App, cmd *cobra.Command, instant func(string) (time.Time, error), in reflect.Type, of ...reflect.Type) *memberFlags {
	f := &memberFlags{app: a, all: contract.Members(in), flags: map[string]string{}, values: map[string]*memberValue{}, refs: n.refs, instant: instant}
	docs := map[string]string{}
	for _, t := range of {
		maps.Copy(docs, contract.Docs(t))
	}
	for _, m := range f.all {
		name := n.flagOf(m)
		if name == "-" || m.Name == n.argument {
			continue
		}
		f.flags[m.Name] = name
		v := &memberValue{member: m, commas: slices.Contains(n.commas, m.Name)}
		f.values[m.Name] = v
		flag := cmd.Flags().VarPF(v, name, shortFlags[name], n.helpOf(m, docs))
		if m.Kind == contract.Bool {
			flag.NoOptDefVal = "true"
		}
		f.complete(cmd, flag, m)
	}
	return f
}

func (n *describer) flagOf(m contract.Member) string {
	if name, ok := n.flags[m.Name]; ok {
		return name
	}
	if ref, ok := n.refs[m.Name]; ok && ref.Flag != "" {
		return ref.Flag
	}
	if name, ok := plainFlags[m.Name]; ok {
		return name
	}
	return m.Flag()
}

// help describes a flag: what the contract says, the values, and where it reads
// from.
func (n *describer) helpOf(m contract.Member, docs map[string]string) string {
	text := m.Doc
	switch {
	case n.help[m.Name] != "":
		text = n.help[m.Name]
	case n.refs[m.Name].Help != "":
		text = n.refs[m.Name].Help
	case text == "" && docs[m.Name] != "":
		text = docs[m.Name]
	case text == "":
		text = contract.Words(m.Name)
	}
	if len(m.Enum) > 0 && !strings.Contains(strings.ToLower(text), strings.ToLower(m.Enum[0])) {
		text += ": " + contract.Choices(m.Enum)
	}
	switch {
	case m.Kind == contract.List, m.Kind == contract.Pairs:
		text += "; may be repeated"
	case m.Kind == contract.JSON:
		text += "; JSON, or @file"
	case m.Long && !strings.Contains(text, "@"):
		text += "; @file or @- reads it"
	}
	return text
}

// complete offers the values of an enumeration or the names of objects.
func (f *memberFlags) complete(cmd *cobra.Command, flag *pflag.Flag, m contract.Member) {
	names := f.refs[m.Name].Names
	if names == nil && m.Name == "model" {
		names = Models
	}
	switch {
	case len(m.Enum) > 0:
		values := strings.Split(strings.ToLower(strings.Join(m.Enum, ",")), ",")
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	case m.Name == "q":
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.NoFileCompletions) // the flag exists
	case names != nil:
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, f.app.Completion(names))
	}
}

// flag is the name of a member's flag.
func (f *memberFlags) flag(m contract.Member) string { return f.flags[m.Name] }

// names lists the flags, as --title.
func (f *memberFlags) names() []string {
	var names []string
	for _, m := range f.all {
		if name := f.flags[m.Name]; name != "" {
			names = append(names, "--"+name)
		}
	}
	return names
}

// needed are the members without which nothing can be created.
func (f *memberFlags) needed(more []string) []contract.Member {
	var needed []contract.Member
	for _, m := range f.all {
		if m.Required || slices.Contains(more, m.Name) {
			needed = append(needed, m)
		}
	}
	return needed
}

// sample is the first flag that takes a text, with a value.
func (f *memberFlags) sample() string {
	for _, m := range f.all {
		if name := f.flags[m.Name]; name != "" && m.Kind == contract.Text && !m.Required && len(m.Enum) == 0 {
			if m.Long {
				return " --" + name + " @" + m.Name + ".md"
			}
			return " --" + name + " 'New " + contract.Words(m.Name) + "'"
		}
	}
	return ""
}

// members are those that the flags give, as JSON.
func (f *memberFlags) members(ctx context.Context) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	for name, v := range f.values {
		if v.texts == nil {
			continue
		}
		raw, err := f.encode(ctx, name, v)
		if err != nil {
			return nil, err
		}
		members[name] = raw
	}
	return members, nil
}

func (f *memberFlags) encode(ctx context.Context, name string, v *memberValue) (json.RawMessage, error) {
	texts := slices.Clone(v.texts)
	for i, text := range texts {
		var err error
		if v.member.Long || v.member.Kind == contract.JSON {
			if texts[i], err = f.app.Text(text); err != nil {
				return nil, err
			}
		}
		if find := f.refs[name].Find; find != nil && text != "" {
			if texts[i], err = find(kit.Reading(ctx), f.app, text); err != nil {
				return nil, err
			}
		}
	}
	raw, err := v.member.Encode(texts, f.instant)
	if err != nil {
		return nil, kit.Usage("--%s %s", f.flags[name], strings.TrimPrefix(err.Error(), contract.ErrValue.Error()+" "))
	}
	return raw, nil
}

func past(s string) (time.Time, error) {
	t, err := kit.ParseSince(s)
	return t.Time(), err
}

func future(s string) (time.Time, error) {
	t, err := kit.ParseUntil(s)
	return t.Time(), err
}

func asAny(members map[string]json.RawMessage) map[string]any {
	query := make(map[string]any, len(members))
	for name, raw := range members {
		query[name] = raw
	}
	return query
}
