package roster

import (
	"errors"
	"net/http"
	"strings"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Account is what signs a member in, kept apart from the member so that nothing
// which lists members reads it. Its id is the e-mail address, which is unique
// over all teams: it is all that a person gives at the door.
type Account struct {
	Team     string   `json:"t"`
	User     string   `json:"u"`
	Password Password `json:"p"`
	Networks []string `json:"n,omitempty"` // that it was signed in to from, the latest first
}

// Password is what recognises a password: an argon2id hash (RFC 9106) with its
// cost. The zero value recognises none.
type Password struct {
	Memory uint32 `json:"m"` // KiB
	Time   uint32 `json:"t"`
	Salt   []byte `json:"s"`
	Hash   []byte `json:"h"`
}

// Accounts are owned by the daemon (""), for nobody says a team at the door.
var Accounts = kv.NewTable[Account]("account")

// NormalEmail is the form of an e-mail address that is stored and compared.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// AddAccount lets a member sign in with their address. It refuses with
// email_taken.
func AddAccount(tx kv.Tx, team, id string, m *Member) error {
	err := Accounts.Insert(tx, "", m.Email, &Account{Team: team, User: id})
	if _, taken := errors.AsType[*kv.ConflictError](err); taken {
		return EmailTaken()
	}
	return err
}

// EmailTaken refuses an address that signs in already.
func EmailTaken() *api.Error {
	return api.NewError(http.StatusConflict, api.CodeEmailTaken, "This e-mail address signs in already.")
}
