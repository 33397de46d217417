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
	one := crud.ByID[api.Session]{Path: "session", Kind: "session", Example: "ses_01j…", Connect: (*kit.App).Dashboard, Names: sessions.Names}
	return kit.Group("session", "Your sessions on dashboards and terminals", []string{"sessions"}, sessions.New(a),
		one.NewEnd(a, crud.Ending{Verb: "revoke", Done: "revoked", Short: "End a session at once"}, revoke))
}

func revoke(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) error {
	return c.Auth.RevokeSession(ctx, ref, options...)
}
