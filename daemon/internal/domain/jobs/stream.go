package jobs

import (
	"context"
	"strconv"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// Streams are the jobs as they go on.
func (s *Service) Streams() []op.Stream {
	return []op.Stream{
		{Name: "jobs.watch", Scope: op.PostsRead, Session: op.Viewer, Do: op.Follow(s.follow),
			Doc: "Follows a job until it is done: the whole job each time it changes, and the text as it is written."},
		{Name: "jobs.feed", Scope: op.PostsRead, Session: op.Viewer, Do: op.Follow(s.Feed),
			Doc: "Follows all jobs: those that are not done, then each as it changes."},
	}
}

// follow sends a job's events. A job's version is the id of the event that holds
// it; text has none, because a reader that comes back is sent all of it again,
// after a reset.
func (s *Service) follow(ctx context.Context, who op.Caller, in api.JobWatch, emit op.Emit[api.JobEvent]) error {
	w, err := s.Watch(ctx, who.Team, in.ID)
	if err != nil {
		return err
	}
	defer w.Close()
	seen, resumed := -1, in.LastEventID != ""
	if n, err := strconv.Atoi(in.LastEventID); err == nil {
		seen = n
	}
	return w.Follow(ctx, func(e api.JobEvent) error {
		if e.Job != nil && e.Job.Version <= seen {
			return nil
		}
		if resumed && e.Type == "delta" {
			if err := emit("", api.JobEvent{Type: "reset", Step: e.Step}); err != nil {
				return err
			}
			resumed = false
		}
		return emit(eventID(&e), e)
	})
}

func eventID(e *api.JobEvent) string {
	if e.Job == nil {
		return ""
	}
	return strconv.Itoa(e.Job.Version)
}
