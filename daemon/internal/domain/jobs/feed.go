package jobs

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// feedPage is how many jobs a feed begins with, at most.
const feedPage = 2 * maxQueued

// feedGrace is how far back, in milliseconds, a feed looks that begins anew: the
// reader has listed the jobs shortly before, and one that was done in between
// would be in neither.
const feedGrace = 60_000

// feed tells one reader of every job of a team. What it has not taken is kept
// once for each job, in its latest state: a slow reader misses states, never a
// job, and delays nobody.
type feed struct {
	ready chan struct{}
	mark  api.Time // of the latest change that was taken; the reader's alone

	// Guarded by hub.mu. The job that changed last comes last.
	waiting []*api.Job
}

// add keeps a state of a job unless a later one is there.
func (f *feed) add(job *api.Job) {
	if i := slices.IndexFunc(f.waiting, func(have *api.Job) bool { return have.ID == job.ID }); i >= 0 {
		if f.waiting[i].Version > job.Version {
			return
		}
		f.waiting = slices.Delete(f.waiting, i, i+1)
	}
	f.waiting = append(f.waiting, job)
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

func (h *hub) open(team string) *feed {
	f := &feed{ready: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.feeds == nil {
		h.feeds = map[string]map[*feed]struct{}{}
	}
	if h.feeds[team] == nil {
		h.feeds[team] = map[*feed]struct{}{}
	}
	h.feeds[team][f] = struct{}{}
	return f
}

func (h *hub) shut(team string, f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.feeds[team], f)
	if len(h.feeds[team]) == 0 {
		delete(h.feeds, team)
	}
}

// beginFeed puts the jobs that are there before those that changed meanwhile.
func (h *hub) beginFeed(f *feed, first []*api.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	early := f.waiting
	f.waiting = nil
	for _, job := range append(first, early...) {
		f.add(job)
	}
}

func (h *hub) take(f *feed) []*api.Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	jobs := f.waiting
	f.waiting = nil
	return jobs
}

// Feed emits the jobs that are not done or were done just now, then each as it
// changes. A reader that comes back gets those that were done meanwhile, of the
// latest.
func (s *Service) Feed(ctx context.Context, who op.Caller, in api.JobFeed, emit op.Emit[api.JobEvent]) error {
	since, err := resumedFrom(in.LastEventID)
	if err != nil {
		return err
	}
	f := s.hub.open(who.Team)
	defer s.hub.shut(who.Team, f)
	if since == 0 {
		since = s.now() - feedGrace
	}
	first, err := s.unfinished(ctx, who.Team, since)
	if err != nil {
		return err
	}
	f.mark = since
	s.hub.beginFeed(f, first)
	for {
		if err := f.emit(s.hub.take(f), emit); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.ready:
		}
	}
}

// emit passes on what was waiting. The id is the time of the latest change; only
// the last has it, because who was cut off before has not seen all until then.
func (f *feed) emit(jobs []*api.Job, emit op.Emit[api.JobEvent]) error {
	for i, job := range jobs {
		f.mark = max(f.mark, job.UpdatedAt)
		id := ""
		if i == len(jobs)-1 {
			id = strconv.FormatInt(int64(f.mark), 10)
		}
		if err := emit(id, api.JobEvent{Type: "job", Job: job}); err != nil {
			return err
		}
	}
	return nil
}

func resumedFrom(id string) (api.Time, error) {
	if id == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 0 {
		return 0, api.NewError(http.StatusBadRequest, api.CodeInvalidParameter, "The last event's id is not one of this stream.")
	}
	return api.Time(n), nil
}

// unfinished are the jobs that are not done and, with since, those that changed
// from then on; the latest come last.
func (s *Service) unfinished(ctx context.Context, team string, since api.Time) (out []*api.Job, err error) {
	states := []string{api.JobQueued, api.JobRunning}
	if since > 0 {
		states = append(states, api.JobCompleted, api.JobFailed, api.JobCanceled)
	}
	p := kv.Page[record]{Index: "state", Limit: feedPage, Keep: func(r *record) bool { return !r.Job.Done() || r.Job.UpdatedAt >= since }}
	for _, state := range states {
		p.Prefixes = append(p.Prefixes, kv.Key(state))
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		res, err := table.List(tx, team, p)
		if err != nil {
			return err
		}
		for _, r := range slices.Backward(res.Records) {
			out = append(out, &r.Job)
		}
		return nil
	})
	return out, err
}
