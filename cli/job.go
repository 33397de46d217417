package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var jobView = output.View[api.Job]{
	ID: func(j *api.Job) string { return j.ID },
	Columns: []output.Column[api.Job]{
		{Name: "id", Value: func(j *api.Job) string { return j.ID }},
		{Name: "done", Value: jobDone, Data: func(j *api.Job) string { return strconv.Itoa(j.Progress) + "%" }},
		{Name: "state", Value: func(j *api.Job) string { return j.State }},
		{Name: "steps", Value: steps, Flex: true},
		{Name: "model", Value: func(j *api.Job) string { return j.Model }, Flex: true},
		when("age", func(j *api.Job) api.Time { return j.CreatedAt }),
		{Name: "post", Value: func(j *api.Job) string { return j.PostID }, Wide: true},
		{Name: "tokens", Value: tokens, Wide: true},
		{Name: "provider", Value: func(j *api.Job) string { return j.Provider }, Wide: true},
		{Name: "error", Value: jobError, Wide: true, Flex: true},
		{Name: "warnings", Value: func(j *api.Job) string { return strings.Join(j.Warnings, "; ") }, Wide: true, Flex: true},
	},
}

// jobDone tells the state too: a narrow terminal has no room for another column.
func jobDone(j *api.Job) string {
	return stepMark(j.State) + " " + strconv.Itoa(j.Progress) + "%"
}

func steps(j *api.Job) string {
	texts := make([]string, len(j.Steps))
	for i, step := range j.Steps {
		texts[i] = stepMark(step.State) + " " + step.Name
	}
	return strings.Join(texts, "  ")
}

func stepMark(state string) string {
	switch state {
	case api.JobCompleted:
		return "✓"
	case api.JobRunning:
		return "▸"
	case api.JobFailed:
		return "✗"
	case api.JobCanceled, "skipped":
		return "-"
	}
	return "○"
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

func newJob(a *app) *cobra.Command {
	return group("job", "Generation jobs", []string{"jobs"}, newJobList(a),
		newJobOne(a, "get ID", "Show a job", (*sdk.JobsService).Get),
		newJobWatch(a), newJobWait(a),
		newJobOne(a, "cancel ID", "Stop a job", (*sdk.JobsService).Cancel),
		newJobOne(a, "retry ID", "Queue a failed job again", (*sdk.JobsService).Retry))
}

type jobList struct {
	app   *app
	list  listFlags
	state string
	post  string
}

func newJobList(a *app) *cobra.Command {
	o := &jobList{app: a}
	cmd := &cobra.Command{
		Use: "list", Short: "List jobs, newest first", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			q := api.JobQuery{PageQuery: o.list.page(), State: strings.ToLower(o.state), PostID: o.post}
			return showList(a, o.list, jobView, c.Jobs.All(cmd.Context(), q))
		},
	}
	o.list.add(cmd)
	cmd.Flags().StringVar(&o.state, "state", "", "queued, running, completed, failed or canceled")
	cmd.Flags().StringVar(&o.post, "post", "", "jobs of this post")
	return cmd
}

// newJobOne is a verb that takes a job's id and shows the job.
func newJobOne(a *app, use, short string, do func(*sdk.JobsService, context.Context, string, ...sdk.CallOption) (*api.Job, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: exactly("the job's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			job, err := do(c.Jobs, cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return showOne(a, jobView, job)
		},
	}
}

func newJobWatch(a *app) *cobra.Command {
	o := &follow{app: a}
	cmd := &cobra.Command{
		Use: "watch ID", Short: "Follow a job until it is done", Args: exactly("the job's id"),
		Long: "Follows a job until it is done. Ctrl-C leaves the job alone. With --json each event is a line of JSON.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "give up following after this long, with exit code 11")
	return cmd
}

func newJobWait(a *app) *cobra.Command {
	timeout := time.Duration(0)
	cmd := &cobra.Command{
		Use: "wait ID", Short: "Wait for a job in silence, then show it", Args: exactly("the job's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			ctx, cancel := withTimeout(cmd.Context(), timeout)
			defer cancel()
			job, err := c.Jobs.Wait(ctx, args[0])
			if err != nil {
				return detached(cmd.Context(), err, args[0])
			}
			if err := showOne(a, jobView, job); err != nil {
				return err
			}
			return outcome(job)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up after this long, with exit code 11")
	return cmd
}

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// outcome is the exit code of a job that is done.
func outcome(job *api.Job) error {
	switch job.State {
	case api.JobFailed:
		f := &failure{Exit: exitJobFailed, Code: "job_failed", Message: "the job failed", Hint: "svcctl job retry " + job.ID}
		if job.Error != nil {
			f.Message += ": " + job.Error.Message
		}
		return f
	case api.JobCanceled:
		return &failure{Exit: exitCancelled, Code: "job_canceled", Message: "the job was cancelled"}
	}
	return nil
}

// detached tells how to follow a job that goes on without us.
func detached(ctx context.Context, err error, id string) error {
	f := explain(ctx, err)
	if f.Exit == exitInterrupted || f.Exit == exitTimeout {
		f.Message = "stopped following; the job goes on"
		f.Hint = "svcctl job watch " + id
	}
	return f
}
