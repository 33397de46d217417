package agent

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/canned"
	"edgesvc.dev/svc/cli/internal/find"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func newTools(a *kit.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "tools AGENT [+TOOL|-TOOL...]", Short: "Switch tools of an agent on and off", Args: kit.Exactly("the agent's name or id"),
		Long:    "Switches tools on with + and off with -; the others stay as they are. The tools are " + strings.Join(toolNames(), ", ") + ".",
		Example: "  svcctl agent tools Ada +create_post -generate_post_image",
	}
	return a.TakesChanges(cmd, func(cmd *cobra.Command, args []string, changes []kit.Change) error {
		for _, c := range changes {
			if !slices.Contains(toolNames(), c.Name) {
				return kit.Usage("there is no tool %s; the tools are %s", c.Name, strings.Join(toolNames(), ", "))
			}
		}
		return setTools(cmd.Context(), a, args[0], changes)
	})
}

func toolNames() []string {
	return api.AgentTools{CreatePost: true, PostImage: true, CreateArticle: true}.Names()
}

func setTools(ctx context.Context, a *kit.App, ref string, changes []kit.Change) error {
	d, g, err := openAgent(ctx, a, ref)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		in := api.AgentSetTools{ID: g.ID}
		members := map[string]**bool{api.ToolCreatePost: &in.CreatePost, api.ToolPostImage: &in.PostImage, api.ToolCreateArticle: &in.CreateArticle}
		for _, c := range changes {
			*members[c.Name] = &c.Add
		}
		if g, err = d.Agents.SetTools(ctx, in); err != nil {
			return err
		}
	}
	return kit.ShowOne(a, view, g)
}

func newCanned(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "canned AGENT link|unlink|list [REPLY...]", Short: "Link saved replies to an agent", Args: kit.AtLeast("the agent's name or id", "link, unlink or list"),
		Example: "  svcctl agent canned Ada link refund hours",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := openAgent(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			verb, refs := args[1], args[2:]
			switch {
			case verb == "list" && len(refs) == 0:
			case verb != "link" && verb != "unlink":
				return kit.Usage("%s takes link, unlink or list, not %q", cmd.CommandPath(), verb)
			case len(refs) == 0:
				return kit.Usage("%s %s needs the shortcut or id of a saved reply", cmd.CommandPath(), verb)
			default:
				if g, err = linkCanned(cmd.Context(), d, g, verb, refs); err != nil {
					return err
				}
			}
			return showLinked(cmd.Context(), a, d, g)
		},
	}
}

// linkCanned makes or ends the links to some saved replies.
func linkCanned(ctx context.Context, d *sdk.Client, g *api.Agent, verb string, refs []string) (*api.Agent, error) {
	ids, err := find.CannedIDs(ctx, d, refs)
	if err != nil {
		return nil, err
	}
	if verb == "link" {
		return d.Agents.LinkCanned(ctx, api.AgentLink{ID: g.ID, CannedResponseIDs: ids})
	}
	for _, id := range ids {
		if g, err = d.Agents.UnlinkCanned(ctx, api.AgentUnlink{ID: g.ID, CannedResponseID: id}); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func showLinked(ctx context.Context, a *kit.App, d *sdk.Client, g *api.Agent) error {
	linked := []api.CannedResponse{}
	for _, id := range g.CannedResponseIDs {
		c, err := d.Canned.Get(ctx, id)
		if err != nil {
			return err
		}
		linked = append(linked, *c)
	}
	return kit.ShowList(a, kit.ListFlags{All: true}, canned.View, kit.List(linked))
}
