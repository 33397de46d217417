package trpc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

const typesHead = `// The procedures of svc at /svc-api/trpc, for @trpc/client version 11 with superjson.
//
//   import type { AppRouter } from './trpc';
//   const svc = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: '/svc-api/trpc', transformer: superjson, methodOverride: 'POST' })] });

import type { TRPCBuiltRouter, TRPCQueryProcedure, TRPCMutationProcedure, TRPCSubscriptionProcedure } from '@trpc/server';

`

const typesTail = `
/** An error as clients get it: data.problem is what the API says of it, as on REST. */
export interface ErrorShape {
  message: string;
  code: number;
  data: { code: string; httpStatus: number; path?: string; retryAfter?: number; problem?: Problem };
}

type Root = { ctx: object; meta: object; errorShape: ErrorShape; transformer: true };
type Query<I, O> = TRPCQueryProcedure<{ input: I; output: O; meta: unknown }>;
type Mutation<I, O> = TRPCMutationProcedure<{ input: I; output: O; meta: unknown }>;
type Subscription<I, O> = TRPCSubscriptionProcedure<{ input: I; output: AsyncIterable<O | { id: string; data: O }, void, unknown>; meta: unknown }>;

export type AppRouter = TRPCBuiltRouter<Root, {
`

// Types is the table as TypeScript declarations, the same bytes for the same
// table.
func Types(table *op.Table) []byte {
	d := declarations{names: map[reflect.Type]string{}, taken: map[string]bool{"AppRouter": true, "ErrorShape": true, "Root": true, "Query": true, "Mutation": true, "Subscription": true}}
	d.name(reflect.TypeFor[api.Error](), "Problem")
	root := &branch{}
	for _, o := range table.Ops {
		kind := "Mutation"
		if o.ReadOnly() {
			kind = "Query"
		}
		root.add(o.Name, o.Doc, fmt.Sprintf("%s<%s, %s>", kind, d.input(o.InputType(), !o.ReadOnly()), d.of(o.OutputType())))
	}
	for _, s := range table.Streams {
		root.add(s.Name, s.Doc, fmt.Sprintf("Subscription<%s, %s>", d.input(s.InputType(), false), d.of(s.OutputType())))
	}
	var b strings.Builder
	b.WriteString(typesHead)
	slices.SortFunc(d.written, func(a, b declared) int { return cmp.Compare(a.name, b.name) })
	for _, one := range d.written {
		b.WriteString(one.text)
	}
	b.WriteString(typesTail)
	root.write(&b, "  ")
	b.WriteString("}>;\n")
	return []byte(b.String())
}

// branch is a router: its members by their order of coming.
type branch struct {
	names    []string
	children map[string]*branch
	doc      string
	leaf     string // of a procedure
}

func (n *branch) add(path, doc, leaf string) {
	for name := range strings.SplitSeq(path, ".") {
		child := n.children[name]
		if child == nil {
			if n.children == nil {
				n.children = map[string]*branch{}
			}
			child = &branch{}
			n.children[name] = child
			n.names = append(n.names, name)
		}
		n = child
	}
	n.doc, n.leaf = doc, leaf
}

func (n *branch) write(b *strings.Builder, indent string) {
	slices.Sort(n.names)
	for _, name := range n.names {
		child := n.children[name]
		if child.leaf != "" {
			fmt.Fprintf(b, "%s%s%s: %s;\n", comment(indent, child.doc), indent, name, child.leaf)
			continue
		}
		fmt.Fprintf(b, "%s%s: {\n", indent, name)
		child.write(b, indent+"  ")
		fmt.Fprintf(b, "%s};\n", indent)
	}
}

// comment is text as the line of a doc comment, which it cannot end.
func comment(indent, text string) string {
	if text == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(text, "*/", "* /") + " */\n"
}

// declarations are the interfaces of the contract's structs.
type declarations struct {
	names   map[reflect.Type]string
	taken   map[string]bool
	written []declared
}

type declared struct{ name, text string }

