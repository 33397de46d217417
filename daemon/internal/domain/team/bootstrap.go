package team

import (
	"context"
	"net/http"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Bootstrap says what a new team begins with. An empty TeamSlug is made of the
// name.
type Bootstrap struct {
	TeamName string
	TeamSlug string
	Email    string // of the owner
}

// Bootstrapped is a new team. The key's Secret and the Link, which signs the
// owner in once, are nowhere else.
type Bootstrapped struct {
	Team api.Team
	User api.User
	Key  api.Key
	Link api.Secret
}

// Bootstrap creates the first team; on a store that has one it is refused.
func (s *Service) Bootstrap(ctx context.Context, in Bootstrap) (Bootstrapped, error) {
	return s.create(ctx, in, true)
}

// CreateTeam creates a further team.
func (s *Service) CreateTeam(ctx context.Context, in Bootstrap) (Bootstrapped, error) {
	return s.create(ctx, in, false)
}

func (s *Service) create(ctx context.Context, in Bootstrap, first bool) (out Bootstrapped, err error) {
	t, email, err := s.founding(&in)
	if err != nil {
		return out, err
	}
	err = s.store.Update(ctx, func(tx kv.Tx) error {
		if first {
			if empty, err := none(tx); err != nil || !empty {
				return already(err)
			}
		}
		out, err = s.found(tx, t, email)
		return err
	})
	return out, err
}

func already(err error) error {
	if err != nil {
		return err
	}
	return api.NewError(http.StatusConflict, api.CodeInvalidTransition, "There is a team already.")
}

// founding checks what a new team is to be.
func (s *Service) founding(in *Bootstrap) (t *roster.Team, email string, err error) {
	if email, err = checkEmail("/email", in.Email); err != nil {
		return nil, "", err
	}
	if in.TeamName == "" {
		return nil, "", api.Invalid("/name", "required", "The team needs a name.")
	}
	slug := in.TeamSlug
	if slug == "" {
		slug = slugOf(in.TeamName)
	}
	if err := checkSlug(slug); err != nil {
		return nil, "", err
	}
	return &roster.Team{Name: in.TeamName, Slug: slug, Version: 1, Created: s.now(), Updated: s.now()}, email, nil
}

// found stores the team with its owner, one key for everything and a link.
func (s *Service) found(tx kv.Tx, t *roster.Team, email string) (out Bootstrapped, err error) {
	id := kv.IDAt("team", s.Now())
	if err := roster.Teams.Insert(tx, "", id, t); err != nil {
		return out, slugTaken(tx, err, t.Slug)
	}
	who := op.Caller{Kind: op.System, Team: id, Actor: api.Actor{Type: "system"}}
	if err := s.Audit(tx, &who, "team.create", id, detail{"name": t.Name, "slug": t.Slug}); err != nil {
		return out, err
	}
	m := &roster.Member{Email: email, Role: api.RoleOwner}
	user, err := s.addMember(tx, id, m)
	if err != nil {
		return out, err
	}
	if out.Link, _, err = s.Link(tx, id, user, m); err != nil {
		return out, err
	}
	if err := roster.Members.Put(tx, id, user, m); err != nil {
		return out, err
	}
	if err := s.Audit(tx, &who, "team.invite", user, detail{"email": email, "role": m.Role}); err != nil {
		return out, err
	}
	out.Team, out.User = t.Show(id), m.Show(user)
	out.Key, err = s.FirstKey(tx, &who)
	return out, err
}
