package cli

import (
	"context"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var taskView = output.View[api.Task]{
	ID: func(t *api.Task) string { return t.ID },
	Columns: []output.Column[api.Task]{
		{Name: "id", Value: func(t *api.Task) string { return t.ID }},
		{Name: "kind", Value: func(t *api.Task) string { return t.Kind }},
		{Name: "name", Value: func(t *api.Task) string { return t.Name }, Flex: true},
		{Name: "target", Value: taskTarget, Flex: true},
		{Name: "key", Value: taskKey},
		{Name: "agent", Value: func(t *api.Task) string { return t.AgentID }, Wide: true},
		{Name: "description", Value: func(t *api.Task) string { return t.Description }, Wide: true, Flex: true},
		wide(when("updated", func(t *api.Task) api.Time { return t.UpdatedAt })),
	},
}

func taskTarget(t *api.Task) string {
	if t.Kind == api.TaskLLM {
		return t.Model
	}
	return t.Method + " " + t.URL
}

func taskKey(t *api.Task) string {
	if t.APIKey == nil || !t.APIKey.Set {
		return ""
	}
	return "****" + t.APIKey.Last4
}

func newTask(a *app) *cobra.Command {
	return group("task", "What agents do on request (needs a session)", []string{"tasks"},
		newTaskList(a),
		newTaskOne(a, "get TASK", "Show a task", (*sdk.TasksService).Get),
		newTaskCreate(a), newTaskApply(a), newTaskUpdate(a), newTaskDelete(a),
		newTaskRun(a), newTaskRuns(a), newTaskLogs(a), newTaskCancel(a),
		newTaskSetKey(a),
		newTaskOne(a, "clear-key TASK", "Forget the key of an API task", (*sdk.TasksService).ClearAPIKey))
}

func newTaskList(a *app) *cobra.Command {
	var l listFlags
	agent := ""
	cmd := &cobra.Command{
		Use: "list", Short: "List tasks, newest first", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			q := api.TaskQuery{PageQuery: l.page()}
			if agent != "" {
				g, err := findAgent(cmd.Context(), d, agent)
				if err != nil {
					return err
				}
				q.AgentID = g.ID
			}
			return showList(a, l, taskView, d.Tasks.All(cmd.Context(), q))
		},
	}
	l.add(cmd)
	cmd.Flags().StringVar(&agent, "agent", "", "tasks of this agent, by its name or id")
	return cmd
}

// openTask is a session and the id of the task that a person names, by its id or
// its name.
func (a *app) openTask(ctx context.Context, ref string) (*sdk.Dashboard, string, error) {
	d, err := a.dashboard()
	if err != nil || strings.HasPrefix(ref, "task_") {
		return d, ref, err
	}
	id := ""
	for task, err := range d.Tasks.All(ctx, api.TaskQuery{}) {
		switch {
		case err != nil:
			return nil, "", err
		case task.Name != ref:
		case id != "":
			return nil, "", usage("several tasks are named %s; name one by its id", ref)
		default:
			id = task.ID
		}
	}
	if id == "" {
		return nil, "", &failure{Exit: exitNotFound, Code: string(api.CodeNotFound), Message: "there is no task " + ref, Hint: "svcctl task list"}
	}
	return d, id, nil
}

// newTaskOne is a verb that takes a task's id and shows the task.
func newTaskOne(a *app, use, short string, do func(*sdk.TasksService, context.Context, string, ...sdk.CallOption) (*api.Task, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: exactly("the task's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, id, err := a.openTask(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			task, err := do(d.Tasks, cmd.Context(), id)
			if err != nil {
				return err
			}
			return showOne(a, taskView, task)
		},
	}
}

func newTaskDelete(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "delete TASK", Short: "Delete a task", Args: exactly("the task's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, id, err := a.openTask(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := a.confirm("deleting "+args[0], args[0]); err != nil {
				return err
			}
			task, err := d.Tasks.Delete(cmd.Context(), id)
			if err != nil {
				return err
			}
			a.io.Say("deleted %s", task.ID)
			return nil
		},
	}
}

type taskSetKey struct {
	app *app
	in  api.TaskSetKey
}

func newTaskSetKey(a *app) *cobra.Command {
	o := &taskSetKey{app: a}
	cmd := &cobra.Command{
		Use: "set-key TASK", Short: "Store the key that an API task sends", Args: exactly("the task's name or id"),
		Long:    "Reads the key from standard input, or asks for it. It is sealed, sent to the host of the task's url only, and shown to nobody again.",
		Example: "  pass show crm | svcctl task set-key task_01j…\n  svcctl task set-key task_01j… --placement query --name api_key < key",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.in.Placement, "placement", "", "header or query")
	f.StringVar(&o.in.Name, "name", "", "of the header (Authorization when absent) or parameter")
	f.StringVar(&o.in.Prefix, "prefix", "", "before the key; 'Bearer ' in Authorization when absent")
	return cmd
}

func (o *taskSetKey) run(ctx context.Context, ref string) error {
	d, id, err := o.app.openTask(ctx, ref)
	if err != nil {
		return err
	}
	o.in.ID = id
	if o.app.io.CanPrompt() {
		o.in.Key, err = o.app.io.AskSecret("key:")
	} else {
		o.in.Key, err = o.app.io.ReadLine()
	}
	if err != nil {
		return err
	}
	if o.in.Key = strings.TrimSpace(o.in.Key); o.in.Key == "" {
		return usage("the key is read from standard input, which was empty")
	}
	task, err := d.Tasks.SetAPIKey(ctx, o.in)
	if err != nil {
		return err
	}
	return showOne(o.app, taskView, task)
}
