// Package canned is svcctl canned: the replies that members and agents reuse.
package canned

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/find"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// View is a canned response in a table.
var View = output.View[api.CannedResponse]{
	ID: func(c *api.CannedResponse) string { return c.ID },
	Columns: []output.Column[api.CannedResponse]{
		{Name: "id", Value: func(c *api.CannedResponse) string { return c.ID }},
		{Name: "shortcut", Value: func(c *api.CannedResponse) string { return c.Shortcut }},
		{Name: "title", Value: func(c *api.CannedResponse) string { return c.Title }, Flex: true},
		{Name: "variables", Value: func(c *api.CannedResponse) string { return strings.Join(c.Variables, " ") }},
		{Name: "body", Value: func(c *api.CannedResponse) string { return c.Body }, Wide: true, Flex: true},
		kit.Wide(kit.When("updated", func(c *api.CannedResponse) api.Time { return c.UpdatedAt })),
	},
}

var hitView = output.View[api.CannedHit]{
	ID: func(h *api.CannedHit) string { return h.CannedResponse.ID },
	Columns: []output.Column[api.CannedHit]{
		{Name: "score", Value: func(h *api.CannedHit) string { return fmt.Sprintf("%.2f", h.Score) }},
		{Name: "id", Value: func(h *api.CannedHit) string { return h.CannedResponse.ID }},
		{Name: "shortcut", Value: func(h *api.CannedHit) string { return h.CannedResponse.Shortcut }},
		{Name: "title", Value: func(h *api.CannedHit) string { return h.CannedResponse.Title }, Flex: true},
	},
}

// New is the command canned.
func New(a *kit.App) *cobra.Command {
	return kit.Group("canned", "Saved replies (needs a session)", []string{"canned-response", "canned-responses"},
		newList(a), newGet(a), newCreate(a), newUpdate(a), newDelete(a), newMatch(a))
}

func newList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	search := ""
	cmd := &cobra.Command{
		Use: "list", Short: "List saved replies, newest first", Aliases: []string{"ls"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			return kit.ShowList(a, l, View, d.Canned.All(cmd.Context(), api.CannedQuery{PageQuery: l.Page(), Q: search}))
		},
	}
	l.Add(cmd)
	cmd.Flags().StringVar(&search, "search", "", "words of shortcut, title or body")
	return cmd
}

func newGet(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "get REPLY", Short: "Show a saved reply", Args: kit.Exactly("the reply's shortcut or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, c, err := openCanned(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			return kit.ShowOne(a, View, c)
		},
	}
}

// openCanned finds a saved reply by its id or shortcut.
func openCanned(ctx context.Context, a *kit.App, ref string) (*sdk.Client, *api.CannedResponse, error) {
	d, err := a.Dashboard()
	if err != nil {
		return nil, nil, err
	}
	c, err := find.Canned(ctx, d, ref)
	return d, c, err
}

// flags are the members of a saved reply.
type flags struct{ shortcut, title, body string }

func (f *flags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.shortcut, "shortcut", "", "what members type to use it, such as refund")
	cmd.Flags().StringVar(&f.title, "title", "", "what it is about")
	cmd.Flags().StringVar(&f.body, "body", "", "Markdown with {{ variables }}; @file or @- reads it")
}

func newCreate(a *kit.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "create", Short: "Save a reply", Args: kit.Exactly(),
		Example: "  svcctl canned create --shortcut refund --title Refunds --body @refund.md",
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := a.Text(f.body)
			if err != nil {
				return err
			}
			if f.shortcut == "" || f.title == "" || body == "" {
				return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "a saved reply needs --shortcut, --title and --body", Hint: strings.TrimSpace(cmd.Example)}
			}
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			c, err := d.Canned.Create(cmd.Context(), api.CannedCreate{Shortcut: f.shortcut, Title: f.title, Body: body})
			if err != nil {
				return err
			}
			return kit.ShowOne(a, View, c)
		},
	}
	f.add(cmd)
	return cmd
}

func newUpdate(a *kit.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "update REPLY", Short: "Change a saved reply", Args: kit.Exactly("the reply's shortcut or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var patch api.CannedPatch
			changed := cmd.Flags().Changed
			if changed("shortcut") {
				patch.Shortcut = api.Some(f.shortcut)
			}
			if changed("title") {
				patch.Title = api.Some(f.title)
			}
			if changed("body") {
				body, err := a.Text(f.body)
				if err != nil {
					return err
				}
				patch.Body = api.Some(body)
			}
			d, c, err := openCanned(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			patch.ID = c.ID
			if c, err = d.Canned.Update(cmd.Context(), patch); err != nil {
				return err
			}
			return kit.ShowOne(a, View, c)
		},
	}
	f.add(cmd)
	return cmd
}

func newDelete(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "delete REPLY", Short: "Delete a saved reply and its links to agents", Args: kit.Exactly("the reply's shortcut or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, c, err := openCanned(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			if err := a.Confirm("deleting "+c.ID, c.Shortcut); err != nil {
				return err
			}
			if err := d.Canned.Delete(cmd.Context(), api.Ref{ID: c.ID}); err != nil {
				return err
			}
			a.IO.Say("deleted %s", c.ID)
			return nil
		},
	}
}

func newMatch(a *kit.App) *cobra.Command {
	agent := ""
	cmd := &cobra.Command{
		Use: "match MESSAGE", Short: "Find the saved replies that fit a message", Args: kit.Exactly("the message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			in := api.CannedMatch{Message: args[0]}
			if agent != "" {
				found, err := find.Agent(cmd.Context(), d, agent)
				if err != nil {
					return err
				}
				in.AgentID = found.ID
			}
			hits, err := d.Canned.Match(cmd.Context(), in)
			if err != nil {
				return err
			}
			return kit.ShowList(a, kit.ListFlags{All: true}, hitView, kit.List(hits.Data))
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "only those linked to this agent")
	return cmd
}
