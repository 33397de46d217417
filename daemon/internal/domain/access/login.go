package access

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const linkLife = 72 * time.Hour

// link is a sign-in link that was not used yet.
type link struct {
	Hash    []byte   `json:"h"`
	Team    string   `json:"t"`
	User    string   `json:"u"`
	Expires api.Time `json:"e"`
}

func (v *link) fingerprint() []byte { return v.Hash }

var links = kv.NewTable[link]("link")

// AddLink makes a sign-in link of the member in place of the one before. The
// member's record notes it; the caller stores that.
func (s *Service) AddLink(tx kv.Tx, team, user string, m *roster.Member) (url api.Secret, expires api.Time, err error) {
	if err := dropLink(tx, m); err != nil {
		return "", 0, err
	}
	plain := seal.Token(linkPrefix)
	f := fingerprint(plain)
	m.Link = f.id()
	expires = api.TimeOf(s.Now().Add(linkLife))
	return api.Secret(s.BaseURL + "/sign-in?token=" + plain), expires, links.Insert(tx, "", m.Link, &link{Hash: f[:], Team: team, User: user, Expires: expires})
}

func dropLink(tx kv.Tx, m *roster.Member) error {
	if m.Link == "" {
		return nil
	}
	err := links.Delete(tx, "", m.Link)
	if _, swept := errors.AsType[*kv.NotFoundError](err); swept {
		err = nil
	}
	m.Link = ""
	return err
}

// Login starts a session with e-mail address and password, or with a sign-in
// link. Its only refusal of wrong ones is invalid_credentials, after the same
// time whether there is such an account or not. After loginFailures of them from
// one network within the loginWindow, that network has to wait before each
// further attempt. The account is not locked: the right password signs in from
// any other network, and from those that have signed in to it before.
func (s *Service) Login(ctx context.Context, who op.Caller, in api.Login) (api.Session, error) {
	if in.LinkToken != "" {
		return s.loginByLink(ctx, who, &in)
	}
	if in.Email == "" || in.Password == "" {
		return api.Session{}, api.Invalid("/email", "required", "Send email and password, or the linkToken of a sign-in link.")
	}
	return s.loginByPassword(ctx, who, &in)
}

func (s *Service) loginByPassword(ctx context.Context, who op.Caller, in *api.Login) (out api.Session, err error) {
	email := roster.NormalEmail(in.Email)
	a, err := s.account(ctx, email)
	if err != nil {
		return out, err
	}
	try, err := s.attempt(who.Address, a)
	if err != nil {
		return out, err
	}
	ok, err := s.compare(ctx, &who, try, a, string(in.Password))
	if err != nil {
		return out, err
	}
	if !ok {
		return out, invalidCredentials()
	}
	plain := seal.Token(sessionPrefix)
	err = s.store.Update(ctx, func(tx kv.Tx) error {
		kv.UseReserve(tx)
		now, err := roster.Accounts.Get(tx, "", email)
		if _, removed := errors.AsType[*kv.NotFoundError](err); removed {
			return invalidCredentials()
		}
		if err != nil {
			return err
		}
		if string(now.Password.Hash) != string(a.Password.Hash) { // changed since it was compared
			return invalidCredentials()
		}
		out, err = s.signIn(tx, who, now.Team, now.User, plain, "password")
		return err
	})
	return out, err
}

// compare makes the attempt: it settles what that costs.
func (s *Service) compare(ctx context.Context, who *op.Caller, try *attempt, a *roster.Account, text string) (bool, error) {
	ok, err := s.matches(ctx, &a.Password, text)
	switch {
	case err != nil:
		try.undo()
	case ok:
		try.succeed()
	default:
		for _, l := range try.f.failed(try.from, lockout{a.Team, a.User, place(who.Address), who.RequestID}) {
			s.notes.lockedOut(l, s.Now().UTC().Format(time.DateOnly))
		}
	}
	return ok, err
}

// account returns that of an e-mail address, an empty one when there is none.
func (s *Service) account(ctx context.Context, email string) (a *roster.Account, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		a, err = roster.Accounts.Get(tx, "", email)
		return err
	})
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return &roster.Account{}, nil
	}
	return a, err
}

