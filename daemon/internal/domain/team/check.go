package team

import (
	"errors"

	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
)

// Tables are what verifies teams in a store: each table in itself, then what they
// say of each other, then the audit logs.
func Tables() []kv.Checker {
	return []kv.Checker{
		roster.Teams, roster.Members, roster.Accounts, entries, chainEnds, fullDays,
		kv.Reference[roster.Account, roster.Member]{From: roster.Accounts, To: roster.Members, Follow: func(_, id string, v *roster.Account) (string, string, func(*roster.Member) bool) {
			return v.Team, v.User, func(m *roster.Member) bool { return m.Email == id }
		}},
		chains{},
	}
}

// chains checks the audit log of every team.
type chains struct{}

// Check implements kv.Checker.
func (chains) Check(tx kv.Tx, report func(key []byte, reason string)) error {
	return roster.Teams.All(tx, func(_, id string, _ *roster.Team) error {
		err := VerifyAudit(tx, id)
		if c, broken := errors.AsType[*kv.CorruptError](err); broken {
			report(c.Key, c.Reason)
			return nil
		}
		return err
	})
}
