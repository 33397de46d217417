package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
)

// taskFile is a task in YAML or JSON, with the names of the API.
type taskFile struct {
	app  *app
	name string
}

func (t *taskFile) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&t.name, "file", "f", "", "YAML or JSON with the task's members; - is standard input")
}

// readTask is read; one member more, agent, names the agent as people do.
func (t *taskFile) readTask(ctx context.Context, d *sdk.Dashboard) (map[string]json.RawMessage, error) {
	members, err := t.read()
	var name string
	if err != nil || json.Unmarshal(members["agent"], &name) != nil {
		return members, err // what is no name is refused by decode
	}
	g, err := findAgent(ctx, d, name)
	if err != nil {
		return nil, err
	}
	delete(members, "agent")
	members["agentId"], err = json.Marshal(g.ID)
	return members, err
}

// read returns the members of the file as JSON.
func (t *taskFile) read() (map[string]json.RawMessage, error) {
	if t.name == "" {
		return nil, &failure{Exit: exitUsage, Code: "usage", Message: "a task is read from a file", Hint: "svcctl task create -f task.yaml"}
	}
	b, err := t.app.readInput(t.name)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	text, err := yaml.YAMLToJSON(b)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil {
		return nil, t.wrong(err)
	}
	return members, nil
}

func (t *taskFile) wrong(err error) error {
	return &failure{Exit: exitInvalid, Code: "invalid_file", Message: terminal.Line(t.name + ": " + err.Error())}
}

// decode reads members into one of the API's inputs; a name that it does not
// have is a mistake.
func (t *taskFile) decode(members map[string]json.RawMessage, into any) error {
	b, err := json.Marshal(members)
	if err != nil {
		return t.wrong(err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return t.wrong(err)
	}
	return nil
}

// makeTask makes a task of a file's members.
type makeTask func(ctx context.Context, d *sdk.Dashboard, f *taskFile, members map[string]json.RawMessage, args []string) (*api.Task, error)

// fromFile is a verb that makes a task of a file.
func fromFile(a *app, use, short string, names []string, run makeTask) *cobra.Command {
	f := &taskFile{app: a}
	cmd := &cobra.Command{
		Use: use, Short: short, Args: exactly(names...),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.dashboard()
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
			return showOne(a, taskView, task)
		},
	}
	f.add(cmd)
	return cmd
}

func newTaskCreate(a *app) *cobra.Command {
	return fromFile(a, "create", "Create a task from a file", nil, func(ctx context.Context, d *sdk.Dashboard, f *taskFile, members map[string]json.RawMessage, _ []string) (*api.Task, error) {
		return f.create(ctx, d, members)
	})
}

func (t *taskFile) create(ctx context.Context, d *sdk.Dashboard, members map[string]json.RawMessage) (*api.Task, error) {
	var in api.TaskCreate
	if err := t.decode(members, &in); err != nil {
		return nil, err
	}
	return d.Tasks.Create(ctx, in)
}

func newTaskUpdate(a *app) *cobra.Command {
	return fromFile(a, "update TASK", "Change the members of a task that a file has", []string{"the task's name or id"},
		func(ctx context.Context, _ *sdk.Dashboard, f *taskFile, members map[string]json.RawMessage, args []string) (*api.Task, error) {
			d, id, err := a.openTask(ctx, args[0])
			if err != nil {
				return nil, err
			}
			return f.update(ctx, d, id, members)
		})
}

func (t *taskFile) update(ctx context.Context, d *sdk.Dashboard, id string, members map[string]json.RawMessage) (*api.Task, error) {
	var patch api.TaskPatch
	if err := t.decode(members, &patch); err != nil {
		return nil, err
	}
	return d.Tasks.Update(ctx, id, patch)
}

func newTaskApply(a *app) *cobra.Command {
	cmd := fromFile(a, "apply", "Make a task what a file says", nil, func(ctx context.Context, d *sdk.Dashboard, f *taskFile, members map[string]json.RawMessage, _ []string) (*api.Task, error) {
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
func (t *taskFile) find(ctx context.Context, d *sdk.Dashboard, members map[string]json.RawMessage) (string, error) {
	var known struct{ ID, AgentID, Name string }
	b, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil {
		return "", t.wrong(err)
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
