package login

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
)

// identity is who one is at the daemon in use.
type identity struct {
	URL     string   `json:"url"`
	Context string   `json:"context,omitempty"`
	Team    string   `json:"team"`
	TeamID  string   `json:"teamId"`
	User    string   `json:"user,omitempty"`
	Role    string   `json:"role,omitempty"`
	Key     string   `json:"key,omitempty"`
	Scopes  []string `json:"scopes"`
	Expires api.Time `json:"expiresAt"`
	Daemon  string   `json:"daemonVersion"`
	Session string   `json:"session,omitempty"`
}

var identityView = output.View[identity]{
	ID: func(i *identity) string { return i.TeamID },
	Columns: []output.Column[identity]{
		{Name: "team", Value: func(i *identity) string { return i.Team + " (" + i.TeamID + ")" }},
		{Name: "user", Value: func(i *identity) string { return i.User }},
		{Name: "role", Value: func(i *identity) string { return i.Role }},
		{Name: "key", Value: func(i *identity) string { return i.Key }},
		{Name: "scopes", Value: func(i *identity) string { return strings.Join(i.Scopes, " ") }},
		{Name: "expires", Value: keyExpiry},
		{Name: "session", Value: func(i *identity) string { return i.Session }},
		{Name: "url", Value: func(i *identity) string { return i.URL }},
		{Name: "context", Value: func(i *identity) string { return i.Context }},
		{Name: "daemon", Value: func(i *identity) string { return i.Daemon }},
	},
}

func keyExpiry(i *identity) string {
	if i.Expires == 0 {
		return "never"
	}
	return i.Expires.String() + " (" + kit.Ago(i.Expires) + ")"
}

// NewWhoami is the command whoami.
func NewWhoami(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Show who you are at the daemon in use", Args: kit.Exactly(),
		Example: "  svcctl whoami -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := identify(cmd.Context(), a)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, identityView, i)
		},
	}
}

// NewStatus is the command status.
func NewStatus(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show who you are, with the state of the session", Args: kit.Exactly(),
		Long:    "Shows who you are and the state of the session. Exits 3 when a session was begun here and has ended.",
		Example: "  svcctl status --json=user,session",
		RunE: func(cmd *cobra.Command, _ []string) error {
			i, err := identify(cmd.Context(), a)
			if err != nil {
				return err
			}
			var ended error
			if i.Session, ended = sessionState(cmd.Context(), a); ended != nil && i.Session == "" {
				return ended
			}
			if err := kit.ShowOne(a, identityView, i); err != nil {
				return err
			}
			return ended
		},
	}
}

func identify(ctx context.Context, a *kit.App) (*identity, error) {
	a.SessionToo = true
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	me, err := c.Me(ctx)
	if err != nil {
		return nil, err
	}
	i := &identity{
		URL: a.Settings.URL, Context: a.Settings.Name, Team: me.Team.Name, TeamID: me.Team.ID,
		Role: me.Role, Key: me.KeyName, Scopes: me.Scopes, Expires: me.ExpiresAt, Daemon: me.Version,
	}
	if me.User != nil {
		i.User = me.User.Email
	}
	return i, nil
}

// sessionState describes the session. One that has ended is an error too; where
// it cannot be asked for, there is only the error.
func sessionState(ctx context.Context, a *kit.App) (string, error) {
	d, err := a.Dashboard()
	if err != nil {
		return "none (svcctl login --email you@example.com)", nil
	}
	session, err := d.Auth.Session(ctx)
	if err == nil {
		return session.User.Email + ", " + session.User.Role + ", until " + session.ExpiresAt.String(), nil
	}
	f := kit.Explain(ctx, err)
	if f.Exit != kit.ExitAuth {
		return "", f
	}
	ended := *f
	ended.Hint = "svcctl login " + a.Settings.URL + " --email you@example.com"
	return "ended", &ended
}
