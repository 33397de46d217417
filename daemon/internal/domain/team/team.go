// Package team is teams, their members and roles, their settings, and the audit
// log of privileged acts. It knows nothing of what teams own, and nothing of how
// members and keys are recognised: that is package access.
package team

import (
	"context"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Service is the teams of one store. It is safe for concurrent use; its exported
// fields are set before first use only.
type Service struct {
	// Version is the daemon's, as Me tells it.
	Version string
	Now     func() time.Time
	// StorageLimit is the most bytes that a team may store, 0 for no limit. It is
	// told here and held in package op.
	StorageLimit int64
	// Link makes a sign-in link of a member in place of the one before, and notes
	// it in m, which the caller stores.
	Link func(tx kv.Tx, team, user string, m *roster.Member) (url api.Secret, expires api.Time, err error)
	// ShutOut ends a member's sessions and link.
	ShutOut func(tx kv.Tx, team, user string, m *roster.Member) error
	// FirstKey makes the key that a new team begins with, and returns its secret.
	FirstKey func(tx kv.Tx, who *op.Caller) (api.Key, error)
	// Addresses are where the public pages of the team with that slug are, the
	// one to show first.
	Addresses func(slug string) []string
	// CarryChat lets the pages at these addresses carry the chat of a site, the
	// team's first for "", and returns its id.
	CarryChat func(tx kv.Tx, who *op.Caller, siteID string, addresses []string) (id string, err error)

	store kv.Store
	full  *full
}

// New returns the teams kept in store.
func New(store kv.Store) *Service {
	return &Service{
		Now: time.Now, Addresses: func(string) []string { return nil },
		store: store, full: &full{days: map[string]string{}, wake: make(chan struct{}, 1)},
	}
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

// TeamByID returns a team, or a *kv.NotFoundError.
func (s *Service) TeamByID(ctx context.Context, id string) (out api.Team, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		v, err := roster.Teams.Get(tx, "", id)
		if err == nil {
			out = v.Show(id)
		}
		return err
	})
	return out, err
}

// Brand returns the name of a team and what generated content may say about it.
func (s *Service) Brand(ctx context.Context, id string) (name string, brand api.Brand, err error) {
	t, err := s.TeamByID(ctx, id)
	return t.Name, t.Brand, err
}

// UserName returns what to call a member: the name, or the e-mail address when
// there is none. It returns a *kv.NotFoundError when the member was removed.
func (s *Service) UserName(tx kv.Tx, team, id string) (string, error) {
	m, err := roster.Members.Get(tx, team, id)
	if err != nil {
		return "", err
	}
	return m.Called(), nil
}

// Empty reports whether there is no team yet.
func (s *Service) Empty(ctx context.Context) (empty bool, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		empty, err = none(tx)
		return err
	})
	return empty, err
}

// Only returns the team of a store that has just one; ok is false otherwise.
func (s *Service) Only(ctx context.Context) (out api.Team, ok bool, err error) {
	seen := 0
	err = s.store.View(ctx, func(tx kv.Tx) error {
		seen = 0
		_, err := roster.Teams.EachReadable(tx, "", 2, op.Unreadable, func(_, id string, v *roster.Team) error {
			seen++
			out = v.Show(id)
			return nil
		})
		return err
	})
	return out, seen == 1, err
}

func none(tx kv.Tx) (bool, error) {
	empty := true
	_, err := roster.Teams.EachReadable(tx, "", 1, func(*kv.CorruptError) { empty = false }, func(string, string, *roster.Team) error {
		empty = false
		return nil
	})
	return empty, err
}
