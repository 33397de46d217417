package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// streamIdle is how long a stream may say nothing, heartbeats included, before
// it counts as dead; the daemon sends one every 15 seconds.
const streamIdle = 45 * time.Second

// errNoStream: this daemon, or a proxy before it, serves no event stream.
var errNoStream = errors.New("no event stream")

// Watch yields what happens to a job until it is done: the whole job each time
// it changes and the text as it is written. A stream that breaks is opened
// again; where streams do not work the job is polled, and there is no text.
func (s *JobsService) Watch(ctx context.Context, id string) iter.Seq2[api.JobEvent, error] {
	if s.t.member {
		return subscribe[api.JobEvent](ctx, s.t, "jobs.watch", api.JobWatch{ID: id})
	}
	return func(yield func(api.JobEvent, error) bool) {
		w := watch{jobs: s, id: id, yield: yield}
		if err := w.run(ctx); err != nil && !w.over {
			yield(api.JobEvent{}, err)
		}
	}
}

// watch is one run of Watch.
type watch struct {
	jobs  *JobsService
	id    string
	yield func(api.JobEvent, error) bool
	over  bool // the job is done, or the consumer has left
	// progressed: the present stream delivered something, so that the next
	// failure counts as the first again.
	progressed bool
}

func (w *watch) run(ctx context.Context) error {
	if w.jobs.t.fault != nil {
		return w.jobs.t.fault
	}
	for failures := 0; failures <= w.jobs.t.retries; failures++ {
		w.progressed = false
		err := w.stream(ctx)
		switch {
		case w.over:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errNoStream):
			return w.poll(ctx)
		}
		if _, refused := errors.AsType[*api.Error](err); refused {
			return err
		}
		if w.progressed {
			failures = 0
		}
		wait, _ := pause(failures, nil)
		if err := w.jobs.t.sleep(ctx, wait); err != nil {
			return err
		}
	}
	return w.poll(ctx)
}

// stream follows one connection until it ends.
func (w *watch) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := route{http.MethodGet, v1 + "/posts/jobs/{id}/events", ""}
	req, err := r.request(api.JobRef{ID: w.id}, http.Header{"Accept": {"text/event-stream"}})
	if err != nil {
		return err
	}
	idle := time.AfterFunc(streamIdle, cancel)
	defer idle.Stop()
	resp, err := w.jobs.t.open(ctx, req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || mediaType(resp.Header) != "text/event-stream" {
		return streamRefused(resp)
	}
	return messages(resp.Body, func() { idle.Reset(streamIdle) }, w.deliver)
}

func streamRefused(resp *http.Response) error {
	answer, err := read(resp)
	if err != nil {
		return err
	}
	switch answer.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return answer.Err()
	case http.StatusNotFound:
		if e := refusal(answer); e.Code == api.CodeNotFound {
			return e
		}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return errors.New("the stream is busy")
	}
	return errNoStream
}

// deliver hands one event on; false ends the stream.
func (w *watch) deliver(m message) bool {
	event := api.JobEvent{Type: m.event}
	if err := json.Unmarshal([]byte(m.data), &event); err != nil {
		return false // damaged: a new stream starts with the whole job
	}
	if m.event != "" {
		event.Type = m.event
	}
	w.progressed = true
	if !w.yield(event, nil) {
		w.over = true
		return false
	}
	w.over = event.Job != nil && event.Job.Done()
	return !w.over
}

// poll follows the job by requests that the daemon holds back.
func (w *watch) poll(ctx context.Context) error {
	version := -1
	for !w.over {
		job, err := w.jobs.one(ctx, "get", api.JobRef{ID: w.id, Wait: longPoll}, nil)
		if err != nil {
			return err
		}
		if job.Version != version || job.Done() {
			version = job.Version
			w.over = !w.yield(api.JobEvent{Type: "job", Job: job}, nil) || job.Done()
		}
	}
	return nil
}

// Feed yields the jobs that are not done, then each job as it changes. A job
// that changes faster than it is read comes in its latest state. It
// needs a member's session.
func (s *JobsService) Feed(ctx context.Context) iter.Seq2[api.JobEvent, error] {
	return subscribe[api.JobEvent](ctx, s.t, "jobs.feed", api.JobFeed{})
}
