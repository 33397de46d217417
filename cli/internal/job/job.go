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

// New is the command job.
func New(a *kit.App) *cobra.Command {
	return kit.Group("job", "Generation jobs", []string{"jobs"}, newList(a), newGet(a), newWatch(a), newWait(a),
		newChange(a, "cancel", "Stop a job", (*sdk.JobsService).Cancel),
		newChange(a, "retry", "Queue a failed job again", (*sdk.JobsService).Retry))
}

func newList(a *kit.App) *cobra.Command {
	list := crud.Lister[api.Job, api.JobQuery]{
		Path: "job", Plural: "jobs, newest first", Example: "--state failed", View: view, Flags: map[string]string{"postId": "post"}, Help: map[string]string{"postId": "jobs of the post with this id"},
		Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Job, api.JobQuery] { return c.Jobs.List }),
	}
	return list.New(a)
}

// ids are the newest jobs', for completion.
func ids(ctx context.Context, a *kit.App) ([]string, error) {
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	page, err := c.Jobs.List(ctx, api.JobQuery{PageQuery: api.PageQuery{Limit: 30}})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(page.Data))
	for i := range page.Data {
		names[i] = page.Data[i].ID
	}
	return names, nil
}

func newGet(a *kit.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "get ID", Short: "Show a job", Args: kit.Exactly("the job's id"), Example: "  svcctl job get job_01j… -o yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			job, err := c.Jobs.Get(cmd.Context(), kit.ParseRef(args[0]))
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, job)
		},
	}
	a.CompleteFirst(cmd, ids)
	return cmd
}

// newChange is a verb that changes a job and shows it.
func newChange(a *kit.App, verb, short string, do func(*sdk.JobsService, context.Context, api.Ref, ...sdk.CallOption) (*api.Job, error)) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: verb + " ID", Short: short, Args: kit.Exactly("the job's id"), Example: "  svcctl job " + verb + " job_01j…",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			job, err := do(c.Jobs, cmd.Context(), api.Ref{ID: kit.ParseRef(args[0])}, w.Options()...)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, job)
		},
	}
	w.Add(cmd)
	a.CompleteFirst(cmd, ids)
	return cmd
}

func newWatch(a *kit.App) *cobra.Command {
	o := &Follow{App: a}
	cmd := &cobra.Command{
		Use: "watch ID", Short: "Follow a job until it is done", Args: kit.Exactly("the job's id"),
		Long: "Follows a job until it is done. Ctrl-C leaves the job alone. With --json each event is a line of JSON.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	a.CompleteFirst(cmd, ids)
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
	a.CompleteFirst(cmd, ids)
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
