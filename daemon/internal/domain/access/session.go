package access

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	sessionIdle  = 7 * 24 * time.Hour
	sessionLife  = 30 * 24 * time.Hour
	sessionRenew = time.Hour

	// clockSlack is how far ahead of now a session may have been made: one from
	// further on came of a clock that was wrong, and would live too long.
	clockSlack = 5 * time.Minute

	maxUserAgent = 300
	maxAddress   = 64
)

// session is the record behind api.Session.
type session struct {
	User      string   `json:"u"`
	Token     string   `json:"t"` // id of the token's record
	Created   api.Time `json:"c"`
	Used      api.Time `json:"s"` // to the hour
	Address   string   `json:"a,omitempty"`
	UserAgent string   `json:"ua,omitempty"`
}

// token leads from a session's token to the session.
type token struct {
	Hash    []byte `json:"h"`
	Team    string `json:"t"`
	Session string `json:"s"`
}

func (v *token) fingerprint() []byte { return v.Hash }

var (
	sessions = kv.NewTable("session", kv.Index[session]{
		Name: "user",
		Keys: func(v *session, add func([]byte)) { add(kv.Key(v.User)) },
	})
	tokens = kv.NewTable[token]("token")
)

// expires is when the session ends if it is not used again.
func (v *session) expires() api.Time {
	return api.TimeOf(v.Used.Time().Add(min(sessionIdle, v.Created.Time().Add(sessionLife).Sub(v.Used.Time()))))
}

func (v *session) alive(now time.Time) bool {
	latest := api.TimeOf(now.Add(clockSlack))
	return v.expires() > api.TimeOf(now) && v.Created <= latest && v.Used <= latest
}

func sessionRequired() *api.Error {
	return api.NewError(http.StatusUnauthorized, api.CodeSessionRequired, "The session has ended. Sign in again.")
}

// AuthenticateSession turns a session's token into its caller, with the role
// that the member has now. It refuses with session_required, and with
// rate_limited an address that has tried too many wrong ones.
func (s *Service) AuthenticateSession(ctx context.Context, bearer, address, userAgent string) (op.Caller, error) {
	f := fingerprint(bearer)
	found, err := s.signedIn(ctx, &f)
	if err == nil && !found.session.alive(s.Now()) {
		err = &kv.NotFoundError{Table: sessions.Name(), ID: found.who.Credential}
	}
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return op.Caller{}, s.wrong(address, sessionRequired())
	}
	if err != nil {
		return op.Caller{}, err
	}
	who := found.who
	who.Address, who.UserAgent = address, userAgent
	if s.Now().Sub(found.session.Used.Time()) >= sessionRenew {
		err = s.renew(ctx, &who)
	}
	return who, err
}

// Present returns the caller of a session as it is now, with the role that the
// member has by now. It refuses with session_required when the session is over.
func (s *Service) Present(ctx context.Context, who op.Caller) (op.Caller, error) {
	err := s.store.View(ctx, func(tx kv.Tx) error {
		v, err := sessions.Get(tx, who.Team, who.Credential)
		if err != nil {
			return err
		}
		if !v.alive(s.Now()) {
			return sessionRequired()
		}
		m, err := roster.Members.Get(tx, who.Team, v.User)
		if err != nil {
			return err
		}
		who.Role = op.ParseRole(m.Role)
		who.Scopes, who.ExpiresAt = who.Role.Scopes(), v.expires()
		return nil
	})
	if _, ended := errors.AsType[*kv.NotFoundError](err); ended {
		return op.Caller{}, sessionRequired()
	}
	return who, err
}

func (s *Service) signedIn(ctx context.Context, f *Fingerprint) (*signedIn, error) {
	return s.entered.find(f, func() (v *signedIn, err error) {
		err = s.store.View(ctx, func(tx kv.Tx) (err error) {
			v, err = enter(tx, f)
			return err
		})
		return v, err
	})
}

// signedIn is what a session's token leads to.
type signedIn struct {
	who     op.Caller // without what the request says
	session *session
}

// enter finds whom a token signs in, or a *kv.NotFoundError. Whether the
// session has ended by now is not its concern.
func enter(tx kv.Tx, f *Fingerprint) (*signedIn, error) {
	t, err := find(tx, tokens, f)
	if err != nil {
		return nil, err
	}
	v, err := sessions.Get(tx, t.Team, t.Session)
	if err != nil {
		return nil, err
	}
	m, err := roster.Members.Get(tx, t.Team, v.User)
	if err != nil {
		return nil, err
	}
	role := op.ParseRole(m.Role)
	return &signedIn{session: v, who: op.Caller{
		Kind: op.Session, Credential: t.Session, Team: t.Team,
		Actor: api.Actor{Type: "user", ID: v.User}, Name: m.Called(),
		Scopes: role.Scopes(), Role: role, ExpiresAt: v.expires(),
	}}, nil
}

// renew notes the use of a session. A store that is full keeps nobody from
// reading.
func (s *Service) renew(ctx context.Context, who *op.Caller) error {
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		v, err := sessions.Get(tx, who.Team, who.Credential)
		if err != nil {
			return err
		}
		v.Used, v.Address, v.UserAgent = s.now(), place(who.Address), clip(who.UserAgent)
		who.ExpiresAt = v.expires()
		return sessions.Put(tx, who.Team, who.Credential, v)
	})
	if _, ended := errors.AsType[*kv.NotFoundError](err); ended {
		return sessionRequired()
	}
	if errors.Is(err, kv.ErrFull) {
		return nil
	}
	return err
}

