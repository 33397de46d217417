package text

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// maxAliases is how many aliases a text may have, maxAlias how many bytes one.
const (
	maxAliases = 20
	maxAlias   = 500
)

func isAlias(slug string) bool { return strings.HasPrefix(slug, "/") }

// aliasOf is a path in the form in which aliases are kept and found: decoded,
// without a slash at the end and without index.html.
func aliasOf(path string) string {
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	path = strings.TrimSuffix(path, "index.html")
	return "/" + strings.Trim(path, "/")
}

// CheckAliases notes what cannot be an alias, and returns the others in the form
// in which they are kept, each once.
func CheckAliases(f *field.Failures, aliases []string) []string {
	var kept []string
	for i, given := range aliases {
		at := fmt.Sprintf("/aliases/%d", i)
		path := aliasOf(given)
		switch {
		case !isAlias(given) || strings.HasPrefix(given, "//") || strings.ContainsAny(given, "?#\\"):
			f.Add(at, "format", "must be a path such as /2019/hello.html")
		case path == "/":
			f.Add(at, "format", "is the first page, which cannot lead elsewhere")
		case len(path) > maxAlias:
			f.Add(at, "too_long", "may have at most %d bytes", maxAlias)
		case field.HasControl(path, "") || !utf8.ValidString(path):
			f.Add(at, "control_character", "has a control character")
		case !slices.Contains(kept, path):
			kept = append(kept, path)
		}
	}
	return kept
}

// Claim makes the aliases that a text has lead to it, in place of those that it
// had. One that another text has is refused.
func (a Addresses) Claim(tx kv.Tx, team, id string, had, has []string) error {
	var gone []string
	for _, path := range had {
		if !slices.Contains(has, path) {
			gone = append(gone, path)
		}
	}
	if err := a.Drop(tx, team, gone); err != nil {
		return err
	}
	for i, path := range has {
		if slices.Contains(had, path) {
			continue
		}
		_, at, err := a.table.Find(tx, team, "slug", kv.Key(path))
		if err == nil {
			return api.Invalid(fmt.Sprintf("/aliases/%d", i), "taken", "%s is an alias of %s", path, at.Of)
		}
		if !missing(err) {
			return err
		}
		if err := a.table.Insert(tx, team, kv.NewID("adr"), &address{Slug: path, Of: id}); err != nil {
			return err
		}
	}
	return nil
}

// Drop forgets aliases.
func (a Addresses) Drop(tx kv.Tx, team string, aliases []string) error {
	for _, path := range aliases {
		id, _, err := a.table.Find(tx, team, "slug", kv.Key(path))
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := a.table.Delete(tx, team, id); err != nil {
			return err
		}
	}
	return nil
}
