package daemon_test

import (
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// TestChangesOfTheTeam follows what changes in one team while two work: it is told
// of its own changes, and of no other's.
func TestChangesOfTheTeam(t *testing.T) {
	in := start(t)
	c := sdk.New(in.URL, sdk.WithSession(in.session(t, in.A)))
	own, step := "", 0
	for change, err := range c.Events.Changes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if step++; step == 1 {
			if change.Type != api.AnyChange {
				t.Fatalf("begins with %+v", change)
			}
			in.post(t, in.B.Key, `{"title":"Theirs","content":"x"}`)
			own = in.post(t, in.A.Key, `{"title":"Ours","content":"x"}`)
			continue
		}
		if change.Type != "post.created" || change.ID != own || change.Sequence == 0 {
			t.Errorf("told of %+v, want post.created of %s", change, own)
		}
		break
	}
}
