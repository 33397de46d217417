// Package team knows who calls: teams, their members and roles, sessions, API
// keys, sign-in links, the websites whose visitors may chat, and the audit log of
// privileged acts. It turns a credential into the op.Caller that every operation
// acts for, and a visitor's proof into who the site says that they are.
//
// It knows nothing of what teams own, and nothing of cookies and headers: those
// are the surfaces'. No key, password, session token or link is stored or logged;
// only what recognises them again is.
package team

import (
	"context"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Service is the teams of one store. It is safe for concurrent use; its exported
// fields are set before first use only.
type Service struct {
	// Version is the daemon's, as Me tells it.
	Version string
	// BaseURL is where members reach the daemon; sign-in links begin with it.
	BaseURL string
	Now     func() time.Time
	// Passwords is the cost of passwords that are set from now on.
	Passwords Cost
	// StorageLimit is the most bytes that a team may store, 0 for no limit. It is
	// told here and held in package op.
	StorageLimit int64
	// Seal keeps the secrets of sites. They alone are needed in the clear, to
	// verify what sites have signed.
	Seal Sealer
	// Log takes the events of sites; nil is none.
	Log *event.Log

	store   kv.Store
	secrets *memo[secret]
	entered *memo[signedIn]
	guesses *failures // wrong keys and tokens
	logins  *failures // wrong passwords and links
	hashing chan struct{}
	notes   notes
}

// New returns the teams kept in store.
func New(store kv.Store) *Service {
	return &Service{
		Now: time.Now, Passwords: DefaultCost, store: store, secrets: newMemo[secret](store, secrets.Name()), entered: newMemo[signedIn](store, tokens.Name(), sessions.Name(), members.Name()),
		guesses: newFailures(), logins: newFailures(),
		hashing: make(chan struct{}, hashesAtOnce),
		notes:   newNotes(),
	}
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

// team is the record behind api.Team.
type team struct {
	Name    string    `json:"n"`
	Slug    string    `json:"s"`
	Brand   api.Brand `json:"b"`
	Version int       `json:"v"`
	Created api.Time  `json:"c"`
	Updated api.Time  `json:"u"`
}

// teams are owned by no team but the daemon (""), so that the index of slugs
// spans all of them. A caller's own team id is the only one that is ever looked
// up for it.
var teams = kv.NewTable("team", kv.Index[team]{
	Name: "slug", Unique: true,
	Keys: func(v *team, add func([]byte)) { add(kv.Key(v.Slug)) },
})

func (v *team) show(id string) api.Team {
	return api.Team{
		ID: id, Name: v.Name, Slug: v.Slug, Brand: v.Brand,
		Version: v.Version, CreatedAt: v.Created, UpdatedAt: v.Updated,
	}
}

// TeamByID returns a team, or a *kv.NotFoundError.
func (s *Service) TeamByID(ctx context.Context, id string) (out api.Team, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		v, err := teams.Get(tx, "", id)
		if err == nil {
			out = v.show(id)
		}
		return err
	})
	return out, err
}

// TeamBySlug returns the team whose public pages are below slug, or a
// *kv.NotFoundError.
func (s *Service) TeamBySlug(ctx context.Context, slug string) (out api.Team, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		id, v, err := teams.Find(tx, "", "slug", kv.Key(slug))
		if err == nil {
			out = v.show(id)
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
	m, err := members.Get(tx, team, id)
	if err != nil {
		return "", err
	}
	return m.called(), nil
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
		_, err := teams.Each(tx, "", 2, func(_, id string, v *team) error {
			seen++
			out = v.show(id)
			return nil
		})
		return err
	})
	return out, seen == 1, err
}

func none(tx kv.Tx) (bool, error) {
	empty := true
	_, err := teams.Each(tx, "", 1, func(string, string, *team) error {
		empty = false
		return nil
	})
	return empty, err
}
