package mcp

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// tool is a row of a table as AI clients call it.
type tool struct {
	table   *op.Table
	op      *op.Op
	group   uint64 // its toolset, one bit
	content bool   // takes HTML, and so Markdown
	list    bool   // answers with a page
}

// catalog is all tools. It is read-only after newCatalog.
type catalog struct {
	tools  []*tool // by name
	byName map[string]*tool
	groups []string // names of the toolsets; the index is the bit
	scopes op.Scope // that make a difference to any row
	// described is every tool as clients see it, by name. It is made when it is
	// first asked for: it is no work for the start.
	described func() map[string]*mcpsdk.Tool
}

func newCatalog(table *op.Table) catalog {
	c := catalog{byName: map[string]*tool{}}
	for _, o := range table.Ops {
		c.scopes |= o.Scope
		if o.Tool != "" && o.Session == 0 {
			c.add(table, o, toolset(o.Name))
		}
	}
	if kinds := sources(table); len(kinds) > 0 {
		own := searchTable(table, kinds)
		c.add(own, own.Ops[0], contextToolset)
	}
	slices.SortFunc(c.tools, func(a, b *tool) int { return cmp.Compare(a.op.Tool, b.op.Tool) })
	tools := c.tools
	c.described = sync.OnceValue(func() map[string]*mcpsdk.Tool { return describe(tools) })
	return c
}

func (c *catalog) add(table *op.Table, o *op.Op, group string) {
	if c.byName[o.Tool] != nil {
		panic("mcp: two tools are named " + o.Tool)
	}
	i := slices.Index(c.groups, group)
	if i < 0 {
		i = len(c.groups)
		c.groups = append(c.groups, group)
	}
	t := &tool{
		table: table, op: o, group: 1 << i,
		content: hasMember(o.InputType(), "content"),
		list:    o.ReadOnly() && hasMember(o.InputType(), "limit"),
	}
	c.byName[o.Tool] = t
	c.tools = append(c.tools, t)
}

func hasMember(t reflect.Type, name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return member == name
	})
}

// contextToolset holds what is about the caller and about everything.
const contextToolset = "context"

// toolset is the group of an operation's tool: its noun.
func toolset(name string) string {
	noun, _, _ := strings.Cut(name, ".")
	if noun == "me" {
		return contextToolset
	}
	return noun
}

// choice is which part of the catalog one request may see and call. Requests
// of equal choice share a server.
type choice struct {
	scopes   op.Scope
	groups   uint64
	preset   bool // list the default tools only
	readOnly bool
}

// choose reads the headers that narrow the catalog. Without toolsets the
// default tools are listed, and the others may be called all the same.
func (c *catalog) choose(scopes op.Scope, toolsets, readOnly string) (choice, error) {
	ch := choice{scopes: scopes & c.scopes, groups: ^uint64(0), preset: true}
	if readOnly != "" {
		only, err := strconv.ParseBool(strings.TrimSpace(readOnly))
		if err != nil {
			return ch, api.NewError(400, api.CodeInvalidParameter, "X-MCP-Readonly must be true or false.")
		}
		ch.readOnly = only
	}
	if strings.TrimSpace(toolsets) == "" {
		return ch, nil
	}
	ch.preset, ch.groups = false, 0
	for name := range strings.SplitSeq(toolsets, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		i := slices.Index(c.groups, name)
		switch {
		case name == "all":
			ch.groups = ^uint64(0)
		case i < 0:
			return ch, api.NewError(400, api.CodeInvalidParameter, "There is no toolset %s. There are: all, %s.",
				strconv.Quote(clip(name, 60)), strings.Join(c.groups, ", "))
		default:
			ch.groups |= 1 << i
		}
	}
	return ch, nil
}

// refuse says why the choice leaves a tool out, or nil.
func (t *tool) refuse(c choice) *api.Error {
	switch {
	case t.op.Scope&^c.scopes != 0:
		who := op.Caller{Scopes: c.scopes}
		return op.Refusal(who.Require(t.op.Scope))
	case c.readOnly && !t.op.ReadOnly():
		return api.NewError(405, api.CodeMethodNotAllowed, "This connection is read-only: it sends X-MCP-Readonly.")
	case t.group&c.groups == 0:
		return api.NewError(405, api.CodeMethodNotAllowed, "This connection leaves the tool out: it sends X-MCP-Toolsets.")
	}
	return nil
}

func (t *tool) listed(c choice) bool {
	return t.refuse(c) == nil && (t.op.Hints.Default || !c.preset)
}
