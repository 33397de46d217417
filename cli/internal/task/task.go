// Package task is svcctl task: what agents do on request.
package task

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/find"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Task]{
	ID: func(t *api.Task) string { return t.ID },
	Columns: []output.Column[api.Task]{
		{Name: "id", Value: func(t *api.Task) string { return t.ID }},
		{Name: "kind", Value: func(t *api.Task) string { return t.Kind }},
		{Name: "name", Value: func(t *api.Task) string { return t.Name }, Flex: true},
		{Name: "target", Value: target, Flex: true},
		{Name: "key", Value: key},
		{Name: "agent", Value: func(t *api.Task) string { return t.AgentID }, Wide: true},
		{Name: "description", Value: func(t *api.Task) string { return t.Description }, Wide: true, Flex: true},
		kit.Wide(kit.When("updated", func(t *api.Task) api.Time { return t.UpdatedAt })),
	},
}

func target(t *api.Task) string {
	if t.Kind == api.TaskLLM {
		return t.Model
	}
	return t.Method + " " + t.URL
}

func key(t *api.Task) string {
	if t.APIKey == nil || !t.APIKey.Set {
		return ""
	}
	return "****" + t.APIKey.Last4
}

// New is the command task.
func New(a *kit.App) *cobra.Command {
	return kit.Group("task", "What agents do on request (needs a session)", []string{"tasks"},
		newList(a),
		newOne(a, "get TASK", "Show a task", func(s *sdk.TasksService, ctx context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Task, error) {
			return s.Get(ctx, ref.ID)
		}),
		newCreate(a), newApply(a), newUpdate(a), newDelete(a),
		newRun(a), newRuns(a), newLogs(a), newCancel(a),
		newSetKey(a),
		newOne(a, "clear-key TASK", "Forget the key of an API task", (*sdk.TasksService).ClearAPIKey))
}

func newList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	agent := ""
	cmd := &cobra.Command{
		Use: "list", Short: "List tasks, newest first", Aliases: []string{"ls"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			q := api.TaskQuery{PageQuery: l.Page()}
			if agent != "" {
				g, err := find.Agent(cmd.Context(), d, agent)
				if err != nil {
					return err
				}
				q.AgentID = g.ID
			}
			return kit.ShowList(a, l, view, d.Tasks.All(cmd.Context(), q))
		},
	}
	l.Add(cmd)
	cmd.Flags().StringVar(&agent, "agent", "", "tasks of this agent, by its name or id")
	return cmd
}

// openTask is a session and the id of the task that a person names, by its id or
// its name.
func openTask(ctx context.Context, a *kit.App, ref string) (*sdk.Client, string, error) {
	d, err := a.Dashboard()
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
			return nil, "", kit.Usage("several tasks are named %s; name one by its id", ref)
		default:
			id = task.ID
		}
	}
	if id == "" {
		return nil, "", &kit.Failure{Exit: kit.ExitNotFound, Code: string(api.CodeNotFound), Message: "there is no task " + ref, Hint: "svcctl task list"}
	}
	return d, id, nil
}

// newOne is a verb that takes a task's id and shows the task.
func newOne(a *kit.App, use, short string, do func(*sdk.TasksService, context.Context, api.Ref, ...sdk.CallOption) (*api.Task, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: kit.Exactly("the task's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, id, err := openTask(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			task, err := do(d.Tasks, cmd.Context(), api.Ref{ID: id})
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, task)
		},
	}
}

func newDelete(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "delete TASK", Short: "Delete a task", Args: kit.Exactly("the task's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, id, err := openTask(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			if err := a.Confirm("deleting "+args[0], args[0]); err != nil {
				return err
			}
			if err := d.Tasks.Delete(cmd.Context(), api.Ref{ID: id}); err != nil {
				return err
			}
			a.IO.Say("deleted %s", id)
			return nil
		},
	}
}

type setKey struct {
	app *kit.App
	in  api.TaskSetKey
}

func newSetKey(a *kit.App) *cobra.Command {
	o := &setKey{app: a}
	cmd := &cobra.Command{
		Use: "set-key TASK", Short: "Store the key that an API task sends", Args: kit.Exactly("the task's name or id"),
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

func (o *setKey) run(ctx context.Context, ref string) error {
	d, id, err := openTask(ctx, o.app, ref)
	if err != nil {
		return err
	}
	o.in.ID = id
	if o.app.IO.CanPrompt() {
		o.in.Key, err = o.app.IO.AskSecret("key:")
	} else {
		o.in.Key, err = o.app.IO.ReadLine()
	}
	if err != nil {
		return err
	}
	if o.in.Key = strings.TrimSpace(o.in.Key); o.in.Key == "" {
		return kit.Usage("the key is read from standard input, which was empty")
	}
	task, err := d.Tasks.SetAPIKey(ctx, o.in)
	if err != nil {
		return err
	}
	return kit.ShowOne(o.app, view, task)
}
