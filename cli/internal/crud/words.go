package crud

import (
	"strings"
)

// Plural is the plural of a noun.
func Plural(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.ContainsAny(stem[len(stem)-1:], "aeou") {
		return stem + "ies"
	}
	return noun + "s"
}

// article puts a or an before a noun.
func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// gerund is what somebody is doing who does it: deleting, revoking.
func gerund(verb string) string { return strings.TrimSuffix(verb, "e") + "ing" }
