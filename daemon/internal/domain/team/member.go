package team

import (
	"context"
	"errors"
	"net/http"
	"net/mail"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

func showMember(id string, m *roster.Member) (api.User, error) { return m.Show(id), nil }

func checkEmail(pointer, email string) (string, error) {
	email = roster.NormalEmail(email)
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return "", api.Invalid(pointer, "format", "This is not an e-mail address.")
	}
	return email, nil
}

// Members lists the members of the caller's team.
func (s *Service) Members(ctx context.Context, who op.Caller, q api.PageQuery) (page api.Page[api.User], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		page, err = op.List(tx, roster.Members, who.Team, "", q, kv.Page[roster.Member]{Index: "c"}, showMember)
		return err
	})
	return page, err
}

// Invite adds a member, or, for one who was invited and has not come yet, makes
// another link in place of the first and changes nothing else. The link is
// answered this once. An address that signs in to another team is invited like
// any other, so that nobody learns of it here; its link is refused (mayClaim).
func (s *Service) Invite(ctx context.Context, who op.Caller, in api.MemberInvite) (out api.MemberInvited, err error) {
	email, err := checkEmail("/email", in.Email)
	if err != nil {
		return out, err
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (out api.MemberInvited, err error) {
		id, m, err := s.invitee(tx, &who, email, &in)
		if err != nil {
			return out, err
		}
		if out.Link, out.Expire, err = s.Link(tx, who.Team, id, m); err != nil {
			return out, err
		}
		if err := roster.Members.Put(tx, who.Team, id, m); err != nil {
			return out, err
		}
		out.User = m.Show(id)
		return out, s.Audit(tx, &who, "team.invite", id, detail{"email": email, "role": m.Role})
	})
}

// invitee finds who was invited under this address already, or adds them.
func (s *Service) invitee(tx kv.Tx, who *op.Caller, email string, in *api.MemberInvite) (id string, m *roster.Member, err error) {
	id, m, err = memberOf(tx, who.Team, email)
	if _, fresh := errors.AsType[*kv.NotFoundError](err); fresh {
		m = &roster.Member{Email: email, Name: in.Name, Role: in.Role}
		if m.Waits, err = roster.Accounts.Exists(tx, "", email); err != nil {
			return "", nil, err
		}
		id, err = s.addMember(tx, who.Team, m)
		return id, m, err
	}
	if err != nil {
		return "", nil, err
	}
	// The link lets its holder act as the member: an owner's is for owners only.
	if !m.Invited || who.Role < op.ParseRole(m.Role) {
		e := roster.EmailTaken()
		e.ExistingID = id
		return "", nil, e
	}
	return id, m, nil
}

// memberOf returns the team's member with that address, kv.NotFoundError when
// there is none, whatever the address is elsewhere.
func memberOf(tx kv.Tx, team, email string) (id string, m *roster.Member, err error) {
	a, err := roster.Accounts.Get(tx, "", email)
	if err == nil && a.Team == team {
		m, err = roster.Members.Get(tx, team, a.User)
		return a.User, m, err
	}
	if _, missing := errors.AsType[*kv.NotFoundError](err); err != nil && !missing {
		return "", nil, err
	}
	return roster.Members.Find(tx, team, "waits", kv.Key(email))
}

func (s *Service) addMember(tx kv.Tx, team string, m *roster.Member) (id string, err error) {
	id = kv.IDAt("usr", s.Now())
	m.Invited, m.Created, m.Updated, m.Version = true, s.now(), s.now(), 1
	if !m.Waits {
		if err := roster.AddAccount(tx, team, id, m); err != nil {
			return "", err
		}
	}
	return id, roster.Members.Insert(tx, team, id, m)
}

// SetRole changes what a member may do, from the next request on.
func (s *Service) SetRole(ctx context.Context, who op.Caller, in api.MemberRole) (api.User, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.User, error) {
		m, err := roster.Members.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.User{}, err
		}
		was := m.Role
		if err := mayChange(tx, &who, was, in.Role); err != nil {
			return api.User{}, err
		}
		m.Role, m.Updated, m.Version = in.Role, s.now(), m.Version+1
		if err := roster.Members.Put(tx, who.Team, in.ID, m); err != nil {
			return api.User{}, err
		}
		out := m.Show(in.ID)
		return out, s.Audit(tx, &who, "team.setRole", in.ID, detail{"from": was, "to": in.Role})
	})
}

// Remove takes a member out of the team, with sessions, password and link.
func (s *Service) Remove(ctx context.Context, who op.Caller, in api.MemberRef) (none api.None, err error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.None, error) {
		m, err := roster.Members.Get(tx, who.Team, in.ID)
		if err != nil {
			return none, err
		}
		if err := mayChange(tx, &who, m.Role, ""); err != nil {
			return none, err
		}
		if err := s.removeMember(tx, who.Team, in.ID, m); err != nil {
			return none, err
		}
		return none, s.Audit(tx, &who, "team.remove", in.ID, detail{"email": m.Email, "role": m.Role})
	})
}

func (s *Service) removeMember(tx kv.Tx, team, id string, m *roster.Member) error {
	if err := s.ShutOut(tx, team, id, m); err != nil {
		return err
	}
	if !m.Waits {
		if err := roster.Accounts.Delete(tx, "", m.Email); err != nil {
			return err
		}
	}
	return roster.Members.Delete(tx, team, id)
}

// mayChange refuses what only an owner may do to owners, and to leave a team
// without one.
func mayChange(tx kv.Tx, who *op.Caller, from, to string) error {
	if from != api.RoleOwner && to != api.RoleOwner {
		return nil
	}
	if who.Kind != op.System && who.Role < op.Owner {
		return api.NewError(http.StatusForbidden, api.CodeRoleRequired, "Only an owner may change who owns the team.")
	}
	if from != api.RoleOwner || to == api.RoleOwner {
		return nil
	}
	owners, err := roster.Members.List(tx, who.Team, kv.Page[roster.Member]{Index: "owner", Limit: 2, Skip: op.Unreadable})
	if err != nil {
		return err
	}
	if len(owners.Records) < 2 {
		e := api.NewError(http.StatusConflict, api.CodeInvalidTransition, "This is the only owner. Make another member an owner first.")
		e.From, e.To = from, to
		return e
	}
	return nil
}