func (s *Service) loginByLink(ctx context.Context, who op.Caller, in *api.Login) (out api.Session, err error) {
	try, err := s.attempt(who.Address, &roster.Account{})
	if err != nil {
		return out, err
	}
	f := fingerprint(string(in.LinkToken))
	var email string
	err = s.store.View(ctx, func(tx kv.Tx) error {
		_, m, err := s.linked(tx, &f)
		if err == nil {
			email = m.Email
		}
		return err
	})
	if w, ok := errors.AsType[*api.Error](err); !ok || w.Code != api.CodeInvalidCredentials {
		try.undo()
	}
	if err != nil {
		return out, err
	}
	var p roster.Password
	if in.NewPassword != "" {
		if p, err = s.newPassword(ctx, "/newPassword", email, string(in.NewPassword)); err != nil {
			return out, err
		}
	}
	plain := seal.Token(sessionPrefix)
	err = s.store.Update(ctx, func(tx kv.Tx) (err error) {
		kv.UseReserve(tx)
		out, err = s.useLink(tx, who, &f, &p, plain)
		return err
	})
	return out, err
}

// linked finds the member whom a link signs in; invalid_credentials when it was
// used, has expired or never was.
func (s *Service) linked(tx kv.Tx, f *Fingerprint) (*link, *roster.Member, error) {
	l, err := find(tx, links, f)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return nil, nil, invalidCredentials()
	}
	if err != nil {
		return nil, nil, err
	}
	if l.Expires <= s.now() {
		return nil, nil, invalidCredentials()
	}
	m, err := roster.Members.Get(tx, l.Team, l.User)
	if err == nil && m.Waits {
		err = mayClaim(tx, m)
	}
	return l, m, err
}

// mayClaim refuses a member who waits while their address signs in elsewhere: a
// link must not reach the account there. The link stays, for when it is free.
//
// Whoever holds the link learns of it here, also an admin who opens it himself,
// and no other wording would hide it: an address signs in to one team, so the
// link of a free address has to work and that of another has to fail. The refusal
// says why, for the person who was invited; each probe costs its team an
// invitation, a member and an entry of the audit log.
func mayClaim(tx kv.Tx, m *roster.Member) error {
	taken, err := roster.Accounts.Exists(tx, "", m.Email)
	if err == nil && taken {
		err = api.NewError(http.StatusConflict, api.CodeEmailTaken,
			"This e-mail address signs in to another team, and an address signs in to one only. Ask to be invited under another address.")
	}
	return err
}

// useLink spends the link: it and the session are one transaction.
func (s *Service) useLink(tx kv.Tx, who op.Caller, f *Fingerprint, p *roster.Password, plain string) (out api.Session, err error) {
	l, m, err := s.linked(tx, f)
	if err != nil {
		return out, err
	}
	if err := dropLink(tx, m); err != nil {
		return out, err
	}
	if m.Waits {
		if err := roster.AddAccount(tx, l.Team, l.User, m); err != nil {
			return out, err
		}
	}
	invited := m.Invited
	m.Invited, m.Waits = false, false
	if err := roster.Members.Put(tx, l.Team, l.User, m); err != nil {
		return out, err
	}
	if len(p.Hash) > 0 {
		if err := setPassword(tx, m.Email, p); err != nil {
			return out, err
		}
		// A password that is replaced may be in other hands, as may what it opened.
		if !invited {
			if err := endSessions(tx, l.Team, l.User, ""); err != nil {
				return out, err
			}
		}
	}
	return s.signIn(tx, who, l.Team, l.User, plain, "link")
}

func setPassword(tx kv.Tx, email string, p *roster.Password) error {
	a, err := roster.Accounts.Get(tx, "", email)
	if err != nil {
		return err
	}
	a.Password = *p
	return roster.Accounts.Put(tx, "", email, a)
}

// signIn starts the session with the token plain and answers with it.
func (s *Service) signIn(tx kv.Tx, who op.Caller, team, user, plain, by string) (out api.Session, err error) {
	who.Team, who.Actor = team, api.Actor{Type: "user", ID: user}
	m, err := roster.Members.Get(tx, team, user)
	if err != nil {
		return out, err
	}
	m.LastLogin = s.now()
	if err := roster.Members.Put(tx, team, user, m); err != nil {
		return out, err
	}
	if err := remember(tx, m.Email, who.Address); err != nil {
		return out, err
	}
	id, v, err := s.startSession(tx, &who, user, plain)
	if err != nil {
		return out, err
	}
	if err := s.Audit(tx, &who, "auth.login", id, detail{"by": by, "address": place(who.Address)}); err != nil {
		return out, err
	}
	who.Credential = id
	show, err := showSessions(tx, &who, user)
	if err != nil {
		return out, err
	}
	out, err = show(id, v)
	out.Token = api.Secret(plain)
	return out, err
}

