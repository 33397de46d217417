package team

import (
	"bytes"
	"errors"

	"edgesvc.dev/svc/kv"
)

// Tables are what verifies teams in a store: each table in itself, then what they
// say of each other, then the audit logs.
func Tables() []kv.Checker {
	return []kv.Checker{
		teams, members, accounts, links, sessions, tokens, keys, secrets, entries, chainEnds, fullDays, sites, owners,
		pair[secret, key]{from: secrets, to: keys, follow: func(_, id string, v *secret) (string, string, func(*key) bool) {
			return v.Team, v.Key, func(k *key) bool { return k.Secret == id || k.Rolled == id }
		}},
		pair[token, session]{from: tokens, to: sessions, follow: func(_, id string, v *token) (string, string, func(*session) bool) {
			return v.Team, v.Session, func(s *session) bool { return s.Token == id }
		}},
		pair[session, member]{from: sessions, to: members, follow: func(team, _ string, v *session) (string, string, func(*member) bool) {
			return team, v.User, func(*member) bool { return true }
		}},
		pair[account, member]{from: accounts, to: members, follow: func(_, id string, v *account) (string, string, func(*member) bool) {
			return v.Team, v.User, func(m *member) bool { return m.Email == id }
		}},
		pair[link, member]{from: links, to: members, follow: func(_, id string, v *link) (string, string, func(*member) bool) {
			return v.Team, v.User, func(m *member) bool { return m.Link == id }
		}},
		pair[owner, site]{from: owners, to: sites, follow: func(_, id string, v *owner) (string, string, func(*site) bool) {
			return v.Team, id, func(*site) bool { return true }
		}},
		chains{},
	}
}

// pair checks that what recognises somebody leads to a record that says the
// same: otherwise a credential outlived what it was for.
type pair[From, To any] struct {
	from *kv.Table[From]
	to   *kv.Table[To]
	// follow returns where a record of team leads, and whether that agrees.
	follow func(team, id string, v *From) (owner, to string, agrees func(*To) bool)
}

// astray calls fn for each record that leads nowhere.
func (p pair[From, To]) astray(tx kv.Tx, fn func(team, id, reason string)) error {
	return each(tx, p.from, func(team, id string, v *From) error {
		owner, to, agrees := p.follow(team, id, v)
		found, err := p.to.Get(tx, owner, to)
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing || err == nil && !agrees(found) {
			fn(team, id, "leads to no "+p.to.Name()+" that knows of it")
			return nil
		}
		return ignoreCorrupt(err)
	})
}

func (p pair[From, To]) key(id string) []byte { return kv.Key(p.from.Name(), "r", id) }

// Check implements kv.Checker.
func (p pair[From, To]) Check(tx kv.Tx, report func(key []byte, reason string)) error {
	return p.astray(tx, func(_, id, reason string) { report(p.key(id), reason) })
}

// Repair implements kv.Repairer: it drops what leads nowhere.
func (p pair[From, To]) Repair(tx kv.Tx, dropped func(kv.Dropped)) (changed int, err error) {
	var lost [][3]string
	err = p.astray(tx, func(team, id, reason string) { lost = append(lost, [3]string{team, id, reason}) })
	for _, l := range lost {
		var raw []byte
		if err == nil {
			raw, err = tx.Get(p.key(l[1]))
		}
		if err == nil {
			dropped(kv.Dropped{Key: p.key(l[1]), Value: bytes.Clone(raw), Reason: l[2]})
			err = p.from.Delete(tx, l[0], l[1])
		}
	}
	return len(lost), err
}

// chains checks the audit log of every team.
type chains struct{}

// Check implements kv.Checker.
func (chains) Check(tx kv.Tx, report func(key []byte, reason string)) error {
	return each(tx, teams, func(_, id string, _ *team) error {
		err := VerifyAudit(tx, id)
		if c, broken := errors.AsType[*kv.CorruptError](err); broken {
			report(c.Key, c.Reason)
		}
		return ignoreCorrupt(err)
	})
}

func each[T any](tx kv.Tx, t *kv.Table[T], fn func(team, id string, v *T) error) error {
	for after := ""; ; {
		next, err := t.EachReadable(tx, after, sweepPage, func(*kv.CorruptError) {}, fn)
		if err != nil || next == "" {
			return ignoreCorrupt(err)
		}
		after = next
	}
}

// ignoreCorrupt leaves out what the table's own check reports.
func ignoreCorrupt(err error) error {
	if _, corrupt := errors.AsType[*kv.CorruptError](err); corrupt {
		return nil
	}
	return err
}
