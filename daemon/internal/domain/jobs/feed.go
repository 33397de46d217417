package jobs

import (
	"context"
	"slices"
	"strconv"

	"edgesvc.dev/svc/daemon/internal/live"
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
	mark api.Time // of the latest change that was taken; the reader's alone

	// Guarded by hub.mu. The job that changed last comes last.
	box live.Box[*api.Job]
}

// add keeps a state of a job unless a later one is there.
func (f *feed) add(job *api.Job) {
	waiting := f.box.Take()
	if i := slices.IndexFunc(waiting, func(have *api.Job) bool { return have.ID == job.ID }); i >= 0 {
		if waiting[i].Version > job.Version {
			job = waiting[i]
		}
		waiting = slices.Delete(waiting, i, i+1)
	}
	for _, job := range append(waiting, job) {
		f.box.Add(job, 0, nil)
	}
}

func (h *hub) open(team string) *feed {
	f := &feed{}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.feeds.Join(team, f)
	return f
}

func (h *hub) shut(team string, f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.feeds.Leave(team, f)
}

// beginFeed puts the jobs that are there before those that changed meanwhile.
func (h *hub) beginFeed(f *feed, first []*api.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, job := range append(first, f.box.Take()...) {
		f.add(job)
	}
}

// Feed emits the jobs that are not done or were done just now, then each as it
// changes. A reader that comes back gets those that were done meanwhile, of the
// latest.
func (s *Service) Feed(ctx context.Context, who op.Caller, in api.JobFeed, emit op.Emit[api.JobEvent]) error {
	last, err := live.Resumed(in.LastEventID)
	if err != nil {
		return err
	}
	f := s.hub.open(who.Team)
	defer s.hub.shut(who.Team, f)
	since := api.Time(last)
	if since == 0 {
		since = s.now() - feedGrace
	}
	first, err := s.unfinished(ctx, who.Team, since)
	if err != nil {
		return err
	}
	f.mark = since
	s.hub.beginFeed(f, first)
	return live.Drain(ctx, &s.hub.mu, &f.box, func(jobs []*api.Job) (bool, error) { return false, f.emit(jobs, emit) })
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

// unfinished are the jobs that are not done and, with since, those that changed
// from then on; the latest come last.
func (s *Service) unfinished(ctx context.Context, team string, since api.Time) (out []*api.Job, err error) {
	states := []string{api.JobQueued, api.JobRunning}
	if since > 0 {
		states = append(states, api.JobCompleted, api.JobFailed, api.JobCanceled)
	}
	p := kv.Page[record]{Index: "state", Limit: feedPage, Keep: func(r *record) bool { return !r.Job.Done() || r.Job.UpdatedAt >= since }, Skip: op.Unreadable}
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
