package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Secret is a credential: a key, a password, a token, a link that signs in. It
// prints and logs as hidden; only its JSON, which it is sent in, has the text.
// string(s) is the text.
type Secret string

const hidden = "[hidden]"

// String hides the text. The empty secret is "".
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString hides the text from %#v.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// Format hides the text from every verb.
func (s Secret) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), s.String()) // fmt.State has no error to give back
}

// LogValue hides the text from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the text from whatever writes text that is not JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON writes the text.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(string(s)) }

// logged is the printed form of v, whose JSON has a secret: a log that is JSON
// would ask for that.
func logged[T any](v *T) slog.Value { return slog.StringValue(fmt.Sprintf("%+v", *v)) }

// LogValue is the printed form.
func (k Key) LogValue() slog.Value { return logged(&k) }

// LogValue is the printed form.
func (l Login) LogValue() slog.Value { return logged(&l) }

// LogValue is the printed form.
func (s Session) LogValue() slog.Value { return logged(&s) }

// LogValue is the printed form.
func (p PasswordChange) LogValue() slog.Value { return logged(&p) }

// LogValue is the printed form.
func (r SiteSecretRolled) LogValue() slog.Value { return logged(&r) }

// LogValue is the printed form.
func (m MemberInvited) LogValue() slog.Value { return logged(&m) }

// LogValue is the printed form.
func (k TaskSetKey) LogValue() slog.Value { return logged(&k) }
