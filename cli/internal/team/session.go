package team

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var sessions = crud.Lister[api.Session, api.PageQuery]{
	Path: "session", Plural: "your sessions, newest first",
	Columns: append(crud.Columns[api.Session]("id current began=createdAt ends=expiresAt address browser=userAgent~"),
		output.Column[api.Session]{Name: "member", Value: func(s *api.Session) string { return s.User.Email }, Wide: true}),
	Connect: crud.Member(func(c *sdk.Client) crud.Pages[api.Session, api.PageQuery] { return c.Auth.Sessions }),
}

// NewSession is the command session.
func NewSession(a *kit.App) *cobra.Command {
	return kit.Group("session", "Your sessions on dashboards and terminals", []string{"sessions"}, sessions.New(a), newRevoke(a))
}

func newRevoke(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "revoke ID", Short: "End a session at once", Args: kit.Exactly("the session's id"), Example: "  svcctl session revoke ses_01j… --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.MemberWriter(w)
			if err != nil {
				return err
			}
			if !w.DryRun {
				if err := a.Confirm("ending "+args[0], args[0]); err != nil {
					return err
				}
			}
			if err := c.Auth.RevokeSession(cmd.Context(), api.Ref{ID: args[0]}, w.Options()...); err != nil {
				return err
			}
			a.IO.Say("revoked %s", args[0])
			return nil
		},
	}
	w.Add(cmd)
	a.CompleteFirst(cmd, func(ctx context.Context, a *kit.App) ([]string, error) {
		c, err := a.Dashboard()
		if err != nil {
			return nil, err
		}
		page, err := c.Auth.Sessions(ctx, api.PageQuery{Limit: 100})
		if err != nil {
			return nil, err
		}
		ids := make([]string, len(page.Data))
		for i := range page.Data {
			ids[i] = page.Data[i].ID
		}
		return ids, nil
	})
	return cmd
}
