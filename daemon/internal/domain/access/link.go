package access

import (
	"context"
	"errors"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// NewLink makes a sign-in link for the member with that e-mail address, in place
// of the one before. It is for those who run the daemon: whoever holds the link
// signs in as the member and may set another password.
func (s *Service) NewLink(ctx context.Context, email string) (out api.MemberInvited, err error) {
	email = roster.NormalEmail(email)
	err = s.store.Update(ctx, func(tx kv.Tx) error {
		a, err := roster.Accounts.Get(tx, "", email)
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
			return fmt.Errorf("no member signs in as %s", email)
		}
		if err != nil {
			return err
		}
		m, err := roster.Members.Get(tx, a.Team, a.User)
		if err != nil {
			return err
		}
		if out.Link, out.Expire, err = s.AddLink(tx, a.Team, a.User, m); err != nil {
			return err
		}
		if err := roster.Members.Put(tx, a.Team, a.User, m); err != nil {
			return err
		}
		out.User = m.Show(a.User)
		who := op.Caller{Kind: op.System, Team: a.Team, Actor: api.Actor{Type: "system"}}
		return s.Audit(tx, &who, "team.link", a.User, detail{"email": email, "role": m.Role})
	})
	return out, err
}
