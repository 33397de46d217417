package jobs_test

import (
	"errors"
	"strconv"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// TestFollow sends each version of a job once, in order, to its end, and to a
// reader that comes back only what it has not seen.
func TestFollow(t *testing.T) {
	w := newWorld(t, llm.Config{})
	row := w.stream("jobs.watch")
	who := op.Caller{Kind: op.Session, Credential: "ses_1", Team: alice.Team, Role: op.Viewer, Scopes: op.AllScopes}
	started := w.generate(`{"title":"Why Go","generateContent":true}`).JobID
	var versions []int
	read := func(who op.Caller, body string) error {
		versions = nil
		return w.Table.Follow(t.Context(), row, who, op.Args{Body: []byte(body)}, func(id string, v any) error {
			e := v.(api.JobEvent)
			if e.Job == nil {
				if id != "" {
					t.Errorf("text has the id %q", id)
				}
				return nil
			}
			if id != strconv.Itoa(e.Job.Version) {
				t.Errorf("version %d has the id %q", e.Job.Version, id)
			}
			versions = append(versions, e.Job.Version)
			return nil
		})
	}
	w.work()
	if err := read(who, `{"id":"`+started+`"}`); err != nil {
		t.Fatal(err)
	}
	last := versions[len(versions)-1]
	for i := range versions[1:] {
		if versions[i] >= versions[i+1] {
			t.Errorf("versions %v", versions)
		}
	}
	if err := read(who, `{"id":"`+started+`","lastEventId":"`+strconv.Itoa(last-1)+`"}`); err != nil || len(versions) != 1 || versions[0] != last {
		t.Errorf("resumed with %v, %v", versions, err)
	}
	if err := read(who, `{"id":"`+started+`","lastEventId":"`+strconv.Itoa(last)+`"}`); err != nil || len(versions) != 0 {
		t.Errorf("resumed at the end with %v, %v", versions, err)
	}
	who.Team = "team_b"
	if e, ok := errors.AsType[*api.Error](read(who, `{"id":"`+started+`"}`)); !ok || e.Code != api.CodeNotFound {
		t.Errorf("another team's job: %v", e)
	}
}
