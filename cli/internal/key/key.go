// Package key is svcctl key: the team's API keys.
package key

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var noun = crud.Noun[api.Key, api.KeyCreate, api.KeyUpdate, api.PageQuery]{
	Name: "key", Aliases: []string{"keys"}, Kind: "key", Short: "API keys of the team (needs a session)", Example: "ci", Prefix: "key_", By: "name",
	Connect: crud.Member(func(c *sdk.Client) crud.Service[api.Key, api.KeyCreate, api.KeyUpdate, api.PageQuery] {
		return keys{c.Keys}
	}),
	Columns: slices.Concat(crud.Columns[api.Key]("id name~"), []output.Column[api.Key]{
		{Name: "key", Value: func(k *api.Key) string { return "svc_****" + k.Last4 }},
	}, crud.Columns[api.Key]("state used=lastUsedAt expires=expiresAt +scopes +created=createdAt")),
	Needs: []string{"scopes"}, Commas: []string{"scopes"}, Flags: map[string]string{"expiresAt": "expires"}, Created: showSecret,
	Help: map[string]string{
		"name": "what the key is for", "scopes": "scopes such as posts:write, or a preset: read-only, publisher, operator, full",
		"expiresAt": "end of the key's life, such as 90d",
	},
	End: crud.Ending{Verb: "revoke", Done: "revoked", Short: "End a key at once"},
}

// keys are a team's keys; the daemon lists them, and does not give one.
type keys struct{ *sdk.KeysService }

// Get implements crud.Service.
func (s keys) Get(ctx context.Context, id string, options ...sdk.CallOption) (*api.Key, error) {
	for k, err := range s.All(ctx, api.PageQuery{Limit: 100}, options...) {
		if err != nil || k.ID == id {
			return k, err
		}
	}
	return nil, api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such key.")
}

// Delete implements crud.Service.
func (s keys) Delete(ctx context.Context, ref api.Ref, options ...sdk.CallOption) error {
	_, err := s.Revoke(ctx, ref, options...)
	return err
}

// Browse is the keys for a screen.
func Browse(a *kit.App) browse.Noun { return noun.Browse(a, crud.Screen[api.Key]{Members: true}) }

// New is the command key.
func New(a *kit.App) *cobra.Command {
	create := noun.NewCreate(a)
	create.Short = "Create a key and show it once"
	create.Example = "  svcctl key create --name ci --scope posts:write --expires 90d -o json --jq .secret"
	list := noun.NewList(a)
	list.Short = "List keys; secrets are never shown again"
	return kit.Group(noun.Name, noun.Short, noun.Aliases, list, noun.NewGet(a), create, noun.NewUpdate(a), newRotate(a), noun.NewDelete(a))
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
	return a.PrintText(string(key.Secret) + "\n")
}

func newRotate(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	grace := ""
	cmd := &cobra.Command{
		Use: "rotate KEY", Short: "Give a key a new secret and show it once", Args: kit.Exactly("the key's name or id"), Example: "  svcctl key rotate ci --grace 24h",
		RunE: func(cmd *cobra.Command, args []string) error {
			span, err := kit.ParseSpan(grace)
			if err != nil {
				return err
			}
			c, err := a.MemberWriter(w)
			if err != nil {
				return err
			}
			id, err := noun.ID(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			key, err := c.Keys.Roll(cmd.Context(), api.KeyRoll{ID: id, GraceHours: int((span + time.Hour - 1) / time.Hour)}, w.Options()...)
			if err != nil {
				return err
			}
			return showSecret(a, key)
		},
	}
	cmd.Flags().StringVar(&grace, "grace", "0h", "how long the old secret still works, up to 7d")
	w.Add(cmd)
	a.CompleteFirst(cmd, noun.Names)
	return cmd
}
