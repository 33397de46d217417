package resource

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Offer says how a kind is offered.
type Offer[T, Q any] struct {
	Name string // of its operations: "cannedResponses"
	Path string // REST path; "" is for members only
	// Read and Write are what a key needs, Viewer and Editor what a member needs
	// where there is no path.
	Read, Write    op.Scope
	Viewer, Editor op.Role
	Audit          bool   // changes are noted in the audit log
	A, Many        string // in the documentation: "a tag", "tags"
	// Tool is the noun in the names of MCP tools, such as create_tag; "" is for a
	// kind that is not offered there.
	Tool string
	Docs map[string]string
	// New is an object before its input; nil is the zero one.
	New func() T
	// Page is what a query asks for, and the name of its filters; nil is all
	// objects.
	Page func(q *Q) (p kv.Page[T], scope string)
}

// Rows are the operations that every kind has: create, list, get, update and
// delete. C, P and Q are their inputs. Each member of C and P has its name in T.
func Rows[T, C, P, Q any](c *Collection[T], o Offer[T, Q]) []op.Op {
	create, patch := Copier[T, C](), Copier[T, P]()
	refOf, pageOf := part[api.Ref, P](), part[api.PageQuery, Q]()
	if o.Page == nil {
		o.Page = func(*Q) (kv.Page[T], string) { return kv.Page[T]{}, "" }
	}
	if o.New == nil {
		o.New = func() (v T) { return v }
	}
	rows := []op.Op{
		o.row("create", http.MethodPost, "", "Creates "+o.A+".", op.Func(func(ctx context.Context, who op.Caller, in C) (T, error) {
			v := o.New()
			create(&v, &in)
			return c.Create(ctx, who, v)
		})),
		o.row("list", http.MethodGet, "", "Lists "+o.Many+", newest first.", op.Func(func(ctx context.Context, who op.Caller, q Q) (api.Page[T], error) {
			p, scope := o.Page(&q)
			return c.List(ctx, who, pageOf(&q), p, scope)
		})),
		o.row("get", http.MethodGet, "/{id}", "Returns "+o.A+".", op.Func(c.Get)),
		o.row("update", http.MethodPatch, "/{id}", "Changes the members of "+o.A+" that are sent.", op.Func(func(ctx context.Context, who op.Caller, in P) (T, error) {
			return c.Change(ctx, who, refOf(&in), func(_ kv.Tx, v *T) error {
				patch(v, &in)
				return nil
			})
		})),
		o.row("delete", http.MethodDelete, "/{id}", "Deletes "+o.A+".", op.Func(c.Delete)),
	}
	rows[0].Status = http.StatusCreated
	rows[0].Refuses, rows[3].Refuses = c.kind.refuses(true), c.kind.refuses(false)
	rows[4].Hints.Destructive, rows[4].Frees = true, true
	return rows
}

// refuses are the codes that follow from the kind, for an object that is new or
// changed.
func (k *Kind[T]) refuses(fresh bool) []api.Code {
	codes := slices.Sorted(maps.Values(k.Taken))
	if k.Slug != nil {
		codes = append(codes, api.CodeSlugTaken)
	}
	if fresh && k.Max > 0 {
		codes = append(codes, api.CodeQuotaExceeded)
	}
	return codes
}

func (o *Offer[T, Q]) row(verb, method, path, doc string, do op.Do) op.Op {
	row := op.Op{Name: o.Name + "." + verb, Doc: cmp.Or(o.Docs[verb], doc), Do: do, Class: op.ClassWrite, Scope: o.Write, Session: o.Editor, Audit: o.Audit}
	if method == http.MethodGet {
		row.Class, row.Scope, row.Session, row.Audit, row.Hints.ReadOnly = op.ClassRead, o.Read, o.Viewer, false, true
	}
	if o.Path != "" {
		row.Method, row.Path = method, o.Path+path
	}
	if o.Tool != "" {
		row.Tool = verb + "_" + o.Tool
		if verb == "list" {
			row.Tool = verb + "_" + strings.ReplaceAll(o.Many, " ", "_")
		}
	}
	return row
}
