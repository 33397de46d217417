package jobs_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/tuitest"
	"edgesvc.dev/svc/sdk/api"
)

// TestGoldens shows the jobs at four sizes, as testdata/*.golden has it.
func TestGoldens(t *testing.T) {
	tuitest.Goldens(t,
		tuitest.State{Name: "jobs", Keys: []string{"2"}},
		tuitest.State{Name: "jobs-failed", Keys: []string{"2", "down", "down", "enter"}},
	)
}

func TestEmptyGolden(t *testing.T) {
	s := tuitest.New(t, 80, 24, tuitest.Empty)
	s.Keys("2")
	tuitest.Golden(t, "empty-jobs", s.View())
}

// TestJobStreams: what a model writes is on the screen while it writes.
func TestJobStreams(t *testing.T) {
	live := make(chan api.JobEvent)
	p := tuitest.Start(t, func(s *tuitest.World) {
		s.Jobs.Live = live
		s.Jobs.Page.Data = s.Jobs.Page.Data[:1]
	})
	job := p.Jobs.Page.Data[0]
	p.Keys("2")
	p.Shows("Jobs · live")
	for i := range 300 {
		live <- api.JobEvent{Type: "delta", Step: "content", Text: fmt.Sprintf("word%d ", i)}
	}
	p.Shows("word299")
	live <- api.JobEvent{Type: "reset"}
	live <- api.JobEvent{Type: "delta", Text: "<p>Anew</p>"}
	p.Shows("Anew")
	job.State, job.Progress = api.JobCompleted, 100
	live <- api.JobEvent{Type: "job", Job: &job}
	close(live)
	p.Shows("100%")
	p.Quit(t)
}

// TestJobsOfOthers: a job that was started elsewhere appears by itself, and what
// becomes of it.
func TestJobsOfOthers(t *testing.T) {
	all := make(chan api.JobEvent)
	p := tuitest.Start(t, func(s *tuitest.World) {
		s.Jobs.Page.Data = nil
		s.Jobs.All = all
	})
	p.Keys("2")
	p.Shows("No jobs yet.")
	job := api.Job{ID: "job_2", PostID: p.Posts.Page.Data[0].ID, State: api.JobQueued, Version: 1}
	all <- api.JobEvent{Type: "job", Job: &job}
	p.Shows("2 Jobs¹", "queued: Why Go for the edge")
	newer := api.Job{ID: "job_3", PostID: p.Posts.Page.Data[1].ID, State: api.JobQueued, Version: 1}
	all <- api.JobEvent{Type: "job", Job: &newer}
	failed := job
	failed.State, failed.Version, failed.Error = api.JobFailed, 2, &api.JobError{Code: "rate_limited"}
	all <- api.JobEvent{Type: "job", Job: &failed}
	all <- api.JobEvent{Type: "job", Job: &job} // overtaken
	p.Shows("rate_limited")
	p.Quit(t)
	p.Sees("2 Jobs¹", "rate_limited")
	v := p.View()
	if first, second := strings.Index(v, "queued: Pricing, explained"), strings.Index(v, "✗ Why Go for the edge"); first < 0 || second < first {
		t.Errorf("the newer job does not stand above the failed one:\n%s", v)
	}
}

// TestJobsReadLate: a list that was read before an event arrived, and comes after
// it, takes nothing back.
func TestJobsReadLate(t *testing.T) {
	s := tuitest.New(t, 100, 24)
	s.Keys("2")
	later := s.Jobs.Page.Data[0]
	later.State, later.Version = api.JobCanceled, later.Version+1
	s.Jobs.Changes = []api.JobEvent{{Type: "job", Job: &later}, {Type: "job", Job: &api.Job{ID: "job_new", State: api.JobQueued, Version: 1}}}
	_, refresh := s.M.Update(tuitest.Key("r"))
	reading := refresh().(tea.BatchMsg) // the list, and the stream
	stale := reading[0]()
	s.Settle(reading[1])
	s.Do(stale)
	s.Sees("queued: job_new", "- Why Go for the edge")
}
