package api

import (
	"fmt"
	"log/slog"
)

// Values that hold a credential print and log it as hidden; only their JSON,
// which is what they are for, has it. The types below have the same members
// and none of the methods.

const hidden = "[hidden]"

func hide(credential *string) {
	if *credential != "" {
		*credential = hidden
	}
}

// shown formats v, a struct without methods, as fmt would have done.
func shown(f fmt.State, verb rune, v any) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), v) // fmt.State has no error to give back
}

type (
	plainKey            Key
	plainLogin          Login
	plainSession        Session
	plainPasswordChange PasswordChange
	plainSecretRolled   SiteSecretRolled
)

func (k Key) masked() plainKey {
	hide(&k.Secret)
	return plainKey(k)
}

// Format implements fmt.Formatter without the secret.
func (k Key) Format(f fmt.State, verb rune) { shown(f, verb, k.masked()) }

// LogValue implements slog.LogValuer without the secret.
func (k Key) LogValue() slog.Value { return slog.AnyValue(k.masked()) }

func (l Login) masked() plainLogin {
	hide(&l.Password)
	hide(&l.LinkToken)
	hide(&l.NewPassword)
	return plainLogin(l)
}

// Format implements fmt.Formatter without passwords and tokens.
func (l Login) Format(f fmt.State, verb rune) { shown(f, verb, l.masked()) }

// LogValue implements slog.LogValuer without passwords and tokens.
func (l Login) LogValue() slog.Value { return slog.AnyValue(l.masked()) }

func (s Session) masked() plainSession {
	hide(&s.Token)
	return plainSession(s)
}

// Format implements fmt.Formatter without the token.
func (s Session) Format(f fmt.State, verb rune) { shown(f, verb, s.masked()) }

// LogValue implements slog.LogValuer without the token.
func (s Session) LogValue() slog.Value { return slog.AnyValue(s.masked()) }

func (p PasswordChange) masked() plainPasswordChange {
	hide(&p.Current)
	hide(&p.New)
	return plainPasswordChange(p)
}

// Format implements fmt.Formatter without the passwords.
func (p PasswordChange) Format(f fmt.State, verb rune) { shown(f, verb, p.masked()) }

// LogValue implements slog.LogValuer without the passwords.
func (p PasswordChange) LogValue() slog.Value { return slog.AnyValue(p.masked()) }

func (r SiteSecretRolled) masked() plainSecretRolled {
	hide(&r.Secret)
	return plainSecretRolled(r)
}

// Format implements fmt.Formatter without the secret.
func (r SiteSecretRolled) Format(f fmt.State, verb rune) { shown(f, verb, r.masked()) }

// LogValue implements slog.LogValuer without the secret.
func (r SiteSecretRolled) LogValue() slog.Value { return slog.AnyValue(r.masked()) }
