package jobs_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func (w *world) stream(name string) *op.Stream {
	if w.Table.Streams == nil {
		w.Table.AddStreams(w.jobs.Streams())
	}
	return w.Table.Streams[slices.IndexFunc(w.Table.Streams, func(s *op.Stream) bool { return s.Name == name })]
}

// feed follows all jobs of a team until each says that it is enough.
func (w *world) feed(team, body string, each func(id string, job *api.Job) (enough bool)) error {
	w.T.Helper()
	who := op.Caller{Kind: op.Session, Credential: "ses_" + team, Team: team, Role: op.Viewer, Scopes: op.AllScopes}
	row := w.stream("jobs.feed")
	ctx, cancel := context.WithCancel(w.T.Context())
	defer cancel()
	return w.Table.Follow(ctx, row, who, op.Args{Body: []byte(body)}, func(id string, v any) error {
		if each(id, v.(api.JobEvent).Job) {
			cancel()
		}
		return ctx.Err()
	})
}

// TestFeed begins with the jobs that are not done and goes on with each change
// of any. A reader that takes nothing while a job passes through its states
// finds the last of them.
func TestFeed(t *testing.T) {
	w := newWorld(t, llm.Config{})
	first := w.generate(`{"title":"First","generateContent":true}`).JobID
	var second, last string
	var states []string
	if err := w.feed(alice.Team, `{}`, func(id string, job *api.Job) bool {
		name := map[string]string{first: "first", second: "second"}[job.ID]
		states = append(states, name+" "+job.State)
		switch last = id; {
		case len(states) == 1:
			w.work()
			w.done(first)
		case name == "first":
			w.Stop()
			second = w.generate(`{"title":"Second","generateContent":true}`).JobID
		case job.State == api.JobQueued:
			w.work()
			w.done(second)
		}
		return name == "second" && job.Done()
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first queued", "first completed", "second queued", "second completed"}; !slices.Equal(states, want) {
		t.Errorf("the feed is %q, want %q", states, want)
	}

	third := w.generate(`{"title":"Third","generateContent":true}`).JobID
	w.done(third)
	var seen []string
	if err := w.feed(alice.Team, `{"lastEventId":"`+last+`"}`, func(_ string, job *api.Job) bool {
		seen = append(seen, job.ID)
		return job.ID == third
	}); err != nil || slices.Contains(seen, first) {
		t.Errorf("resumed with %v, %v; it lacks %s or has what did not change", seen, err, third)
	}
	if e, ok := errors.AsType[*api.Error](w.feed(alice.Team, `{"lastEventId":"x"}`, func(string, *api.Job) bool { return true })); !ok || e.Code != api.CodeInvalidParameter {
		t.Errorf("resumed after %v", e)
	}
}

// TestFeedOfAnotherTeam shows neither the jobs that it finds nor those that
// start meanwhile.
func TestFeedOfAnotherTeam(t *testing.T) {
	w := newWorld(t, llm.Config{})
	mallory := alice
	mallory.Team = "team_b"
	body := `{"title":"Theirs","generateContent":true}`
	w.generate(body)
	ours, refusal := optest.Call[api.PostCreated](w, mallory, "posts.create", body)
	if refusal != nil {
		t.Fatal(refusal)
	}
	var seen []string
	if err := w.feed(mallory.Team, `{"lastEventId":"1"}`, func(_ string, job *api.Job) bool {
		if len(seen) == 0 {
			w.work()
			w.done(w.generate(body).JobID)
			row, refusal := optest.Call[api.Job](w, mallory, "jobs.get", `{"id":"`+ours.Job.JobID+`","wait":30}`)
			if refusal != nil || !row.Done() {
				t.Error(row, refusal)
			}
		}
		seen = append(seen, job.ID)
		return job.Done()
	}); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(seen, func(id string) bool { return id != ours.Job.JobID }) {
		t.Errorf("saw %v, of which only %s is the team's", seen, ours.Job.JobID)
	}
}
