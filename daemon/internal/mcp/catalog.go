package mcp

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// tool is one entry of the catalog.
type tool struct {
	def      *mcpsdk.Tool
	op       string // name of the operation, for observers
	group    uint64 // one bit
	scope    op.Scope
	preset   bool // listed when the client asks for no toolset
	readOnly bool
	run      func(ctx context.Context, who op.Caller, in input) (answer, *api.Error)
}

// input is what a client passes to a tool.
type input struct {
	args           jsontext.Value
	idempotencyKey string
}

// catalog is all tools. It is read-only after newCatalog.
type catalog struct {
	tools  []*tool // by name
	byName map[string]*tool
	groups []string // names of the toolsets; the index is the bit
	scopes op.Scope // that make a difference to any row
}

func newCatalog(table *op.Table) catalog {
	c := catalog{byName: map[string]*tool{}}
	var rows []*row
	for _, o := range table.Ops {
		c.scopes |= o.Scope
		if o.Tool != "" && o.Session == 0 {
			rows = append(rows, &row{table: table, op: o, group: toolset(o.Name)})
		}
	}
	if posts := table.Lookup("posts.list"); posts != nil {
		rows = append(rows, searchRow(table, posts))
	}
	schemas := newSchemas(rows)
	for _, r := range rows {
		c.add(r.tool(schemas), r.group)
	}
	slices.SortFunc(c.tools, func(a, b *tool) int { return cmp.Compare(a.def.Name, b.def.Name) })
	return c
}

func (c *catalog) add(t *tool, group string) {
	if c.byName[t.def.Name] != nil {
		panic("mcp: two tools are named " + t.def.Name)
	}
	i := slices.Index(c.groups, group)
	if i < 0 {
		i = len(c.groups)
		c.groups = append(c.groups, group)
	}
	t.group = 1 << i
	c.byName[t.def.Name] = t
	c.tools = append(c.tools, t)
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
				strconv.Quote(name), strings.Join(c.groups, ", "))
		default:
			ch.groups |= 1 << i
		}
	}
	return ch, nil
}

// refuse says why the choice leaves a tool out, or nil.
func (t *tool) refuse(c choice) *api.Error {
	switch {
	case t.scope&^c.scopes != 0:
		who := op.Caller{Scopes: c.scopes}
		return op.Refusal(who.Require(t.scope))
	case c.readOnly && !t.readOnly:
		return api.NewError(405, api.CodeMethodNotAllowed, "This connection is read-only: it sends X-MCP-Readonly.")
	case t.group&c.groups == 0:
		return api.NewError(405, api.CodeMethodNotAllowed, "This connection leaves the tool out: it sends X-MCP-Toolsets.")
	}
	return nil
}

func (t *tool) listed(c choice) bool {
	return t.refuse(c) == nil && (t.preset || !c.preset)
}
