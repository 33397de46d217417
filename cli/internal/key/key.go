// Package key is svcctl key: the team's API keys.
package key

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Key]{
	ID: func(k *api.Key) string { return k.ID },
	Columns: []output.Column[api.Key]{
		{Name: "id", Value: func(k *api.Key) string { return k.ID }},
		{Name: "name", Value: func(k *api.Key) string { return k.Name }, Flex: true},
		{Name: "key", Value: func(k *api.Key) string { return "svc_****" + k.Last4 }},
		{Name: "state", Value: func(k *api.Key) string { return k.State }},
		kit.When("used", func(k *api.Key) api.Time { return k.LastUsedAt }),
		kit.When("expires", func(k *api.Key) api.Time { return k.ExpiresAt }),
		{Name: "scopes", Value: func(k *api.Key) string { return strings.Join(k.Scopes, " ") }, Wide: true},
		kit.Wide(kit.When("created", func(k *api.Key) api.Time { return k.CreatedAt })),
	},
}

// New is the command key.
func New(a *kit.App) *cobra.Command {
	return kit.Group("key", "API keys of the team (needs a session)", []string{"keys"},
		newList(a), newCreate(a), newRotate(a), newRevoke(a))
}

func newList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List keys; secrets are never shown again", Aliases: []string{"ls"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			return kit.ShowList(a, l, view, d.Keys.All(cmd.Context(), l.Page()))
		},
	}
	l.Add(cmd)
	return cmd
}

type create struct {
	app     *kit.App
	name    string
	scopes  []string
	expires string
}

func newCreate(a *kit.App) *cobra.Command {
	o := &create{app: a}
	cmd := &cobra.Command{
		Use: "create", Short: "Create a key and show it once", Args: kit.Exactly(),
		Example: "  svcctl key create --name ci --scope posts:write --expires 90d -o json --jq .secret",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "what the key is for")
	f.StringSliceVar(&o.scopes, "scope", nil, "scopes such as posts:write, or a preset: read-only, publisher, operator, full")
	f.StringVar(&o.expires, "expires", "", "end of the key's life, such as 90d")
	return cmd
}

func (o *create) run(ctx context.Context) error {
	if o.name == "" || len(o.scopes) == 0 {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "a key needs --name and --scope", Hint: "svcctl key create --name ci --scope publisher --expires 90d"}
	}
	in := api.KeyCreate{Name: o.name, Scopes: o.scopes}
	if o.expires != "" {
		d, err := kit.ParseSpan(o.expires)
		if err != nil {
			return err
		}
		in.ExpiresAt = api.TimeOf(time.Now().Add(d))
	}
	d, err := o.app.Dashboard()
	if err != nil {
		return err
	}
	key, err := d.Keys.Create(ctx, in)
	if err != nil {
		return err
	}
	return showSecret(o.app, key)
}

// showSecret prints a new key: on its own line where a person reads, so that
// it can be piped.
func showSecret(a *kit.App, key *api.Key) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(key)
	}
	a.IO.Say("%s · %s · shown once, so keep it now:", key.ID, strings.Join(key.Scopes, " "))
	return a.PrintText(key.Secret + "\n")
}

type rotate struct {
	app   *kit.App
	grace string
}

func newRotate(a *kit.App) *cobra.Command {
	o := &rotate{app: a}
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Give a key a new secret and show it once", Args: kit.Exactly("the key's id"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&o.grace, "grace", "0h", "how long the old secret goes on working, up to 7d")
	return cmd
}

func (o *rotate) run(ctx context.Context, id string) error {
	grace, err := kit.ParseSpan(o.grace)
	if err != nil {
		return err
	}
	d, err := o.app.Dashboard()
	if err != nil {
		return err
	}
	key, err := d.Keys.Roll(ctx, api.KeyRoll{ID: id, GraceHours: int((grace + time.Hour - 1) / time.Hour)})
	if err != nil {
		return err
	}
	return showSecret(o.app, key)
}

func newRevoke(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "End a key at once", Args: kit.Exactly("the key's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			if err := a.Confirm("revoking "+args[0], args[0]); err != nil {
				return err
			}
			key, err := d.Keys.Revoke(cmd.Context(), api.Ref{ID: args[0]})
			if err != nil {
				return err
			}
			a.IO.Say("revoked %s", key.ID)
			return nil
		},
	}
}
