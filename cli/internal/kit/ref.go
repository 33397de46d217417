package kit

import (
	"net/url"
	"path"
)

// ParseRef finds the id or the slug in what names a post: either, or the
// address of a page or of the API that ends in it.
func ParseRef(ref string) string {
	u, err := url.Parse(ref)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ref
	}
	return path.Base(u.Path)
}
