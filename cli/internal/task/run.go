package task

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var runView = output.View[api.TaskRun]{
	ID: func(r *api.TaskRun) string { return r.ID },
	Columns: []output.Column[api.TaskRun]{
		{Name: "id", Value: func(r *api.TaskRun) string { return r.ID }},
		{Name: "state", Value: func(r *api.TaskRun) string { return kit.StepMark(r.State) + " " + r.State }, Data: func(r *api.TaskRun) string { return r.State }},
		{Name: "trigger", Value: func(r *api.TaskRun) string { return r.Trigger }},
		{Name: "took", Value: func(r *api.TaskRun) string { return fmt.Sprintf("%d ms", r.DurationMs) }},
		kit.When("age", func(r *api.TaskRun) api.Time { return r.CreatedAt }),
		{Name: "error", Value: runError, Flex: true},
		{Name: "task", Value: func(r *api.TaskRun) string { return r.TaskID }, Wide: true},
		{Name: "mode", Value: func(r *api.TaskRun) string { return r.Mode }, Wide: true},
	},
}

func runError(r *api.TaskRun) string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code + ": " + r.Error.Message
}

type taskRun struct {
	app    *kit.App
	person string
	set    []string
	dry    bool
	prompt bool
}

func newRun(a *kit.App) *cobra.Command {
	o := &taskRun{app: a}
	cmd := &cobra.Command{
		Use: "run TASK", Short: "Run a task by hand", Args: kit.Exactly("the task's name or id"),
		Long: "Runs a task now: the request is made, or the model asked. With --dry-run nothing leaves, and what would be sent is shown.\n" +
			"A placeholder without a value fails the run, and all of them are named.",
		Example: "  svcctl task run task_01j… --person ada@x.io --set plan=pro\n  svcctl task run task_01j… --person @ada.json --dry-run",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.person, "person", "", "an e-mail address, or @file with JSON, for the placeholders below person")
	f.StringArrayVar(&o.set, "set", nil, "name=value for a placeholder below context; steps.one.output=… reaches inside")
	f.BoolVar(&o.dry, "dry-run", false, "show what would be sent, and send nothing")
	f.BoolVar(&o.prompt, "show-prompt", false, "show the whole prompt of an LLM task, and send nothing")
	return cmd
}

func (o *taskRun) run(ctx context.Context, ref string) error {
	in, err := o.input()
	if err != nil {
		return err
	}
	d, id, err := openTask(ctx, o.app, ref)
	if err != nil {
		return err
	}
	p, err := o.app.Printer()
	if err != nil {
		return err
	}
	run, streamed, err := o.follow(ctx, d, id, in, p.Structured())
	if err != nil {
		return err
	}
	if p.Structured() {
		if err := p.Value(run); err != nil {
			return err
		}
	} else if err := o.show(run, streamed); err != nil {
		return err
	}
	return runOutcome(run)
}

// follow runs the task; a person reads a model's text as it is written.
func (o *taskRun) follow(ctx context.Context, d *sdk.Client, id string, in api.TaskTest, silent bool) (run *api.TaskRun, streamed bool, err error) {
	in.ID = id
	for event, err := range d.Tasks.TestRun(ctx, in) {
		if err != nil {
			return nil, streamed, err
		}
		if event.Run != nil {
			run = event.Run
		}
		if event.Text != "" && !silent {
			streamed = true
			if err := o.app.PrintText(event.Text); err != nil {
				return nil, streamed, err
			}
		}
	}
	if run == nil {
		return nil, streamed, &kit.Failure{Exit: kit.ExitOther, Code: "error", Message: "the daemon ended the run without an answer"}
	}
	return run, streamed, nil
}

func (o *taskRun) input() (in api.TaskTest, err error) {
	in.Mode = "live"
	if o.dry || o.prompt {
		in.Mode = "render"
	}
	if in.Person, err = o.readPerson(); err != nil {
		return in, err
	}
	in.Context = map[string]any{}
	for _, pair := range o.set {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return in, kit.Usage("--set takes name=value, not %q", pair)
		}
		if !put(in.Context, strings.Split(name, "."), value) {
			return in, kit.Usage("--set %s: a part of the name has a value already", name)
		}
	}
	return in, nil
}

// put sets a value below the names of path.
func put(m map[string]any, path []string, value string) bool {
	for ; len(path) > 1; path = path[1:] {
		below, ok := m[path[0]].(map[string]any)
		if !ok {
			if m[path[0]] != nil {
				return false
			}
			below = map[string]any{}
			m[path[0]] = below
		}
		m = below
	}
	m[path[0]] = value
	return true
}

func (o *taskRun) readPerson() (map[string]any, error) {
	name, isFile := strings.CutPrefix(o.person, "@")
	switch {
	case o.person == "":
		return nil, nil
	case !isFile:
		return map[string]any{"email": o.person}, nil
	}
	b, err := o.app.ReadInput(name)
	if err != nil {
		return nil, err
	}
	var person map[string]any
	if err := json.Unmarshal(b, &person); err != nil {
		return nil, kit.Usage("%s is not a JSON object: %v", name, err)
	}
	return person, nil
}

