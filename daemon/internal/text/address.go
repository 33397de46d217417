package text

import (
	"errors"

	"edgesvc.dev/svc/kv"
)

// maxAddresses is how many addresses are kept of one text, and its aliases.
const maxAddresses = 50

// Addresses are the slugs under which the public could read texts of one kind
// and cannot any more, so that a link to one leads to where the text is now, and
// the aliases that authors gave them.
type Addresses struct{ table *kv.Table[address] }

type address struct {
	Slug string `json:"s"` // or an alias, which begins with a slash
	Of   string `json:"o"`
}

// NewAddresses describes the table of that name, which never changes.
func NewAddresses(name string) Addresses {
	return Addresses{kv.NewTable(name,
		kv.Index[address]{Name: "slug", Unique: true, Keys: func(a *address, add func([]byte)) { add(kv.Key(a.Slug)) }},
		kv.Index[address]{Name: "of", Keys: func(a *address, add func([]byte)) { add(kv.Key(a.Of)) }},
	)}
}

// Table is for the store's checker.
func (a Addresses) Table() kv.Checker { return a.table }

// leave keeps the slug that a text had in public when that changes, or when the
// text ceases to be public.
func (a Addresses) leave(tx kv.Tx, team string, was, is Fields) error {
	if !was.Public || is.Public && *was.Slug == *is.Slug {
		return nil
	}
	return a.keep(tx, team, &address{Slug: *was.Slug, Of: *was.ID})
}

func (a Addresses) keep(tx kv.Tx, team string, at *address) error {
	id, _, err := a.table.Find(tx, team, "slug", kv.Key(at.Slug))
	if err == nil {
		return a.table.Put(tx, team, id, at)
	}
	if !missing(err) {
		return err
	}
	old, err := a.table.List(tx, team, a.of(at.Of))
	if err != nil {
		return err
	}
	var slugs []string
	for i, id := range old.IDs {
		if !isAlias(old.Records[i].Slug) {
			slugs = append(slugs, id)
		}
	}
	if len(slugs) >= maxAddresses {
		if err := a.table.Delete(tx, team, slugs[0]); err != nil {
			return err
		}
	}
	return a.table.Insert(tx, team, kv.NewID("adr"), at)
}

// Now returns the slug that a text has now which was public under another or has
// an alias, or that it is gone for good; neither for what was never public or is
// a draft again. get reads a text.
func (k *Kind[T]) Now(tx kv.Tx, team, slug string, get func(id string) (*T, error)) (now string, gone bool, err error) {
	if isAlias(slug) {
		slug = aliasOf(slug)
	}
	_, at, err := k.Addresses.table.Find(tx, team, "slug", kv.Key(slug))
	if missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	v, err := get(at.Of)
	if missing(err) {
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	f := k.Fields(v)
	if !f.Public {
		return "", *f.Status == Archived, nil
	}
	return *f.Slug, false, nil
}

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}
