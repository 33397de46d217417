package team

import (
	"context"
	"errors"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// NewLink makes a sign-in link for the member with that e-mail address, in place
// of the one before. It is for those who run the daemon: whoever holds the link
// signs in as the member and may set another password.
func (s *Service) NewLink(ctx context.Context, email string) (out api.MemberInvited, err error) {
	email = normal(email)
	plain := newToken(linkPrefix)
	err = s.store.Update(ctx, func(tx kv.Tx) error {
		a, err := accounts.Get(tx, "", email)
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
			return fmt.Errorf("no member signs in as %s", email)
		}
		if err != nil {
			return err
		}
		m, err := members.Get(tx, a.Team, a.User)
		if err != nil {
			return err
		}
		if out.Expire, err = s.addLink(tx, a.Team, a.User, m, plain); err != nil {
			return err
		}
		if err := members.Put(tx, a.Team, a.User, m); err != nil {
			return err
		}
		out.User, _ = showMember(a.User, m)
		who := op.Caller{Kind: op.System, Team: a.Team, Actor: api.Actor{Type: "system"}}
		return s.audit(tx, &who, "team.link", a.User, detail{"email": email, "role": m.Role})
	})
	out.Link = s.BaseURL + "/sign-in?token=" + plain
	return out, err
}
