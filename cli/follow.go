package cli

import (
	"context"
	"time"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// follow shows a job live until it is done.
type follow struct {
	app     *app
	timeout time.Duration
}

func (o *follow) run(ctx context.Context, id string) error {
	c, err := o.app.client()
	if err != nil {
		return err
	}
	p, err := o.app.printer()
	if err != nil {
		return err
	}
	if p.Format == "json" && p.JQ == "" {
		p.Format = "jsonl" // a stream has no end to wait for
	}
	job, err := o.watch(ctx, c, id, p)
	if err != nil {
		return err
	}
	if !p.Structured() {
		if err := output.One(p, jobView, job); err != nil {
			return err
		}
	}
	return outcome(job)
}

// watch follows a job; for a program, each event is printed.
func (o *follow) watch(ctx context.Context, c *sdk.Client, id string, p output.Printer) (*api.Job, error) {
	limited, cancel := withTimeout(ctx, o.timeout)
	defer cancel()
	show := newProgress(o.app.io)
	defer show.stop()
	var last *api.Job
	for event, err := range c.Jobs.Watch(limited, id) {
		if err != nil {
			return nil, detached(ctx, err, id)
		}
		if event.Job != nil {
			last = event.Job
		}
		if p.Structured() {
			err = p.Value(event)
		} else {
			show.event(event)
		}
		if err != nil {
			return nil, err
		}
	}
	return last, nil
}
