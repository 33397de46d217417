package task

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/find"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// file is a task in YAML or JSON.
type file struct{ kit.File }

// readTask is read; one member more, agent, names the agent as people do.
func (t *file) readTask(ctx context.Context, d *sdk.Client) (map[string]json.RawMessage, error) {
	members, err := t.Read()
	var name string
	if err != nil || json.Unmarshal(members["agent"], &name) != nil {
		return members, err // what is no name is refused by decode
	}
	g, err := find.Agent(ctx, d, name)
	if err != nil {
		return nil, err
	}
	delete(members, "agent")
	members["agentId"], err = json.Marshal(g.ID)
	return members, err
}

// makeTask makes a task of a file's members.
type makeTask func(ctx context.Context, d *sdk.Client, f *file, members map[string]json.RawMessage, args []string) (*api.Task, error)

// fromFile is a verb that makes a task of a file.
func fromFile(a *kit.App, use, short string, names []string, run makeTask) *cobra.Command {
	f := &file{kit.File{App: a, Noun: "task"}}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: kit.Exactly(names...),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			members, err := f.readTask(cmd.Context(), d)
			if err != nil {
				return err
			}
			task, err := run(cmd.Context(), d, f, members, args)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, task)
		},
	}
	f.Add(cmd)
	return cmd
}

func newCreate(a *kit.App) *cobra.Command {
	return fromFile(a, "create", "Create a task from a file", nil, func(ctx context.Context, d *sdk.Client, f *file, members map[string]json.RawMessage, _ []string) (*api.Task, error) {
		return f.create(ctx, d, members)
	})
}

func (t *file) create(ctx context.Context, d *sdk.Client, members map[string]json.RawMessage) (*api.Task, error) {
	var in api.TaskCreate
	if err := t.Decode(members, &in); err != nil {
		return nil, err
	}
	return d.Tasks.Create(ctx, in)
}

func newUpdate(a *kit.App) *cobra.Command {
	return fromFile(a, "update TASK", "Change the members of a task that a file has", []string{"the task's name or id"},
		func(ctx context.Context, _ *sdk.Client, f *file, members map[string]json.RawMessage, args []string) (*api.Task, error) {
			d, id, err := openTask(ctx, a, args[0])
			if err != nil {
				return nil, err
			}
			return f.update(ctx, d, id, members)
		})
}

func (t *file) update(ctx context.Context, d *sdk.Client, id string, members map[string]json.RawMessage) (*api.Task, error) {
	var patch api.TaskPatch
	if err := t.Decode(members, &patch); err != nil {
		return nil, err
	}
	patch.ID = id
	return d.Tasks.Update(ctx, patch)
}

func newApply(a *kit.App) *cobra.Command {
	cmd := fromFile(a, "apply", "Make a task what a file says", nil, func(ctx context.Context, d *sdk.Client, f *file, members map[string]json.RawMessage, _ []string) (*api.Task, error) {
		id, err := f.find(ctx, d, members)
		if err != nil {
			return nil, err
		}
		if id == "" {
			return f.create(ctx, d, members)
		}
		for _, fixed := range []string{"id", "agentId", "kind"} {
			delete(members, fixed)
		}
		return f.update(ctx, d, id, members)
	})
	cmd.Long = "Updates the task with the id that the file has, or the agent's task of the same name; creates it when there is none."
	return cmd
}

// find is the id of the task that a file is about, "" when there is none yet.
func (t *file) find(ctx context.Context, d *sdk.Client, members map[string]json.RawMessage) (string, error) {
	var known struct{ ID, AgentID, Name string }
	b, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil {
		return "", t.Wrong(err)
	}
	if known.ID != "" {
		return known.ID, nil
	}
	for task, err := range d.Tasks.All(ctx, api.TaskQuery{AgentID: known.AgentID}) {
		if err != nil {
			return "", err
		}
		if task.Name == known.Name {
			return task.ID, nil
		}
	}
	return "", nil
}
