// Package job is svcctl job, and follows a job for the commands that start one.
package job

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Job]{
	ID: func(j *api.Job) string { return j.ID },
	Columns: []output.Column[api.Job]{
		{Name: "id", Value: func(j *api.Job) string { return j.ID }},
		{Name: "done", Value: done, Data: func(j *api.Job) string { return strconv.Itoa(j.Progress) + "%" }},
		{Name: "state", Value: func(j *api.Job) string { return j.State }},
		{Name: "title", Value: func(j *api.Job) string { return j.Title }, Flex: true},
		{Name: "provider", Value: func(j *api.Job) string { return j.Provider }},
		kit.When("age", func(j *api.Job) api.Time { return j.CreatedAt }),
		{Name: "steps", Value: steps, Flex: true, Wide: true},
		{Name: "model", Value: func(j *api.Job) string { return j.Model }, Wide: true},
		{Name: "post", Value: func(j *api.Job) string { return j.PostID }, Wide: true},
		{Name: "tokens", Value: tokens, Wide: true},
		{Name: "error", Value: jobError, Wide: true, Flex: true},
		{Name: "warnings", Value: func(j *api.Job) string { return strings.Join(j.Warnings, "; ") }, Wide: true, Flex: true},
	},
}

// done tells the state too: a narrow terminal has no room for another column.
func done(j *api.Job) string {
	return kit.StepMark(j.State) + " " + strconv.Itoa(j.Progress) + "%"
}

func steps(j *api.Job) string {
	texts := make([]string, len(j.Steps))
	for i, step := range j.Steps {
		texts[i] = kit.StepMark(step.State) + " " + step.Name
	}
	return strings.Join(texts, "  ")
}

func tokens(j *api.Job) string {
	if j.Usage == (api.Usage{}) {
		return ""
	}
	return strconv.Itoa(j.Usage.InputTokens) + " in, " + strconv.Itoa(j.Usage.OutputTokens) + " out"
}

func jobError(j *api.Job) string {
	if j.Error == nil {
		return ""
	}
	return j.Error.Code + ": " + j.Error.Message
}

var list = crud.Lister[api.Job, api.JobQuery]{
	Path: "job", Plural: "jobs, newest first", Example: "--state failed", View: view, Flags: map[string]string{"postId": "post"}, Help: map[string]string{"postId": "jobs of the post with this id"},
	Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Job, api.JobQuery] { return c.Jobs.List }),
}

// New is the command job.
func New(a *kit.App) *cobra.Command {
	one := crud.ByID[api.Job]{Path: "job", Kind: "job", Example: "job_01j…", Connect: (*kit.App).Client, View: view, Names: list.Names}
	return kit.Group("job", "Generation jobs", []string{"jobs"}, list.New(a),
		one.NewGet(a, func(ctx context.Context, c *sdk.Client, id string) (*api.Job, error) { return c.Jobs.Get(ctx, id) }),
		newWatch(a), newWait(a),
		one.NewChange(a, "cancel", "Stop a job", func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) (*api.Job, error) {
			return c.Jobs.Cancel(ctx, ref, options...)
		}),
		one.NewChange(a, "retry", "Queue a failed job again", func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) (*api.Job, error) {
			return c.Jobs.Retry(ctx, ref, options...)
		}))
}

func newWatch(a *kit.App) *cobra.Command {
	o := &Follow{App: a}
	cmd := &cobra.Command{
		Use: "watch ID", Short: "Follow a job until it is done", Args: kit.Exactly("the job's id"),
		Example: "  svcctl job watch job_01j… --timeout 5m",
		Long:    "Follows a job until it is done. Ctrl-C leaves the job alone. With --json each event is a line of JSON.",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	a.CompleteFirst(cmd, list.Names)
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 0, "give up following after this long, with exit code 11")
	return cmd
}

func newWait(a *kit.App) *cobra.Command {
	timeout := time.Duration(0)
	cmd := &cobra.Command{
		Use: "wait ID", Short: "Wait for a job in silence, then show it", Args: kit.Exactly("the job's id"),
		Example: "  svcctl job wait job_01j… --timeout 5m -o json --jq .state",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			ctx, cancel := kit.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			job, err := c.Jobs.Wait(ctx, args[0])
			if err != nil {
				return detached(cmd.Context(), err, args[0])
			}
			if err := kit.ShowOne(a, view, job); err != nil {
				return err
			}
			return Outcome(job)
		},
	}
	a.CompleteFirst(cmd, list.Names)
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up after this long, with exit code 11")
	return cmd
}

// Outcome is the exit code of a job that is done.
func Outcome(job *api.Job) error {
	switch job.State {
	case api.JobFailed:
		f := &kit.Failure{Exit: kit.ExitJobFailed, Code: "job_failed", Message: "the job failed", Hint: "svcctl job retry " + job.ID}
		if job.Error != nil {
			f.Message += ": " + job.Error.Message
		}
		return f
	case api.JobCanceled:
		return &kit.Failure{Exit: kit.ExitCancelled, Code: "job_canceled", Message: "the job was cancelled"}
	}
	return nil
}

// detached tells how to follow a job that goes on without us.
func detached(ctx context.Context, err error, id string) error {
	f := kit.Explain(ctx, err)
	if f.Exit == kit.ExitInterrupted || f.Exit == kit.ExitTimeout {
		f.Message = "stopped following; the job goes on"
		f.Hint = "svcctl job watch " + id
	}
	return f
}
