package exported

import (
	"net/url"
	"strings"

	"edgesvc.dev/svc/cli/internal/frontmatter"
)

// Members gathers what an entry says, as front matter would.
type Members []frontmatter.Member

// Add adds a member that says something.
func (m *Members) Add(key string, value any) {
	switch v := value.(type) {
	case string:
		if value = strings.TrimSpace(v); value == "" {
			return
		}
	case []any:
		if len(v) == 0 {
			return
		}
	}
	*m = append(*m, frontmatter.Member{Key: key, Value: value})
}

// List is words as the value of a member.
func List(words []string) []any {
	out := make([]any, 0, len(words))
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// Image is a featured picture as the value of a member.
func Image(address, alt string) any {
	return frontmatter.Map{{Key: "url", Value: address}, {Key: "alt", Value: alt}}
}

// OldPath is the path of an address as an alias has it, empty for one that has none.
func OldPath(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.Trim(u.Path, "/") == "" || u.RawQuery != "" {
		return ""
	}
	return "/" + strings.Trim(u.Path, "/")
}
