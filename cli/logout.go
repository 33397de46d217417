package cli

import (
	"context"

	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"github.com/spf13/cobra"
)

func newLogout(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "End the session, revoke the key that login made, forget both", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return logout(cmd.Context(), a) },
	}
}

func logout(ctx context.Context, a *app) error {
	s, err := a.load()
	if err != nil {
		return err
	}
	if s.Context == nil {
		return noContext(a.flags.Context)
	}
	token, err := a.secrets(s).Get(s.Name, s.Context, settings.SecretSession)
	if err != nil {
		return err
	}
	if token != "" {
		a.revoke(ctx, s, sdk.NewDashboard(s.URL, token, a.options(s)...))
	}
	if err := a.secrets(s).Delete(s.Name, s.Context); err != nil {
		return err
	}
	s.Context.KeyID, s.Context.Storage = "", ""
	a.io.Say("signed out of %s", s.URL)
	return s.File.Write(s.Dir)
}

// revoke ends what the daemon knows; a daemon out of reach does not keep the
// credentials here.
func (a *app) revoke(ctx context.Context, s *settings.Settings, d *sdk.Dashboard) {
	if s.Context.KeyID != "" {
		if _, err := d.Keys.Revoke(ctx, s.Context.KeyID); err != nil {
			a.io.Say("the key %s was not revoked: %s", s.Context.KeyID, terminal.Line(explain(ctx, err).Message))
		}
	}
	if err := d.Auth.Logout(ctx); err != nil {
		a.io.Say("the session was not ended: %s", terminal.Line(explain(ctx, err).Message))
	}
}
