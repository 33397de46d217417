package access

import (
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
)

// Tables are what verifies credentials in a store: each table in itself, then
// that each credential leads to what it is for.
func Tables() []kv.Checker {
	return []kv.Checker{
		links, sessions, tokens, keys, secrets,
		kv.Reference[secret, key]{From: secrets, To: keys, Follow: func(_, id string, v *secret) (string, string, func(*key) bool) {
			return v.Team, v.Key, func(k *key) bool { return k.Secret == id || k.Rolled == id }
		}},
		kv.Reference[token, session]{From: tokens, To: sessions, Follow: func(_, id string, v *token) (string, string, func(*session) bool) {
			return v.Team, v.Session, func(s *session) bool { return s.Token == id }
		}},
		kv.Reference[session, roster.Member]{From: sessions, To: roster.Members, Follow: func(team, _ string, v *session) (string, string, func(*roster.Member) bool) {
			return team, v.User, func(*roster.Member) bool { return true }
		}},
		kv.Reference[link, roster.Member]{From: links, To: roster.Members, Follow: func(_, id string, v *link) (string, string, func(*roster.Member) bool) {
			return v.Team, v.User, func(m *roster.Member) bool { return m.Link == id }
		}},
	}
}
