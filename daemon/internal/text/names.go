package text

import (
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
)

// Names are the words by which a text is known beside its title, for a search:
// those of its slug and of the slugs that it had in public, and its tags.
func (k *Kind[T]) Names(tx kv.Tx, team string, v *T) (string, error) {
	f := k.Fields(v)
	had, err := k.Addresses.slugs(tx, team, *f.ID)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, slug := range append([]string{*f.Slug}, had...) {
		b.WriteString(strings.ReplaceAll(slug, "-", " ") + "\n")
	}
	for _, tag := range *f.Tags {
		b.WriteString(tag + "\n")
	}
	return b.String(), nil
}

// slugs are those that a text had in public.
func (a Addresses) slugs(tx kv.Tx, team, id string) (had []string, err error) {
	all, err := a.table.List(tx, team, a.of(id))
	if err != nil {
		return nil, err
	}
	for _, at := range all.Records {
		if !isAlias(at.Slug) {
			had = append(had, at.Slug)
		}
	}
	return had, nil
}

// of is the page of all addresses of a text.
func (a Addresses) of(id string) kv.Page[address] {
	return kv.Page[address]{Index: "of", Prefixes: [][]byte{kv.Key(id)}, Ascending: true, Limit: maxAddresses + maxAliases, Skip: op.Unreadable}
}
