package slug

import (
	"errors"
	"net/http"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// maxProbes bounds the search for a free slug. A counter remembers how far
// earlier searches came, so it is reached only where slugs of that form were
// taken by hand.
const maxProbes = 50

// index is the unique index of slugs in every table that has them.
const index = "slug"

// Next returns a free slug of the table, made of base and a number from 2 on.
func Next[T any](tx kv.Tx, n Names, table *kv.Table[T], team, base string) (string, error) {
	counter := kv.Key(n.Counter, team, base) // beside the table's keys, which are checked as its own
	for range maxProbes {
		count, err := kv.Next(tx, counter)
		if err != nil {
			return "", err
		}
		slug := numbered(base, count+1)
		_, _, err = table.Find(tx, team, index, kv.Key(slug))
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
			return slug, nil
		}
		if err != nil {
			return "", err
		}
	}
	id := kv.NewID("s")
	return cut(base, Max-13) + "-" + id[len(id)-12:], nil
}

// Insert stores a new record of the table. A derived slug that is taken gives
// way to a numbered one, in the record that rename makes; one that was asked for
// is refused.
func Insert[T any](tx kv.Tx, n Names, table *kv.Table[T], team, id string, v *T, derived bool, rename func(v *T, slug string) (*T, error)) (*T, error) {
	err := table.Insert(tx, team, id, v)
	if taken, ok := Taken(err); ok && derived {
		free, err := Next(tx, n, table, team, taken.Key)
		if err != nil {
			return v, err
		}
		if v, err = rename(v, free); err != nil {
			return v, err
		}
		return v, table.Insert(tx, team, id, v)
	}
	return v, Refuse(tx, n, table, team, err)
}

// Taken reports whether err says that a slug is taken.
func Taken(err error) (*kv.ConflictError, bool) {
	taken, ok := errors.AsType[*kv.ConflictError](err)
	return taken, ok && taken.Index == index
}

// Refuse turns a conflict of slugs into a refusal that names a free one, and
// leaves every other error as it is. It ends the transaction, so that the slug
// is not set aside.
func Refuse[T any](tx kv.Tx, n Names, table *kv.Table[T], team string, err error) error {
	taken, ok := Taken(err)
	if !ok {
		return err
	}
	suggestion, err := Next(tx, n, table, team, taken.Key)
	if err != nil {
		return err
	}
	e := api.NewError(http.StatusConflict, api.CodeSlugTaken, "Another %s has the slug %s; %s is free.", n.Noun, taken.Key, suggestion)
	e.SuggestedSlug, e.ExistingID = suggestion, taken.ID
	e.Errors = []api.FieldError{{Pointer: "/slug", Code: string(api.CodeSlugTaken), Message: "is used by another " + n.Noun}}
	return e
}