// ChangePassword sets the caller's password and ends the other sessions. For a
// member who signed in by link and has none, the current one is not looked at.
func (s *Service) ChangePassword(ctx context.Context, who op.Caller, in api.PasswordChange) (none api.None, err error) {
	email, err := s.emailOf(ctx, &who)
	if err != nil {
		return none, err
	}
	a, err := s.account(ctx, email)
	if err != nil {
		return none, err
	}
	if len(a.Password.Hash) > 0 {
		if err := s.confirm(ctx, &who, a, string(in.Current)); err != nil {
			return none, err
		}
	}
	p, err := s.newPassword(ctx, "/newPassword", email, string(in.New))
	if err != nil {
		return none, err
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.None, error) {
		if err := setPassword(tx, email, &p); err != nil {
			return none, err
		}
		if err := endSessions(tx, who.Team, who.Actor.ID, who.Credential); err != nil {
			return none, err
		}
		return none, s.Audit(tx, &who, "auth.changePassword", who.Actor.ID, nil)
	})
}

// confirm checks the current password of a signed-in member, whose session may
// be in other hands: attempts count for the session, so that nobody else can use
// them up.
func (s *Service) confirm(ctx context.Context, who *op.Caller, a *roster.Account, text string) error {
	try := &attempt{f: s.logins, from: "session " + who.Credential}
	if wait := try.f.begin(try.from, s.Now()); wait > 0 {
		return tooMany(wait)
	}
	ok, err := s.compare(ctx, who, try, a, text)
	if err == nil && !ok {
		err = api.Invalid("/currentPassword", "incorrect", "The current password is wrong.")
	}
	return err
}

func invalidCredentials() *api.Error {
	return api.NewError(http.StatusUnauthorized, api.CodeInvalidCredentials,
		"E-mail address and password do not match, or the link was used or has expired.")
}

// attempt is one attempt to sign in, counted for the network that it comes from.
type attempt struct {
	f     *failures
	from  string
	known bool
}

// attempt refuses when the network has to wait. One that has signed in to the
// account before has not: only its own attempts at it are counted, to be told.
func (s *Service) attempt(address string, a *roster.Account) (*attempt, error) {
	network := signInNetwork(address)
	t := &attempt{f: s.logins, from: "network " + network, known: slices.Contains(a.Networks, network)}
	if t.known {
		t.from = "account " + a.User + " " + t.from
	}
	if wait := t.f.begin(t.from, s.Now()); wait > 0 && !t.known {
		return nil, tooMany(wait)
	}
	return t, nil
}

// succeed takes back this attempt only: whoever knows one password must not get
// further guesses at others for it.
func (t *attempt) succeed() {
	if t.known {
		t.f.forgive(t.from)
	} else {
		t.f.giveBack(t.from)
	}
}

// undo takes the attempt back: nothing was tried.
func (t *attempt) undo() { t.f.giveBack(t.from) }

// maxNetworks is how many networks an account is known from.
const maxNetworks = 20

// remember notes that the account was signed in to from an address.
func remember(tx kv.Tx, email, address string) error {
	network := signInNetwork(address)
	a, err := roster.Accounts.Get(tx, "", email)
	if err != nil || network == "" || len(a.Networks) > 0 && a.Networks[0] == network {
		return err
	}
	others := slices.DeleteFunc(a.Networks, func(n string) bool { return n == network })
	a.Networks = append([]string{network}, others[:min(len(others), maxNetworks-1)]...)
	return roster.Accounts.Put(tx, "", email, a)
}

// emailOf returns the address that the caller signs in with.
func (s *Service) emailOf(ctx context.Context, who *op.Caller) (email string, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		m, err := roster.Members.Get(tx, who.Team, who.Actor.ID)
		if err == nil {
			email = m.Email
		}
		return err
	})
	return email, err
}
