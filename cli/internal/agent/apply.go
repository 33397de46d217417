package agent

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// apply makes an agent what a file says.
type apply struct {
	app   *kit.App
	file  kit.File
	write kit.WriteFlags
}

func newApply(a *kit.App) *cobra.Command {
	o := &apply{app: a, file: kit.File{App: a, Noun: "agent"}}
	cmd := &cobra.Command{
		Use: "apply -f FILE", Short: "Make an agent what a file says", Args: kit.Exactly(),
		Long: "Updates the agent with the id or name that the file has; creates it when there is none. A second run changes nothing.\n" +
			"Beside the members of the API the file may say active, and cannedResponses as shortcuts.",
		Example: "  svcctl agent apply -f agent.yaml",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.file.Add(cmd)
	o.write.Add(cmd)
	return cmd
}

func (o *apply) run(ctx context.Context) error {
	if o.file.Name == "" {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "an agent is applied from a file", Hint: "svcctl agent apply -f agent.yaml"}
	}
	o.app.Rehearse(o.write)
	c, err := o.app.Dashboard()
	if err != nil {
		return err
	}
	members, err := o.file.Read()
	if err != nil {
		return err
	}
	var said struct {
		ID, Name string
		Active   *bool
	}
	if err := o.file.Some(members, &said); err != nil {
		return err
	}
	delete(members, "id")
	if err := nouns.Agent.Read(ctx, o.app, members); err != nil {
		return err
	}
	before, err := o.present(ctx, c, said.ID, said.Name)
	if err != nil {
		return err
	}
	after, verb, err := o.save(ctx, c, before, members)
	if err == nil && said.Active != nil && *said.Active != after.Active {
		after, err = o.setActive(ctx, c, after.ID, *said.Active)
	}
	if err != nil {
		return err
	}
	return o.tell(verb, before, after)
}

// present is the agent that the file is about, nil when it is to be created.
func (o *apply) present(ctx context.Context, c *sdk.Client, id, name string) (*api.Agent, error) {
	if id != "" {
		return c.Agents.Get(kit.Reading(ctx), id)
	}
	return nouns.Agent.Named(ctx, o.app, name)
}

// save creates or updates the agent, and says which.
func (o *apply) save(ctx context.Context, c *sdk.Client, before *api.Agent, members map[string]json.RawMessage) (after *api.Agent, verb string, err error) {
	if before == nil {
		var in api.AgentCreate
		if err := o.file.Decode(members, &in); err != nil {
			return nil, "", err
		}
		after, err = c.Agents.Create(ctx, in, o.write.Options()...)
		return after, "created", err
	}
	if members["id"], err = json.Marshal(before.ID); err != nil {
		return nil, "", err
	}
	var patch api.AgentPatch
	if err := o.file.Decode(members, &patch); err != nil {
		return nil, "", err
	}
	after, err = c.Agents.Update(ctx, patch, o.write.Options()...)
	return after, "updated", err
}

func (o *apply) setActive(ctx context.Context, c *sdk.Client, id string, active bool) (*api.Agent, error) {
	if !active {
		return c.Agents.Deactivate(ctx, api.Ref{ID: id})
	}
	done, err := c.Agents.Activate(ctx, api.Ref{ID: id})
	if err != nil {
		return nil, err
	}
	return &done.Agent, nil
}

// tell says what was done, and shows the agent to programs.
func (o *apply) tell(verb string, before, after *api.Agent) error {
	p, err := o.app.Printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(after)
	}
	if before != nil && before.Version == after.Version {
		return o.app.PrintText("0 changes\n")
	}
	return o.app.PrintText("1 change: " + verb + " " + after.ID + " (" + after.Name + ")\n")
}