// show prints what a person asked to see: the request or prompt of a dry run,
// otherwise the answer.
func (o *taskRun) show(run *api.TaskRun, streamed bool) error {
	o.app.IO.Say("%s %s · %d ms", kit.StepMark(run.State), run.ID, run.DurationMs)
	for _, w := range run.Warnings {
		o.app.IO.Say("warning: %s", terminal.Line(w))
	}
	switch {
	case streamed:
		return o.app.PrintText("\n")
	case run.Mode == "render" && run.Prompt != "":
		return o.app.PrintText(run.Prompt + "\n")
	case run.Mode == "render" && run.Request != nil:
		return o.app.PrintText(requestText(run.Request))
	case run.Response != nil:
		o.app.IO.Say("HTTP %d · %d bytes", run.Response.Status, run.Response.Bytes)
		return o.app.PrintText(strings.TrimSuffix(run.Response.Body, "\n") + "\n")
	case run.Output != "":
		return o.app.PrintText(run.Output + "\n")
	}
	return nil
}

func requestText(r *api.TaskRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.URL)
	for _, h := range r.Headers {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	if r.Body != "" {
		fmt.Fprintf(&b, "\n%s\n", r.Body)
	}
	return b.String()
}

// runOutcome is the exit code of a run that is done.
func runOutcome(run *api.TaskRun) error {
	switch run.State {
	case api.RunFailed:
		f := &kit.Failure{Exit: kit.ExitJobFailed, Code: "task_failed", Message: "the run failed", Hint: "svcctl task logs " + run.ID}
		if run.Error != nil {
			f.Code, f.Message = run.Error.Code, "the run failed: "+run.Error.Message
		}
		return f
	case api.RunCanceled:
		return &kit.Failure{Exit: kit.ExitCancelled, Code: "task_canceled", Message: "the run was cancelled"}
	}
	return nil
}

func newRuns(a *kit.App) *cobra.Command {
	list := crud.Lister[api.TaskRun, api.TaskRunQuery]{
		Path: "task", Verb: "runs", Plural: "the runs of a task, newest first", View: runView, Argument: "TASK", Wanted: "the task's name or id", Of: "taskId",
		Refs:    map[string]crud.Lookup{"taskId": {Find: noun.ID, Names: noun.Names}},
		Connect: crud.Member(func(c *sdk.Client) crud.Pages[api.TaskRun, api.TaskRunQuery] { return c.Tasks.Runs }),
	}
	return list.New(a)
}

// logsEvery is the pause between two looks at a run that is followed.
const logsEvery = time.Second

func newLogs(a *kit.App) *cobra.Command {
	follow := false
	cmd := &cobra.Command{
		Use: "logs RUN", Short: "Show a run with its request and answer", Args: kit.Exactly("the run's id"),
		Example: "  svcctl task logs run_01j… -f",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			run, err := awaitRun(cmd.Context(), d, args[0], follow)
			if err != nil {
				return err
			}
			return showRun(a, run)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "wait until the run is done")
	return cmd
}

func awaitRun(ctx context.Context, d *sdk.Client, id string, follow bool) (*api.TaskRun, error) {
	tick := time.NewTicker(logsEvery)
	defer tick.Stop()
	for {
		run, err := d.Tasks.GetRun(ctx, id)
		if err != nil || !follow || run.State != api.RunRunning && run.State != api.RunQueued {
			return run, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// showRun prints all that is kept of a run.
func showRun(a *kit.App, run *api.TaskRun) error {
	if err := kit.ShowOne(a, runView, run); err != nil {
		return err
	}
	if p, err := a.Printer(); err != nil || p.Structured() || p.Format == "ids" || p.Format == "csv" {
		return err
	}
	text := ""
	if run.Request != nil {
		text += "\n" + requestText(run.Request)
	}
	if run.Prompt != "" {
		text += "\n" + run.Prompt + "\n"
	}
	if run.Response != nil {
		text += fmt.Sprintf("\nHTTP %d\n", run.Response.Status)
		for _, h := range run.Response.Headers {
			text += h.Name + ": " + h.Value + "\n"
		}
		text += "\n" + run.Response.Body + "\n"
	}
	if run.Output != "" {
		text += "\n" + run.Output + "\n"
	}
	return a.PrintText(text)
}

func newCancel(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "cancel RUN", Short: "Stop a run", Args: kit.Exactly("the run's id"), Example: "  svcctl task cancel run_01j…",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.MemberWriter(w)
			if err != nil {
				return err
			}
			run, err := c.Tasks.CancelRun(cmd.Context(), api.Ref{ID: args[0]}, w.Options()...)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, runView, run)
		},
	}
	w.Add(cmd)
	return cmd
}
