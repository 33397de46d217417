// Package resource is what the objects that a team keeps have in common: an id,
// a version and two times; how one is created, read, listed, changed and
// deleted; and the operations that offer it. A Kind says what is special about
// its objects. The package knows no domain, no parents and no search.
package resource

import (
	"context"
	"errors"
	"net/http"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Kind describes one kind of object, as a kv.Table describes its records. T is
// the stored record; it embeds api.Head unless Head finds it elsewhere.
type Kind[T any] struct {
	Table  *kv.Table[T]
	Index  string // of all objects, in the order of lists
	Prefix string // of ids
	Noun   string // in refusals, for one object
	Plural string // "" is the noun with an s
	Max    int    // objects per team; 0 is no limit
	Head   func(v *T) Head
	// Validate brings an object into the form in which it is kept, and refuses
	// what its schema cannot say. before is nil for a new object.
	Validate func(tx kv.Tx, who op.Caller, before, after *T) error
	// OnDelete removes what belongs to an object, or refuses to delete it.
	OnDelete func(tx kv.Tx, who op.Caller, v *T) error
	// Events tell of each change; nil is for a kind without events.
	Events *Events[T]
	// Taken are the codes of refusals by unique index.
	Taken map[string]api.Code
	// Slug is for objects that have one, nil for others. Their unique index is
	// "slug".
	Slug *Slug[T]
}

// Head is where a record keeps what all objects have. ID may lead to a field that
// is not stored: it is set whenever a record is read.
type Head struct {
	ID                   *string
	Version              *int
	CreatedAt, UpdatedAt *api.Time
}

// HeadOf is the head of a record that holds an api.Head.
func HeadOf(h *api.Head) Head { return Head{&h.ID, &h.Version, &h.CreatedAt, &h.UpdatedAt} }

// Slug says how objects come by their slugs. One that is not given is derived,
// and gives way to a numbered one where it is taken; one that is given is
// refused.
type Slug[T any] struct {
	Names slug.Names
	Of    func(v *T) (slug *string, from string) // and the text that it is derived from
}

// Collection is the objects of one kind in a store. It is safe for concurrent
// use.
type Collection[T any] struct {
	kind    Kind[T]
	store   kv.Store
	now     func() time.Time
	members []member
}

// New returns the objects of a kind in store. It panics on a kind that
// contradicts itself, for that is a mistake in the program.
func New[T any](store kv.Store, now func() time.Time, k Kind[T]) *Collection[T] {
	if k.Head == nil {
		k.Head = embeddedHead[T]()
	}
	if k.Plural == "" {
		k.Plural = k.Noun + "s"
	}
	if k.Validate == nil {
		k.Validate = func(kv.Tx, op.Caller, *T, *T) error { return nil }
	}
	if k.OnDelete == nil {
		k.OnDelete = func(kv.Tx, op.Caller, *T) error { return nil }
	}
	return &Collection[T]{kind: k, store: store, now: now, members: membersOf[T]()}
}

// Create stores v under an id of its own.
func (c *Collection[T]) Create(ctx context.Context, who op.Caller, v T) (T, error) {
	return op.Update(ctx, c.store, who, func(tx kv.Tx) (T, error) { return c.CreateIn(tx, who, v) })
}

// CreateIn is Create in a transaction of the caller's.
func (c *Collection[T]) CreateIn(tx kv.Tx, who op.Caller, v T) (T, error) {
	now := c.now()
	h := c.kind.Head(&v)
	*h.ID, *h.Version, *h.CreatedAt, *h.UpdatedAt = kv.IDAt(c.kind.Prefix, now), 1, api.TimeOf(now), api.TimeOf(now)
	if err := c.kind.Validate(tx, who, nil, &v); err != nil {
		return v, err
	}
	if err := c.room(tx, who.Team); err != nil {
		return v, err
	}
	if err := c.insert(tx, who.Team, &v); err != nil || c.kind.Events == nil {
		return v, err
	}
	return v, c.kind.Events.created(tx, who, &v)
}

func (c *Collection[T]) insert(tx kv.Tx, team string, v *T) (err error) {
	id := *c.kind.Head(v).ID
	if s := c.kind.Slug; s == nil {
		err = c.kind.Table.Insert(tx, team, id, v)
	} else {
		_, err = slug.Insert(tx, s.Names, c.kind.Table, team, id, v, s.derive(v), func(v *T, free string) (*T, error) {
			at, _ := s.Of(v)
			*at = free
			return v, nil
		})
	}
	return c.taken(tx, team, err)
}

func (s *Slug[T]) derive(v *T) bool {
	at, from := s.Of(v)
	if *at != "" {
		return false
	}
	*at = s.Names.Of(from)
	return true
}

// Get returns one object.
func (c *Collection[T]) Get(ctx context.Context, who op.Caller, ref api.Ref) (out T, err error) {
	err = c.store.View(ctx, func(tx kv.Tx) error {
		v, err := c.open(tx, who.Team, ref)
		if err == nil {
			out = *v
		}
		return err
	})
	return out, err
}

// List returns one page. scope names its filters, as in op.List.
func (c *Collection[T]) List(ctx context.Context, who op.Caller, q api.PageQuery, p kv.Page[T], scope string) (page api.Page[T], err error) {
	if p.Index == "" {
		p.Index = c.kind.Index
	}
	err = c.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, c.kind.Table, who.Team, scope, q, p, func(_ string, v *T) (T, error) { return *v, nil })
		return err
	})
	return page, err
}

// open reads an object of the version that the caller saw.
func (c *Collection[T]) open(tx kv.Tx, team string, ref api.Ref) (*T, error) {
	v, err := c.kind.Table.Get(tx, team, ref.ID)
	if err != nil {
		return nil, err
	}
	h := c.kind.Head(v)
	*h.ID = ref.ID
	return v, op.CheckVersion(ref.IfMatch, *h.Version)
}

// room refuses one more object than a team may have.
func (c *Collection[T]) room(tx kv.Tx, team string) error {
	if c.kind.Max == 0 {
		return nil
	}
	all, err := c.kind.Table.List(tx, team, kv.Page[T]{Index: c.kind.Index, Limit: c.kind.Max, Budget: c.kind.Max + 1, Skip: op.Unreadable})
	if err == nil && len(all.IDs) >= c.kind.Max {
		err = api.NewError(http.StatusConflict, api.CodeQuotaExceeded,
			"The team has %d %s, which is the most. Delete one first.", c.kind.Max, c.kind.Plural)
	}
	return err
}

// taken turns a conflict of a unique index into its refusal.
func (c *Collection[T]) taken(tx kv.Tx, team string, err error) error {
	if c.kind.Slug != nil {
		err = slug.Refuse(tx, c.kind.Slug.Names, c.kind.Table, team, err)
	}
	conflict, ok := errors.AsType[*kv.ConflictError](err)
	if !ok || c.kind.Taken[conflict.Index] == "" {
		return err
	}
	e := api.NewError(http.StatusConflict, c.kind.Taken[conflict.Index], "Another %s has this %s.", c.kind.Noun, conflict.Index)
	e.ExistingID = conflict.ID
	return e
}
