// Package job is svcctl job, and follows a job for the commands that start one.
package job

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
		{Name: "steps", Value: steps, Flex: true},
		{Name: "model", Value: func(j *api.Job) string { return j.Model }, Flex: true},
		kit.When("age", func(j *api.Job) api.Time { return j.CreatedAt }),
		{Name: "post", Value: func(j *api.Job) string { return j.PostID }, Wide: true},
		{Name: "tokens", Value: tokens, Wide: true},
		{Name: "provider", Value: func(j *api.Job) string { return j.Provider }, Wide: true},
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

// New is the command job.
func New(a *kit.App) *cobra.Command {
	return kit.Group("job", "Generation jobs", []string{"jobs"}, newList(a),
		newOne(a, "get ID", "Show a job", func(s *sdk.JobsService, ctx context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Job, error) {
			return s.Get(ctx, ref.ID)
		}),
		newWatch(a), newWait(a),
		newOne(a, "cancel ID", "Stop a job", (*sdk.JobsService).Cancel),
		newOne(a, "retry ID", "Queue a failed job again", (*sdk.JobsService).Retry))
}

type list struct {
	app   *kit.App
	list  kit.ListFlags
	state string
	post  string
}

func newList(a *kit.App) *cobra.Command {
	o := &list{app: a}
	cmd := &cobra.Command{
		Use: "list", Short: "List jobs, newest first", Aliases: []string{"ls"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			q := api.JobQuery{PageQuery: o.list.Page(), State: strings.ToLower(o.state), PostID: o.post}
			return kit.ShowList(a, o.list, view, c.Jobs.All(cmd.Context(), q))
		},
	}
	o.list.Add(cmd)
	cmd.Flags().StringVar(&o.state, "state", "", "queued, running, completed, failed or canceled")
	cmd.Flags().StringVar(&o.post, "post", "", "jobs of this post")
	return cmd
}

// newOne is a verb that takes a job's id and shows the job.
func newOne(a *kit.App, use, short string, do func(*sdk.JobsService, context.Context, api.Ref, ...sdk.CallOption) (*api.Job, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: kit.Exactly("the job's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			job, err := do(c.Jobs, cmd.Context(), api.Ref{ID: args[0]})
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, job)
		},
	}
}

func newWatch(a *kit.App) *cobra.Command {
	o := &Follow{App: a}
	cmd := &cobra.Command{
		Use: "watch ID", Short: "Follow a job until it is done", Args: kit.Exactly("the job's id"),
		Long: "Follows a job until it is done. Ctrl-C leaves the job alone. With --json each event is a line of JSON.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 0, "give up following after this long, with exit code 11")
	return cmd
}

func newWait(a *kit.App) *cobra.Command {
	timeout := time.Duration(0)
	cmd := &cobra.Command{
		Use: "wait ID", Short: "Wait for a job in silence, then show it", Args: kit.Exactly("the job's id"),
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
