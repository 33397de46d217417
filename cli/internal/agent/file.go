package agent

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/find"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// file is an agent in YAML or JSON, with the names of the API. Beside those
// it may hold active, and cannedResponses: shortcuts, where ids would tie the
// file to one team.
type file struct{ kit.File }

// read returns the members of the file, with shortcuts turned into ids.
func (f *file) read(ctx context.Context, d *sdk.Client) (members map[string]json.RawMessage, active *bool, err error) {
	if members, err = f.File.Read(); err != nil {
		return nil, nil, err
	}
	var extra struct {
		Active          *bool    `json:"active"`
		CannedResponses []string `json:"cannedResponses"`
	}
	b, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(b, &extra)
	}
	if err != nil {
		return nil, nil, f.Wrong(err)
	}
	if extra.CannedResponses != nil {
		ids, err := find.CannedIDs(ctx, d, extra.CannedResponses)
		if err != nil {
			return nil, nil, err
		}
		if members["cannedResponseIds"], err = json.Marshal(ids); err != nil {
			return nil, nil, err
		}
	}
	delete(members, "active")
	delete(members, "cannedResponses")
	return members, extra.Active, nil
}

func (f *file) create(ctx context.Context, d *sdk.Client, members map[string]json.RawMessage) (*api.Agent, error) {
	var in api.AgentCreate
	if err := f.Decode(members, &in); err != nil {
		return nil, err
	}
	return d.Agents.Create(ctx, in)
}

func (f *file) update(ctx context.Context, d *sdk.Client, id string, members map[string]json.RawMessage) (*api.Agent, error) {
	var patch api.AgentPatch
	if err := f.Decode(members, &patch); err != nil {
		return nil, err
	}
	patch.ID = id
	return d.Agents.Update(ctx, patch)
}

func newCreate(a *kit.App) *cobra.Command {
	f := &file{kit.File{App: a, Noun: "agent"}}
	var in api.AgentCreate
	cmd := &cobra.Command{
		Use: "create", Short: "Create an agent, inactive", Args: kit.Exactly(),
		Example: "  svcctl agent create --name Ada --personality 'Friendly and short.'\n  svcctl agent create -f agent.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (f.Name == "") == (in.Name == "") {
				return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "an agent needs --name, or a file", Hint: "svcctl agent create --name Ada"}
			}
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			g, err := f.made(cmd.Context(), d, in)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, g)
		},
	}
	f.Add(cmd)
	addAgentFlags(cmd, &in)
	return cmd
}

func addAgentFlags(cmd *cobra.Command, in *api.AgentCreate) {
	cmd.Flags().StringVar(&in.Name, "name", "", "the agent's name, which visitors see")
	cmd.Flags().StringVar(&in.Personality, "personality", "", "how it speaks")
	cmd.Flags().StringVar(&in.Instructions, "instructions", "", "what it should do")
	cmd.Flags().StringVar(&in.Model, "model", "", "a model of svcctl model list")
	cmd.Flags().StringVar(&in.HandoffMessage, "handoff-message", "", "what a visitor reads when a person takes over")
}

// made creates the agent of the file, or of the flags where there is none.
func (f *file) made(ctx context.Context, d *sdk.Client, in api.AgentCreate) (*api.Agent, error) {
	if f.Name == "" {
		return d.Agents.Create(ctx, in)
	}
	members, _, err := f.read(ctx, d)
	if err != nil {
		return nil, err
	}
	return f.create(ctx, d, members)
}

func newUpdate(a *kit.App) *cobra.Command {
	f := &file{kit.File{App: a, Noun: "agent"}}
	var in api.AgentCreate
	chats := false
	cmd := &cobra.Command{
		Use: "update AGENT", Short: "Change an agent", Args: kit.Exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := openAgent(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			members := map[string]json.RawMessage{}
			if f.Name != "" {
				if members, _, err = f.read(cmd.Context(), d); err != nil {
					return err
				}
			}
			for flag, member := range map[string]struct {
				name  string
				value any
			}{
				"name": {"name", in.Name}, "personality": {"personality", in.Personality}, "instructions": {"instructions", in.Instructions},
				"model": {"model", in.Model}, "handoff-message": {"handoffMessage", in.HandoffMessage}, "respond-to-chats": {"respondToChats", chats},
			} {
				if cmd.Flags().Changed(flag) {
					if members[member.name], err = json.Marshal(member.value); err != nil {
						return err
					}
				}
			}
			if g, err = f.update(cmd.Context(), d, g.ID, members); err != nil {
				return err
			}
			return kit.ShowOne(a, view, g)
		},
	}
	f.Add(cmd)
	addAgentFlags(cmd, &in)
	cmd.Flags().BoolVar(&chats, "respond-to-chats", false, "whether it answers visitors while it is active")
	return cmd
}

func newApply(a *kit.App) *cobra.Command {
	f := &file{kit.File{App: a, Noun: "agent"}}
	cmd := &cobra.Command{
		Use: "apply -f FILE", Short: "Make an agent what a file says", Args: kit.Exactly(),
		Long: "Updates the agent with the id or name that the file has; creates it when there is none. A second run changes nothing.\n" +
			"Beside the members of the API the file may say active, and cannedResponses as shortcuts.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Name == "" {
				return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "an agent is applied from a file", Hint: "svcctl agent apply -f agent.yaml"}
			}
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			return f.apply(cmd.Context(), d)
		},
	}
	f.Add(cmd)
	return cmd
}

func (f *file) apply(ctx context.Context, d *sdk.Client) error {
	members, active, err := f.read(ctx, d)
	if err != nil {
		return err
	}
	var known struct{ ID, Name string }
	if known.ID, err = f.text(members, "id"); err == nil {
		known.Name, err = f.text(members, "name")
	}
	if err != nil {
		return err
	}
	delete(members, "id")
	before, err := f.present(ctx, d, known.ID, known.Name)
	if err != nil {
		return err
	}
	var after *api.Agent
	verb := "created"
	if before == nil {
		before = &api.Agent{}
		after, err = f.create(ctx, d, members)
	} else {
		verb = "updated"
		after, err = f.update(ctx, d, before.ID, members)
	}
	if err == nil && active != nil && *active != after.Active {
		after, err = setActive(ctx, d, after.ID, *active)
	}
	if err != nil {
		return err
	}
	return f.tell(verb, before, after)
}

// text is a member of the file that is text, "" where it is absent.
func (f *file) text(members map[string]json.RawMessage, name string) (s string, err error) {
	if raw, ok := members[name]; ok {
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", f.Wrong(err)
		}
	}
	return s, nil
}

// present is the agent that the file is about, nil when it is to be made.
func (f *file) present(ctx context.Context, d *sdk.Client, id, name string) (*api.Agent, error) {
	if id != "" {
		return d.Agents.Get(ctx, id)
	}
	return find.AgentNamed(ctx, d, name)
}

func setActive(ctx context.Context, d *sdk.Client, id string, active bool) (*api.Agent, error) {
	if !active {
		return d.Agents.Deactivate(ctx, api.Ref{ID: id})
	}
	done, err := d.Agents.Activate(ctx, api.Ref{ID: id})
	if err != nil {
		return nil, err
	}
	return &done.Agent, nil
}

// tell says what was done, and shows the agent to programs.
func (f *file) tell(verb string, before, after *api.Agent) error {
	p, err := f.App.Printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(after)
	}
	if before.Version == after.Version {
		return f.App.PrintText("0 changes\n")
	}
	return f.App.PrintText("1 change: " + verb + " " + after.ID + " (" + after.Name + ")\n")
}
