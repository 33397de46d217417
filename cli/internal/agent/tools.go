package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func newTools(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "tools AGENT [+TOOL|-TOOL...]", Short: "Switch tools of an agent on and off", Args: kit.Exactly("the agent's name or id"),
		Long:    "Switches tools on with + and off with -; the others stay as they are. The tools are " + strings.Join(toolNames(), ", ") + ".",
		Example: "  svcctl agent tools Ada +create_post -generate_post_image",
	}
	w.Add(cmd)
	a.CompleteFirst(cmd, nouns.Agent.Names)
	return a.TakesChanges(cmd, func(cmd *cobra.Command, args []string, changes []kit.Change) error {
		for _, c := range changes {
			if !slices.Contains(toolNames(), c.Name) {
				return kit.Usage("there is no tool %s; the tools are %s", c.Name, strings.Join(toolNames(), ", "))
			}
		}
		return setTools(cmd.Context(), a, w, args[0], changes)
	})
}

func toolNames() []string {
	return api.AgentTools{CreatePost: true, PostImage: true, CreateArticle: true}.Names()
}

func setTools(ctx context.Context, a *kit.App, w kit.WriteFlags, ref string, changes []kit.Change) error {
	a.Rehearse(w)
	c, g, err := openAgent(ctx, a, ref)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		in := api.AgentSetTools{ID: g.ID}
		members := map[string]**bool{api.ToolCreatePost: &in.CreatePost, api.ToolPostImage: &in.PostImage, api.ToolCreateArticle: &in.CreateArticle}
		for _, change := range changes {
			*members[change.Name] = &change.Add
		}
		if g, err = c.Agents.SetTools(ctx, in, w.Options()...); err != nil {
			return err
		}
	}
	return kit.ShowOne(a, nouns.Agent.View(), g)
}

func newCanned(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "canned AGENT link|unlink|list [RESPONSE...]", Short: "Link canned responses to an agent", Args: kit.AtLeast("the agent's name or id", "link, unlink or list"),
		Example: "  svcctl agent canned Ada link refund hours",
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Rehearse(w)
			c, g, err := openAgent(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			verb, refs := args[1], args[2:]
			switch {
			case verb == "list" && len(refs) == 0:
			case verb != "link" && verb != "unlink":
				return kit.Usage("%s takes link, unlink or list, not %q", cmd.CommandPath(), verb)
			case len(refs) == 0:
				return kit.Usage("%s %s needs the shortcut or id of a canned response", cmd.CommandPath(), verb)
			default:
				if g, err = linkCanned(cmd.Context(), a, c, g, w, verb, refs); err != nil {
					return err
				}
			}
			return showLinked(cmd.Context(), a, c, g)
		},
	}
	w.Add(cmd)
	a.CompleteArgs(cmd, nouns.Agent.Names, kit.Fixed("link", "unlink", "list"), nouns.Canned.Names)
	return cmd
}

// linkCanned makes or ends the links to some canned responses.
func linkCanned(ctx context.Context, a *kit.App, c *sdk.Client, g *api.Agent, w kit.WriteFlags, verb string, refs []string) (*api.Agent, error) {
	ids, err := nouns.CannedIDs(ctx, a, refs)
	if err != nil {
		return nil, err
	}
	if verb == "link" {
		return c.Agents.LinkCanned(ctx, api.AgentLink{ID: g.ID, CannedResponseIDs: ids}, w.Options()...)
	}
	for _, id := range ids {
		if g, err = c.Agents.UnlinkCanned(ctx, api.AgentUnlink{ID: g.ID, CannedResponseID: id}, w.Options()...); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func showLinked(ctx context.Context, a *kit.App, c *sdk.Client, g *api.Agent) error {
	linked := []api.CannedResponse{}
	for _, id := range g.CannedResponseIDs {
		response, err := c.Canned.Get(kit.Reading(ctx), id)
		if err != nil {
			return err
		}
		linked = append(linked, *response)
	}
	return kit.ShowList(a, kit.ListFlags{All: true}, nouns.Canned.View(), kit.List(linked))
}
