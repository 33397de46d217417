package cli

import (
	"context"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var keyView = output.View[api.Key]{
	ID: func(k *api.Key) string { return k.ID },
	Columns: []output.Column[api.Key]{
		{Name: "id", Value: func(k *api.Key) string { return k.ID }},
		{Name: "name", Value: func(k *api.Key) string { return k.Name }, Flex: true},
		{Name: "key", Value: func(k *api.Key) string { return "svc_****" + k.Last4 }},
		{Name: "state", Value: func(k *api.Key) string { return k.State }},
		when("used", func(k *api.Key) api.Time { return k.LastUsedAt }),
		when("expires", func(k *api.Key) api.Time { return k.ExpiresAt }),
		{Name: "scopes", Value: func(k *api.Key) string { return strings.Join(k.Scopes, " ") }, Wide: true},
		wide(when("created", func(k *api.Key) api.Time { return k.CreatedAt })),
	},
}

func newKey(a *app) *cobra.Command {
	return group("key", "API keys of the team (needs a session)", []string{"keys"},
		newKeyList(a), newKeyCreate(a), newKeyRotate(a), newKeyRevoke(a))
}

func newKeyList(a *app) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List keys; secrets are never shown again", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			return showList(a, l, keyView, d.Keys.All(cmd.Context(), l.page()))
		},
	}
	l.add(cmd)
	return cmd
}

type keyCreate struct {
	app     *app
	name    string
	scopes  []string
	expires string
}

func newKeyCreate(a *app) *cobra.Command {
	o := &keyCreate{app: a}
	cmd := &cobra.Command{
		Use: "create", Short: "Create a key and show it once", Args: exactly(),
		Example: "  svcctl key create --name ci --scope posts:write --expires 90d -o json --jq .secret",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "what the key is for")
	f.StringSliceVar(&o.scopes, "scope", nil, "scopes such as posts:write, or a preset: read-only, publisher, operator, full")
	f.StringVar(&o.expires, "expires", "", "end of the key's life, such as 90d")
	return cmd
}

func (o *keyCreate) run(ctx context.Context) error {
	if o.name == "" || len(o.scopes) == 0 {
		return &failure{Exit: exitUsage, Code: "usage", Message: "a key needs --name and --scope", Hint: "svcctl key create --name ci --scope publisher --expires 90d"}
	}
	in := api.KeyCreate{Name: o.name, Scopes: o.scopes}
	if o.expires != "" {
		d, err := parseSpan(o.expires)
		if err != nil {
			return err
		}
		in.ExpiresAt = api.TimeOf(time.Now().Add(d))
	}
	d, err := o.app.dashboard()
	if err != nil {
		return err
	}
	key, err := d.Keys.Create(ctx, in)
	if err != nil {
		return err
	}
	return o.app.showSecret(key)
}

// showSecret prints a new key: on its own line where a person reads, so that
// it can be piped.
func (a *app) showSecret(key *api.Key) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(key)
	}
	a.io.Say("%s · %s · shown once, so keep it now:", key.ID, strings.Join(key.Scopes, " "))
	return a.printText(key.Secret + "\n")
}

type keyRotate struct {
	app   *app
	grace string
}

func newKeyRotate(a *app) *cobra.Command {
	o := &keyRotate{app: a}
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Give a key a new secret and show it once", Args: exactly("the key's id"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&o.grace, "grace", "0h", "how long the old secret goes on working, up to 7d")
	return cmd
}

func (o *keyRotate) run(ctx context.Context, id string) error {
	grace, err := parseSpan(o.grace)
	if err != nil {
		return err
	}
	d, err := o.app.dashboard()
	if err != nil {
		return err
	}
	key, err := d.Keys.Roll(ctx, api.KeyRoll{ID: id, GraceHours: int((grace + time.Hour - 1) / time.Hour)})
	if err != nil {
		return err
	}
	return o.app.showSecret(key)
}

func newKeyRevoke(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "End a key at once", Args: exactly("the key's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			if err := a.confirm("revoking "+args[0], args[0]); err != nil {
				return err
			}
			key, err := d.Keys.Revoke(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			a.io.Say("revoked %s", key.ID)
			return nil
		},
	}
}
