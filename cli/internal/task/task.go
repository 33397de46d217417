// Package task is svcctl task: what agents do on request.
package task

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var noun = crud.Noun[api.Task, api.TaskCreate, api.TaskPatch, api.TaskQuery]{
	Name: "task", Aliases: []string{"tasks"}, Kind: "task", Short: "What agents do on request (needs a session)",
	Example: "enrich", Prefix: "task_", By: "name",
	Connect: crud.Member(func(c *sdk.Client) crud.Service[api.Task, api.TaskCreate, api.TaskPatch, api.TaskQuery] {
		return c.Tasks
	}),
	Columns: slices.Concat(crud.Columns[api.Task]("id kind name~"), []output.Column[api.Task]{
		{Name: "target", Value: target, Flex: true},
		{Name: "key", Value: key},
	}, crud.Columns[api.Task]("+agent=agentId +description~ +updated=updatedAt")),
	Refs: map[string]crud.Lookup{"agentId": nouns.Agent.Lookup("agent", "the agent, by its name or id")},
	Help: map[string]string{
		"kind": "what it does: an HTTP request (api) or a question to a model (llm)", "promptTemplate": "prompt with {{ placeholders }} of a model's task",
		"name": "what it is called", "description": "what it is for", "timeoutMs": "how long the request may take, in milliseconds", "method": "HTTP method of an API task",
		"headers": "headers of the request", "model": "model that is asked", "maxOutputTokens": "most tokens of an answer",
		"body": "body of the request, with {{ placeholders }}", "outputSchema": "JSON Schema that a model's answer keeps to", "useBrandContext": "tell the model about the brand",
	},
	Read: readTask,
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

// readTask turns the agent's name in a file into its id.
func readTask(ctx context.Context, a *kit.App, members map[string]json.RawMessage) error {
	var name string
	if json.Unmarshal(members["agent"], &name) != nil {
		return nil // what is not a name is refused as an unknown member
	}
	id, err := nouns.Agent.ID(ctx, a, name)
	if err != nil {
		return err
	}
	delete(members, "agent")
	members["agentId"], err = json.Marshal(id)
	return err
}

// Browse is the tasks for a screen.
func Browse(a *kit.App) browse.Noun {
	return noun.Browse(a, crud.Screen[api.Task]{Members: true, Changed: "agent.task"})
}

// New is the command task.
func New(a *kit.App) *cobra.Command {
	return noun.Command(a, newApply(a), newRun(a), newRuns(a), newLogs(a), newCancel(a), newSetKey(a),
		noun.NewAct(a, crud.Act[api.Task]{Verb: "clear-key", Short: "Forget the key of an API task", Do: func(ctx context.Context, a *kit.App, ref api.Ref, w kit.WriteFlags) (*api.Task, error) {
			c, err := a.Dashboard()
			if err != nil {
				return nil, err
			}
			return c.Tasks.ClearAPIKey(ctx, ref, w.Options()...)
		}}))
}

// openTask is a session and the id of the task that a person names, by its id or
// its name.
func openTask(ctx context.Context, a *kit.App, ref string) (*sdk.Client, string, error) {
	c, err := a.Dashboard()
	if err != nil {
		return nil, "", err
	}
	id, err := noun.ID(ctx, a, ref)
	return c, id, err
}

type setKey struct {
	app   *kit.App
	in    api.TaskSetKey
	write kit.WriteFlags
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
	o.write.Add(cmd)
	a.CompleteFirst(cmd, noun.Names)
	return cmd
}

func (o *setKey) run(ctx context.Context, ref string) error {
	o.app.Rehearse(o.write)
	c, id, err := openTask(ctx, o.app, ref)
	if err != nil {
		return err
	}
	o.in.ID = id
	read := o.app.IO.ReadLine
	if o.app.IO.CanPrompt() {
		read = func() (string, error) { return o.app.IO.AskSecret("key:") }
	}
	key, err := read()
	if err != nil {
		return err
	}
	if o.in.Key = api.Secret(strings.TrimSpace(key)); o.in.Key == "" {
		return kit.Usage("the key is read from standard input, which was empty")
	}
	task, err := c.Tasks.SetAPIKey(ctx, o.in, o.write.Options()...)
	if err != nil {
		return err
	}
	return kit.ShowOne(o.app, noun.View(), task)
}

// Names are the tasks, for completion.
func Names(ctx context.Context, a *kit.App) ([]string, error) { return noun.Names(ctx, a) }
