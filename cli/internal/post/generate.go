package post

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/job"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

type generate struct {
	following
	write   kit.WriteFlags
	in      api.PostCreate
	all     bool
	publish bool
}

// following is what a command does with the job that it started.
type following struct {
	app     *kit.App
	wait    bool
	detach  bool
	timeout time.Duration
}

func (o *following) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.wait, "wait", false, "follow the job until it is done (the default)")
	f.BoolVar(&o.detach, "detach", false, "print the job and do not wait")
	f.DurationVar(&o.timeout, "timeout", 0, "stop following after this long, with exit code 11")
	cmd.MarkFlagsMutuallyExclusive("wait", "detach")
}

func newGenerate(a *kit.App) *cobra.Command {
	o := &generate{following: following{app: a}}
	cmd := &cobra.Command{
		Use: "generate TITLE", Short: "Have a model write a post", Args: kit.Exactly("a title"),
		Long:    "Starts a job that writes the parts asked for, and follows it. Ctrl-C or --detach leave the job running.",
		Example: "  svcctl post generate \"Why Go\" --model claude-sonnet-5-5 --all --publish --wait",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.write.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.in.Model, "model", "", "model that writes (svcctl model list)")
	f.BoolVar(&o.in.GenerateContent, "content", false, "write the body")
	f.BoolVar(&o.in.GenerateDescription, "description", false, "write the description")
	f.BoolVar(&o.in.GenerateTags, "tags", false, "choose tags")
	f.BoolVar(&o.in.GenerateImage, "image", false, "make a featured image")
	f.BoolVar(&o.all, "all", false, "all of these")
	f.StringVar(&o.in.Prompt, "prompt", "", "what the body should say, or @file")
	f.StringVar(&o.in.Audience, "audience", "", "for whom it is")
	f.StringVar(&o.in.Tone, "tone", "", "how it should sound")
	f.StringVar(&o.in.Length, "length", "", "short, medium or long")
	f.StringSliceVar(&o.in.Sources, "source", nil, "posts to draw from, by slug or id")
	f.StringVar(&o.in.Slug, "slug", "", "name in addresses")
	f.BoolVar(&o.publish, "publish", false, "publish it when it is written")
	o.add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("model", a.Completion(crud.Models))                                                                        // the flag exists
	_ = cmd.RegisterFlagCompletionFunc("length", cobra.FixedCompletions([]string{"short", "medium", "long"}, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	_ = cmd.RegisterFlagCompletionFunc("source", a.Completion(texts.Slugs))                                                                       // the flag exists
	return cmd
}

func (o *generate) run(ctx context.Context, title string) error {
	o.in.Title = title
	if o.all {
		o.in.GenerateContent, o.in.GenerateDescription, o.in.GenerateTags, o.in.GenerateImage = true, true, true, true
	}
	if !o.in.Generates() {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "say what to generate", Hint: "--all, or --content, --description, --tags, --image"}
	}
	if o.publish {
		o.in.Status = api.PostPublished
	}
	var err error
	if o.in.Prompt, err = o.app.Text(o.in.Prompt); err != nil {
		return err
	}
	p, err := o.app.Printer()
	if err != nil {
		return err
	}
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	for i, ref := range o.in.Sources {
		if o.in.Sources[i], err = texts.FindID(ctx, c, ref); err != nil {
			return err
		}
	}
	job, err := c.Posts.Generate(ctx, o.in, o.write.Options()...)
	if err != nil {
		return err
	}
	return o.follow(ctx, c, job, p)
}

// follow waits for the job and shows its post, unless that is not asked for.
func (o *following) follow(ctx context.Context, c *sdk.Client, job *sdk.JobHandle, p output.Printer) error {
	if o.detach {
		return o.started(job, p)
	}
	return o.finish(ctx, c, job, p)
}

// started prints the job that goes on by itself.
func (o *following) started(job *sdk.JobHandle, p output.Printer) error {
	if p.Structured() {
		return p.Value(api.JobStarted{JobID: job.ID, ID: job.ID, PostID: job.PostID, State: api.JobQueued})
	}
	o.app.IO.Say("the job runs; follow it with: svcctl job watch %s", job.ID)
	return o.app.PrintText(job.ID + "\n")
}

// finish follows the job and prints the post that it wrote.
func (o *following) finish(ctx context.Context, c *sdk.Client, handle *sdk.JobHandle, p output.Printer) error {
	f := job.Follow{App: o.app, Timeout: o.timeout}
	done, err := f.Watch(ctx, c, handle.ID, output.Printer{IO: o.app.IO})
	if err != nil {
		return err
	}
	for _, warning := range done.Warnings {
		o.app.IO.Say("warning: %s", warning)
	}
	if err := job.Outcome(done); err != nil {
		return err
	}
	post, err := c.Posts.Get(ctx, done.PostID)
	if err != nil {
		return err
	}
	o.app.IO.Say("wrote %s (%s, %s) with %s", post.Slug, post.ID, post.Status, done.Provider)
	if p.Structured() || p.Format != "" {
		return output.One(p, view, post)
	}
	return o.app.PrintText(post.ID + "\n")
}
