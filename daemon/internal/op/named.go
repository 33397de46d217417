package op

import "strings"

// Named is the description of a member that inputs of several kinds share, with
// the row's own noun in place of "the object".
func (o *Op) Named(doc string) string {
	segments := strings.Split(o.Name, ".")
	if len(segments) < 2 {
		return doc
	}
	return strings.Replace(doc, "the object", "the "+singular(segments[len(segments)-2]), 1)
}

func singular(plural string) string {
	if stem, ok := strings.CutSuffix(plural, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(plural, "s")
}
