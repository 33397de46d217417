package cli

import (
	"context"
	"fmt"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var cannedView = output.View[api.CannedResponse]{
	ID: func(c *api.CannedResponse) string { return c.ID },
	Columns: []output.Column[api.CannedResponse]{
		{Name: "id", Value: func(c *api.CannedResponse) string { return c.ID }},
		{Name: "shortcut", Value: func(c *api.CannedResponse) string { return c.Shortcut }},
		{Name: "title", Value: func(c *api.CannedResponse) string { return c.Title }, Flex: true},
		{Name: "variables", Value: func(c *api.CannedResponse) string { return strings.Join(c.Variables, " ") }},
		{Name: "body", Value: func(c *api.CannedResponse) string { return c.Body }, Wide: true, Flex: true},
		wide(when("updated", func(c *api.CannedResponse) api.Time { return c.UpdatedAt })),
	},
}

var cannedHitView = output.View[api.CannedHit]{
	ID: func(h *api.CannedHit) string { return h.CannedResponse.ID },
	Columns: []output.Column[api.CannedHit]{
		{Name: "score", Value: func(h *api.CannedHit) string { return fmt.Sprintf("%.2f", h.Score) }},
		{Name: "id", Value: func(h *api.CannedHit) string { return h.CannedResponse.ID }},
		{Name: "shortcut", Value: func(h *api.CannedHit) string { return h.CannedResponse.Shortcut }},
		{Name: "title", Value: func(h *api.CannedHit) string { return h.CannedResponse.Title }, Flex: true},
	},
}

func newCanned(a *app) *cobra.Command {
	return group("canned", "Saved replies (needs a session)", []string{"canned-response", "canned-responses"},
		newCannedList(a), newCannedGet(a), newCannedCreate(a), newCannedUpdate(a), newCannedDelete(a), newCannedMatch(a))
}

func newCannedList(a *app) *cobra.Command {
	var l listFlags
	search := ""
	cmd := &cobra.Command{
		Use: "list", Short: "List saved replies, newest first", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			return showList(a, l, cannedView, d.Canned.All(cmd.Context(), api.CannedQuery{PageQuery: l.page(), Q: search}))
		},
	}
	l.add(cmd)
	cmd.Flags().StringVar(&search, "search", "", "words of shortcut, title or body")
	return cmd
}

func newCannedGet(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "get REPLY", Short: "Show a saved reply", Args: exactly("the reply's shortcut or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, c, err := a.openCanned(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return showOne(a, cannedView, c)
		},
	}
}

// openCanned finds a saved reply by its id or shortcut.
func (a *app) openCanned(ctx context.Context, ref string) (*sdk.Dashboard, *api.CannedResponse, error) {
	d, err := a.dashboard()
	if err != nil {
		return nil, nil, err
	}
	c, err := findCanned(ctx, d, ref)
	return d, c, err
}

func findCanned(ctx context.Context, d *sdk.Dashboard, ref string) (*api.CannedResponse, error) {
	if strings.HasPrefix(ref, "can_") {
		return d.Canned.Get(ctx, ref)
	}
	for c, err := range d.Canned.All(ctx, api.CannedQuery{PageQuery: api.PageQuery{Limit: 100}, Q: ref}) {
		if err != nil {
			return nil, err
		}
		if c.Shortcut == ref {
			return c, nil
		}
	}
	return nil, &failure{Exit: exitNotFound, Code: "not_found", Message: "there is no saved reply " + ref, Hint: "svcctl canned list"}
}

// cannedFlags are the members of a saved reply.
type cannedFlags struct{ shortcut, title, body string }

func (f *cannedFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.shortcut, "shortcut", "", "what members type to use it, such as refund")
	cmd.Flags().StringVar(&f.title, "title", "", "what it is about")
	cmd.Flags().StringVar(&f.body, "body", "", "Markdown with {{ variables }}; @file or @- reads it")
}

func newCannedCreate(a *app) *cobra.Command {
	var f cannedFlags
	cmd := &cobra.Command{
		Use: "create", Short: "Save a reply", Args: exactly(),
		Example: "  svcctl canned create --shortcut refund --title Refunds --body @refund.md",
		RunE: func(cmd *cobra.Command, _ []string) error {
			body, err := a.text(f.body)
			if err != nil {
				return err
			}
			if f.shortcut == "" || f.title == "" || body == "" {
				return &failure{Exit: exitUsage, Code: "usage", Message: "a saved reply needs --shortcut, --title and --body", Hint: strings.TrimSpace(cmd.Example)}
			}
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			c, err := d.Canned.Create(cmd.Context(), api.CannedCreate{Shortcut: f.shortcut, Title: f.title, Body: body})
			if err != nil {
				return err
			}
			return showOne(a, cannedView, c)
		},
	}
	f.add(cmd)
	return cmd
}

func newCannedUpdate(a *app) *cobra.Command {
	var f cannedFlags
	cmd := &cobra.Command{
		Use: "update REPLY", Short: "Change a saved reply", Args: exactly("the reply's shortcut or id"),
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
				body, err := a.text(f.body)
				if err != nil {
					return err
				}
				patch.Body = api.Some(body)
			}
			d, c, err := a.openCanned(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if c, err = d.Canned.Update(cmd.Context(), c.ID, patch); err != nil {
				return err
			}
			return showOne(a, cannedView, c)
		},
	}
	f.add(cmd)
	return cmd
}

func newCannedDelete(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "delete REPLY", Short: "Delete a saved reply and its links to agents", Args: exactly("the reply's shortcut or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, c, err := a.openCanned(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := a.confirm("deleting "+c.ID, c.Shortcut); err != nil {
				return err
			}
			if err := d.Canned.Delete(cmd.Context(), c.ID); err != nil {
				return err
			}
			a.io.Say("deleted %s", c.ID)
			return nil
		},
	}
}

func newCannedMatch(a *app) *cobra.Command {
	agent := ""
	cmd := &cobra.Command{
		Use: "match MESSAGE", Short: "Find the saved replies that fit a message", Args: exactly("the message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			in := api.CannedMatch{Message: args[0]}
			if agent != "" {
				found, err := findAgent(cmd.Context(), d, agent)
				if err != nil {
					return err
				}
				in.AgentID = found.ID
			}
			hits, err := d.Canned.Match(cmd.Context(), in)
			if err != nil {
				return err
			}
			return showList(a, listFlags{all: true}, cannedHitView, list(hits.Data))
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "only those linked to this agent")
	return cmd
}
