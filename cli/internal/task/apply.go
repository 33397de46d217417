package task

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// apply makes a task what a file says.
type apply struct {
	app   *kit.App
	file  kit.File
	write kit.WriteFlags
}

func newApply(a *kit.App) *cobra.Command {
	o := &apply{app: a, file: kit.File{App: a, Noun: "task"}}
	cmd := &cobra.Command{
		Use: "apply -f FILE", Short: "Make a task what a file says", Args: kit.Exactly(), Example: "  svcctl task apply -f enrich.yaml",
		Long: "Updates the task with the id that the file has, or the agent's task of the same name; creates it when there is none.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			task, err := o.run(cmd.Context())
			if err != nil {
				return err
			}
			return kit.ShowOne(a, noun.View(), task)
		},
	}
	o.file.Add(cmd)
	o.write.Add(cmd)
	return cmd
}

func (o *apply) run(ctx context.Context) (*api.Task, error) {
	o.app.Rehearse(o.write)
	c, err := o.app.Dashboard()
	if err != nil {
		return nil, err
	}
	members, err := o.file.Read()
	if err != nil {
		return nil, err
	}
	if err := readTask(ctx, o.app, members); err != nil {
		return nil, err
	}
	id, err := o.find(ctx, c, members)
	if err != nil {
		return nil, err
	}
	if id == "" {
		var in api.TaskCreate
		if err := o.file.Decode(members, &in); err != nil {
			return nil, err
		}
		return c.Tasks.Create(ctx, in, o.write.Options()...)
	}
	for _, fixed := range []string{"agentId", "kind"} {
		delete(members, fixed)
	}
	if members["id"], err = json.Marshal(id); err != nil {
		return nil, err
	}
	var patch api.TaskPatch
	if err := o.file.Decode(members, &patch); err != nil {
		return nil, err
	}
	return c.Tasks.Update(ctx, patch, o.write.Options()...)
}

// find is the id of the task that the file is about, "" when there is none yet.
func (o *apply) find(ctx context.Context, c *sdk.Client, members map[string]json.RawMessage) (string, error) {
	var known struct{ ID, AgentID, Name string }
	if err := o.file.Some(members, &known); err != nil || known.ID != "" {
		return known.ID, err
	}
	for task, err := range c.Tasks.All(kit.Reading(ctx), api.TaskQuery{AgentID: known.AgentID}) {
		if err != nil {
			return "", err
		}
		if task.Name == known.Name {
			return task.ID, nil
		}
	}
	return "", nil
}
