package cli

import (
	"context"
	"slices"
	"strings"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

func newAgentTools(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "tools AGENT [+TOOL|-TOOL...]", Short: "Switch tools of an agent on and off", Args: exactly("the agent's name or id"),
		Long:    "Switches tools on with + and off with -; the others stay as they are. The tools are " + strings.Join(toolNames(), ", ") + ".",
		Example: "  svcctl agent tools Ada +create_post -generate_post_image",
	}
	return a.takesChanges(cmd, func(cmd *cobra.Command, args []string, changes []change) error {
		for _, c := range changes {
			if !slices.Contains(toolNames(), c.name) {
				return usage("there is no tool %s; the tools are %s", c.name, strings.Join(toolNames(), ", "))
			}
		}
		return a.setTools(cmd.Context(), args[0], changes)
	})
}

func toolNames() []string {
	return api.AgentTools{CreatePost: true, PostImage: true, CreateArticle: true}.Names()
}

func (a *app) setTools(ctx context.Context, ref string, changes []change) error {
	d, g, err := a.openAgent(ctx, ref)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		in := api.AgentSetTools{ID: g.ID}
		members := map[string]**bool{api.ToolCreatePost: &in.CreatePost, api.ToolPostImage: &in.PostImage, api.ToolCreateArticle: &in.CreateArticle}
		for _, c := range changes {
			*members[c.name] = &c.add
		}
		if g, err = d.Agents.SetTools(ctx, in); err != nil {
			return err
		}
	}
	return showOne(a, agentView, g)
}

func newAgentCanned(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "canned AGENT link|unlink|list [REPLY...]", Short: "Link saved replies to an agent", Args: atLeast("the agent's name or id", "link, unlink or list"),
		Example: "  svcctl agent canned Ada link refund hours",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := a.openAgent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			verb, refs := args[1], args[2:]
			switch {
			case verb == "list" && len(refs) == 0:
			case verb != "link" && verb != "unlink":
				return usage("%s takes link, unlink or list, not %q", cmd.CommandPath(), verb)
			case len(refs) == 0:
				return usage("%s %s needs the shortcut or id of a saved reply", cmd.CommandPath(), verb)
			default:
				if g, err = linkCanned(cmd.Context(), d, g, verb, refs); err != nil {
					return err
				}
			}
			return a.showLinked(cmd.Context(), d, g)
		},
	}
}

// linkCanned makes or ends the links to some saved replies.
func linkCanned(ctx context.Context, d *sdk.Dashboard, g *api.Agent, verb string, refs []string) (*api.Agent, error) {
	ids, err := cannedIDs(ctx, d, refs)
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

func cannedIDs(ctx context.Context, d *sdk.Dashboard, refs []string) ([]string, error) {
	ids := []string{}
	for _, ref := range refs {
		c, err := findCanned(ctx, d, ref)
		if err != nil {
			return nil, err
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

func (a *app) showLinked(ctx context.Context, d *sdk.Dashboard, g *api.Agent) error {
	linked := []api.CannedResponse{}
	for _, id := range g.CannedResponseIDs {
		c, err := d.Canned.Get(ctx, id)
		if err != nil {
			return err
		}
		linked = append(linked, *c)
	}
	return showList(a, listFlags{all: true}, cannedView, list(linked))
}
