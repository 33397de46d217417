package job

import (
	"context"
	"time"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Follow shows a job live until it is done.
type Follow struct {
	App     *kit.App
	Timeout time.Duration
}

func (o *Follow) run(ctx context.Context, id string) error {
	c, err := o.App.Client()
	if err != nil {
		return err
	}
	p, err := o.App.Printer()
	if err != nil {
		return err
	}
	if p.Format == "json" && p.JQ == "" {
		p.Format = "jsonl" // a stream has no end to wait for
	}
	job, err := o.Watch(ctx, c, id, p)
	if err != nil {
		return err
	}
	if !p.Structured() {
		if err := output.One(p, view, job); err != nil {
			return err
		}
	}
	return Outcome(job)
}

// Watch follows a job; for a program, each event is printed.
func (o *Follow) Watch(ctx context.Context, c *sdk.Client, id string, p output.Printer) (*api.Job, error) {
	limited, cancel := kit.WithTimeout(ctx, o.Timeout)
	defer cancel()
	show := newProgress(o.App.IO)
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
