package team

import (
	"context"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var member = crud.Noun[api.User, api.MemberInvite, api.MemberRole, api.PageQuery]{
	Name: "member", Aliases: []string{"members"}, Kind: "member", Short: "Members of the team (needs a session)", Example: "ada@example.com", Prefix: "usr_", By: "email",
	Connect: crud.Member(func(c *sdk.Client) crud.Service[api.User, api.MemberInvite, api.MemberRole, api.PageQuery] {
		return members{c.Team}
	}),
	Columns: crud.Columns[api.User]("email~ name~ role state login=lastLoginAt id"),
	End:     crud.Ending{Verb: "remove", Done: "removed", Short: "Remove a member and end their sessions"},
}

// members are a team's members; the daemon lists them, and does not give one.
type members struct{ *sdk.TeamService }

// List implements crud.Service.
func (s members) List(ctx context.Context, q api.PageQuery, options ...sdk.CallOption) (*api.Page[api.User], error) {
	return s.Members(ctx, q, options...)
}

// Get implements crud.Service.
func (s members) Get(ctx context.Context, id string, options ...sdk.CallOption) (*api.User, error) {
	for q := (api.PageQuery{Limit: 100}); ; {
		page, err := s.Members(ctx, q, options...)
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(page.Data, func(u api.User) bool { return u.ID == id }); i >= 0 {
			return &page.Data[i], nil
		}
		if !page.HasMore {
			return nil, api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such member.")
		}
		q.Cursor = page.NextCursor
	}
}

// Create implements crud.Service.
func (s members) Create(ctx context.Context, in api.MemberInvite, options ...sdk.CallOption) (*api.User, error) {
	invited, err := s.Invite(ctx, in, options...)
	if err != nil {
		return nil, err
	}
	return &invited.User, nil
}

// Update implements crud.Service.
func (s members) Update(ctx context.Context, in api.MemberRole, options ...sdk.CallOption) (*api.User, error) {
	return s.SetRole(ctx, in, options...)
}

// Delete implements crud.Service.
func (s members) Delete(ctx context.Context, ref api.Ref, options ...sdk.CallOption) error {
	return s.Remove(ctx, ref, options...)
}

var roles = []string{api.RoleOwner, api.RoleAdmin, api.RoleEditor, api.RoleOperator, api.RoleViewer}

// NewMember is the command member.
func NewMember(a *kit.App) *cobra.Command {
	return kit.Group(member.Name, member.Short, member.Aliases, member.NewList(a), member.NewGet(a), newInvite(a), newRole(a), member.NewDelete(a))
}

func newInvite(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	var in api.MemberInvite
	cmd := &cobra.Command{
		Use: "invite EMAIL", Short: "Invite a member and show their sign-in link once", Args: kit.Exactly("an e-mail address"),
		Example: "  svcctl member invite ada@example.com --role editor\n  svcctl member invite ada@example.com --role viewer -o json --jq .link",
		RunE: func(cmd *cobra.Command, args []string) error {
			if in.Role == "" {
				return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "a member needs --role", Hint: "svcctl member invite " + args[0] + " --role editor"}
			}
			in.Email = args[0]
			c, err := a.MemberWriter(w)
			if err != nil {
				return err
			}
			invited, err := c.Team.Invite(cmd.Context(), in, w.Options()...)
			if err != nil {
				return err
			}
			return showLink(a, invited)
		},
	}
	cmd.Flags().StringVar(&in.Role, "role", "", "admin, editor, operator or viewer")
	cmd.Flags().StringVar(&in.Name, "name", "", "their name")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(roles[1:], cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	w.Add(cmd)
	return cmd
}

// showLink prints a sign-in link on a line of its own, so that it can be piped.
func showLink(a *kit.App, invited *api.MemberInvited) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(invited)
	}
	a.IO.Say("invited %s (%s); the link works once, until %s, and is not shown again:", invited.User.Email, invited.User.ID, invited.Expire)
	return a.PrintText(string(invited.Link) + "\n")
}

func newRole(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "role MEMBER ROLE", Short: "Change a member's role", Args: kit.Exactly("the member's email or id", "owner, admin, editor, operator or viewer"),
		Example: "  svcctl member role ada@example.com admin",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(roles, args[1]) {
				return kit.Usage("a role is owner, admin, editor, operator or viewer, not %q", args[1])
			}
			c, err := a.MemberWriter(w)
			if err != nil {
				return err
			}
			id, err := member.ID(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			user, err := c.Team.SetRole(cmd.Context(), api.MemberRole{ID: id, Role: args[1]}, w.Options()...)
			if err != nil {
				return err
			}
			a.IO.Say("%s is %s now", user.Email, user.Role)
			return kit.ShowOne(a, member.View(), user)
		},
	}
	w.Add(cmd)
	a.CompleteArgs(cmd, member.Names, kit.Fixed(roles...), kit.Fixed())
	return cmd
}

// Members are the members, for completion.
func Members(ctx context.Context, a *kit.App) ([]string, error) { return member.Names(ctx, a) }
