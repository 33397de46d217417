package login

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// NewLogout is the command logout.
func NewLogout(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "End the session, revoke the key that login made, forget both", Args: kit.Exactly(),
		Example: "  svcctl logout",
		RunE:    func(cmd *cobra.Command, _ []string) error { return logout(cmd.Context(), a) },
	}
}

func logout(ctx context.Context, a *kit.App) error {
	s, err := a.Load()
	if err != nil {
		return err
	}
	if s.Context == nil {
		return kit.NoContext(a.Flags.Context)
	}
	token, err := a.Secrets(s).Get(s.Name, s.Context, settings.SecretSession)
	if err != nil {
		return err
	}
	if token != "" {
		revoke(ctx, a, s, sdk.New(s.URL, append(a.Options(s), sdk.WithSession(token))...))
	}
	if err := a.Secrets(s).Delete(s.Name, s.Context); err != nil {
		return err
	}
	s.Context.KeyID, s.Context.Storage = "", ""
	a.IO.Say("signed out of %s", s.URL)
	return s.File.Write(s.Dir)
}

// revoke ends what the daemon knows; a daemon out of reach does not keep the
// credentials here.
func revoke(ctx context.Context, a *kit.App, s *settings.Settings, d *sdk.Client) {
	if s.Context.KeyID != "" {
		if _, err := d.Keys.Revoke(ctx, api.Ref{ID: s.Context.KeyID}); err != nil {
			a.IO.Say("the key %s was not revoked: %s", s.Context.KeyID, terminal.Line(kit.Explain(ctx, err).Message))
		}
	}
	if err := d.Auth.Logout(ctx); err != nil {
		a.IO.Say("the session was not ended: %s", terminal.Line(kit.Explain(ctx, err).Message))
	}
}
