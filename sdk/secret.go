package sdk

import "strings"

// secret keeps a credential out of everything that is printed: the text lives
// in a closure, which neither fmt nor reflection reads.
type secret struct{ reveal func() string }

func newSecret(s string) secret { return secret{func() string { return s }} }

// String masks all but the prefix and the last four characters.
func (s secret) String() string { return Mask(s.reveal()) }

// Mask shortens a credential to its prefix and last four characters, such as
// svc_…abcd; one too short to keep its middle secret becomes just "…".
func Mask(credential string) string {
	if credential == "" {
		return ""
	}
	if len(credential) < 16 {
		return "…"
	}
	prefix, _, found := strings.Cut(credential, "_")
	if !found || len(prefix) > 8 {
		return "…" + credential[len(credential)-4:]
	}
	return prefix + "_…" + credential[len(credential)-4:]
}