// input is the type of an argument: none at all, or one that may be left out
// where every member may and that asks for something: no filters is a question,
// no changes is none.
func (d *declarations) input(t reflect.Type, changes bool) string {
	fields := members(t)
	if len(fields) == 0 {
		return "Record<string, never> | void"
	}
	name := d.of(t)
	if changes || slices.ContainsFunc(fields, func(f reflect.StructField) bool { return !optional(f) }) {
		return name
	}
	return name + " | void"
}

// of is the TypeScript of t.
func (d *declarations) of(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[api.Time]():
		return "Date"
	case t == reflect.TypeFor[json.RawMessage]():
		return "unknown"
	case t == reflect.TypeFor[[]byte](): // as base64
		return "string"
	case isOpt(t):
		return d.of(t.Field(0).Type)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return list(d.of(t.Elem()))
	case reflect.Map:
		value := d.of(t.Elem())
		if t.Elem().Kind() == reflect.Pointer {
			value += " | null"
		}
		return "Record<string, " + value + ">"
	case reflect.Struct:
		return d.structure(t)
	case reflect.Interface:
		return "unknown"
	}
	return "number"
}

func list(element string) string {
	if strings.ContainsAny(element, " |") && !strings.HasSuffix(element, ">") {
		return "(" + element + ")[]"
	}
	return element + "[]"
}

// structure names a struct, and declares it the first time. A struct whose
// members have no names is the choice among their types.
func (d *declarations) structure(t reflect.Type) string {
	if t.NumField() > 0 && t.Field(0).Tag.Get("json") == "" && !t.Field(0).Anonymous {
		var choices []string
		for i := range t.NumField() {
			choices = append(choices, d.of(t.Field(i).Type))
		}
		return strings.Join(choices, " | ")
	}
	if len(members(t)) == 0 {
		return "Record<string, never>"
	}
	if name, known := d.names[t]; known {
		return name
	}
	return d.name(t, typeName(t))
}

var packagePath = regexp.MustCompile(`[\w./-]+\.`)

// typeName is the Go name; of Page[api.Post] it is PageOfPost.
func typeName(t reflect.Type) string {
	name := packagePath.ReplaceAllString(t.Name(), "")
	return strings.NewReplacer("[", "Of", "]", "", ",", "And").Replace(name)
}

func (d *declarations) name(t reflect.Type, name string) string {
	for n := 2; d.taken[name]; n++ {
		name = fmt.Sprintf("%s%d", typeName(t), n)
	}
	d.taken[name], d.names[t] = true, name
	var b strings.Builder
	fmt.Fprintf(&b, "export interface %s {\n", name)
	for _, f := range members(t) {
		b.WriteString(d.member(f))
	}
	b.WriteString("}\n")
	d.written = append(d.written, declared{name, b.String()})
	return name
}

func (d *declarations) member(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	mark, kind := "", d.of(f.Type)
	if values := f.Tag.Get("enum"); values != "" {
		kind = choice(f.Type, values)
	}
	if optional(f) {
		mark = "?"
	}
	if isOpt(f.Type) || f.Tag.Get("null") == "true" {
		kind += " | null"
	}
	if mark == "?" {
		kind += " | undefined"
	}
	return fmt.Sprintf("%s  %s%s: %s;\n", comment("  ", f.Tag.Get("doc")), name, mark, kind)
}

// choice is the values of an enum, of each element where t is a list.
func choice(t reflect.Type, values string) string {
	quoted := "'" + strings.ReplaceAll(values, ",", "' | '") + "'"
	if isOpt(t) {
		t = t.Field(0).Type
	}
	if t.Kind() == reflect.Slice {
		return "(" + quoted + ")[]"
	}
	return quoted
}

// optional reports whether a member may be absent.
func optional(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.Contains(options, "omit") || f.Tag.Get("required") == "false"
}

// members are the fields that are on the wire, those of embedded structs
// among them.
func members(t reflect.Type) []reflect.StructField {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous && name != "" && name != "-" {
			fields = append(fields, f)
		}
	}
	return fields
}

func isOpt(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Opt[") && t.PkgPath() == reflect.TypeFor[api.Error]().PkgPath()
}