// clip keeps of a User-Agent header what can be stored and shown.
func clip(userAgent string) string { return field.Clip(userAgent, maxUserAgent) }

// place is a client's address as it is stored. A proxy may say anything.
func place(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil && ip.Zone() == "" {
		return ip.String()
	}
	return field.Clip(address, maxAddress)
}

// startSession makes a session of the member and returns its id.
func (s *Service) startSession(tx kv.Tx, who *op.Caller, user, plain string) (id string, v *session, err error) {
	f := fingerprint(plain)
	id = kv.IDAt("ses", s.Now())
	v = &session{
		User: user, Token: f.id(), Created: s.now(), Used: s.now(),
		Address: place(who.Address), UserAgent: clip(who.UserAgent),
	}
	if err := tokens.Insert(tx, "", v.Token, &token{Hash: f[:], Team: who.Team, Session: id}); err != nil {
		return "", nil, err
	}
	return id, v, sessions.Insert(tx, who.Team, id, v)
}

func endSession(tx kv.Tx, team, id string, v *session) error {
	if err := tokens.Delete(tx, "", v.Token); err != nil {
		return err
	}
	return sessions.Delete(tx, team, id)
}

// endSessions ends all sessions of a member but the one with the id except. One
// that cannot be read lets nobody in.
func endSessions(tx kv.Tx, team, user, except string) error {
	page := kv.Page[session]{Index: "user", Prefixes: [][]byte{kv.Key(user)}, Limit: 100, Skip: op.Unreadable}
	for more := true; more; {
		res, err := sessions.List(tx, team, page)
		if err != nil {
			return err
		}
		for i, v := range res.Records {
			if res.IDs[i] == except {
				continue
			}
			if err := endSession(tx, team, res.IDs[i], v); err != nil {
				return err
			}
		}
		page.After, more = res.Next, res.More
	}
	return nil
}

// ShutOut ends the sessions and the sign-in link of a member who is removed.
func (s *Service) ShutOut(tx kv.Tx, team, user string, m *roster.Member) error {
	if err := endSessions(tx, team, user, ""); err != nil {
		return err
	}
	return dropLink(tx, m)
}

// showSessions returns what turns sessions of one member into answers.
func showSessions(tx kv.Tx, who *op.Caller, user string) (func(string, *session) (api.Session, error), error) {
	m, err := roster.Members.Get(tx, who.Team, user)
	if err != nil {
		return nil, err
	}
	t, err := roster.Teams.Get(tx, "", who.Team)
	if err != nil {
		return nil, err
	}
	u := m.Show(user)
	return func(id string, v *session) (api.Session, error) {
		return api.Session{
			ID: id, User: u, Team: t.Show(who.Team), CreatedAt: v.Created, ExpiresAt: v.expires(),
			UserAgent: v.UserAgent, Address: v.Address, Current: id == who.Credential,
		}, nil
	}, nil
}

// Session returns the caller's session.
func (s *Service) Session(ctx context.Context, who op.Caller, _ api.None) (out api.Session, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		show, err := showSessions(tx, &who, who.Actor.ID)
		if err != nil {
			return err
		}
		v, err := sessions.Get(tx, who.Team, who.Credential)
		if err == nil {
			out, err = show(who.Credential, v)
		}
		return err
	})
	return out, err
}

// Sessions lists the caller's own sessions that have not ended.
func (s *Service) Sessions(ctx context.Context, who op.Caller, q api.PageQuery) (page api.Page[api.Session], err error) {
	p := kv.Page[session]{
		Index: "user", Prefixes: [][]byte{kv.Key(who.Actor.ID)},
		Keep: func(v *session) bool { return v.alive(s.Now()) },
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		show, err := showSessions(tx, &who, who.Actor.ID)
		if err == nil {
			page, err = op.List(tx, sessions, who.Team, who.Actor.ID, q, p, show)
		}
		return err
	})
	return page, err
}

// Logout ends the caller's session.
func (s *Service) Logout(ctx context.Context, who op.Caller, _ api.None) (api.None, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.None, error) {
		v, err := sessions.Get(tx, who.Team, who.Credential)
		if err != nil {
			return api.None{}, err
		}
		return api.None{}, endSession(tx, who.Team, who.Credential, v)
	})
}

// RevokeSession ends a session: one of the caller's own, or, for an admin,
// another member's; an owner's only for an owner. To others it does not exist.
func (s *Service) RevokeSession(ctx context.Context, who op.Caller, in api.SessionRef) (api.None, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.None, error) {
		v, err := sessions.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.None{}, err
		}
		if v.User != who.Actor.ID {
			m, err := roster.Members.Get(tx, who.Team, v.User)
			if err != nil {
				return api.None{}, err
			}
			if who.Role < op.Admin || who.Role < op.ParseRole(m.Role) {
				return api.None{}, &kv.NotFoundError{Table: sessions.Name(), ID: in.ID}
			}
		}
		if err := s.Audit(tx, &who, "auth.revokeSession", in.ID, detail{"member": v.User}); err != nil {
			return api.None{}, err
		}
		return api.None{}, endSession(tx, who.Team, in.ID, v)
	})
}
