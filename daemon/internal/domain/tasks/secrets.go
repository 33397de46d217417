package tasks

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// masked stands where a secret was.
const masked = "[hidden]"

// shortSecret is the length below which a secret is hidden in its own place
// only: elsewhere its few letters are as likely to be something else.
const shortSecret = 6

// secrets are the words of one run that nobody may read: not in what was sent,
// nor where an endpoint repeats them.
type secrets struct{ words []string }

func (s *secrets) add(secret string) {
	if len(secret) < shortSecret {
		return
	}
	quoted, _ := json.Marshal(secret) // a string always can be
	for _, form := range []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted[1 : len(quoted)-1]),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	} {
		if !slices.Contains(s.words, form) {
			s.words = append(s.words, form)
		}
	}
	// The longest first: one secret may be the beginning of another.
	slices.SortStableFunc(s.words, func(a, b string) int { return len(b) - len(a) })
}

func (s *secrets) mask(text string) string {
	for _, w := range s.words {
		text = strings.ReplaceAll(text, w, masked)
	}
	return text
}
