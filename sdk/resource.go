package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// errCursor ends a list whose next page is the page itself.
var errCursor = errors.New("the list's next page is the same page again")

// rows are the operations of one noun: their names begin with it.
type rows struct {
	t    *transport
	noun string
}

func (r rows) name(verb string) string { return r.noun + "." + verb }

// Lister lists objects T by the query Q, which holds an api.PageQuery.
type Lister[T, Q any] struct{ rows }

// List returns one page.
func (l Lister[T, Q]) List(ctx context.Context, q Q, options ...CallOption) (*api.Page[T], error) {
	return do[api.Page[T]](ctx, l.t, l.name("list"), q, options)
}

// All yields the objects of every page.
func (l Lister[T, Q]) All(ctx context.Context, q Q, options ...CallOption) iter.Seq2[*T, error] {
	return all[T](ctx, l.t, l.name("list"), q, options)
}

// Resource is the access to objects T: C creates one, P changes it, Q lists.
type Resource[T, C, P, Q any] struct{ Lister[T, Q] }

func resource[T, C, P, Q any](t *transport, noun string) Resource[T, C, P, Q] {
	return Resource[T, C, P, Q]{Lister[T, Q]{rows{t, noun}}}
}

// Create makes an object.
func (r Resource[T, C, P, Q]) Create(ctx context.Context, in C, options ...CallOption) (*T, error) {
	return do[T](ctx, r.t, r.name("create"), in, options)
}

// Get returns the object with that id.
func (r Resource[T, C, P, Q]) Get(ctx context.Context, id string, options ...CallOption) (*T, error) {
	return do[T](ctx, r.t, r.name("get"), api.Ref{ID: id}, options)
}

// Update changes the members that are set in patch, which names the object.
// With IfMatch it refuses (version_conflict) when the object has another version
// by now.
func (r Resource[T, C, P, Q]) Update(ctx context.Context, patch P, options ...CallOption) (*T, error) {
	return do[T](ctx, r.t, r.name("update"), patch, options)
}

// Delete removes an object for good.
func (r Resource[T, C, P, Q]) Delete(ctx context.Context, ref api.Ref, options ...CallOption) error {
	return r.run(ctx, "delete", ref, options)
}

// one calls an operation that answers with the object.
func (r Resource[T, C, P, Q]) one(ctx context.Context, verb string, in any, options []CallOption) (*T, error) {
	return do[T](ctx, r.t, r.name(verb), in, options)
}

// run calls an operation whose answer says nothing that the caller does not know.
func (r rows) run(ctx context.Context, verb string, in any, options []CallOption) error {
	_, err := do[struct{}](ctx, r.t, r.name(verb), in, options)
	return err
}

// all walks the pages of a list from the query's cursor on, 100 objects at a time
// unless the query says otherwise. After an error it yields that error and ends.
func all[T any](ctx context.Context, t *transport, name string, q any, options []CallOption) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		query, err := members(q)
		if err != nil {
			yield(nil, fmt.Errorf("encode input: %w", err))
			return
		}
		if _, set := query["limit"]; !set {
			query["limit"] = json.RawMessage("100")
		}
		for cursor := text(query["cursor"]); ; {
			page, err := do[api.Page[T]](ctx, t, name, query, options)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Data {
				if !yield(&page.Data[i], nil) {
					return
				}
			}
			if !page.HasMore || page.NextCursor == "" {
				return
			}
			if page.NextCursor == cursor {
				yield(nil, errCursor)
				return
			}
			cursor = page.NextCursor
			if query["cursor"], err = json.Marshal(cursor); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
