package writing

import (
	"errors"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/postsync"
)

// TestDetailOfAPlan: a line of the plan says why, and shows what differs.
func TestDetailOfAPlan(t *testing.T) {
	d := detail(&postsync.Item{
		Action: postsync.Drift, Slug: "a", Reason: "the post was changed", Unused: []string{"layout"},
		Changes: []postfile.Change{{Field: "title", Old: "Theirs", New: "Mine"}, {Field: "content", Old: "<p>One</p>", New: "<p>Two</p>", Multiline: true}},
	})
	var facts []string
	for _, f := range d.Facts {
		facts = append(facts, f[0]+"="+f[1])
	}
	if got := strings.Join(facts, " "); got != "plan=! drift slug=a why=the post was changed not used=layout" {
		t.Errorf("facts %s", got)
	}
	for _, want := range []string{"**title**", "-Theirs\n+Mine", "**content**", "-One\n+Two"} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("no %q in %s", want, d.Text)
		}
	}
	if d := detail(&postsync.Item{Action: postsync.Failed, Err: errors.New("line 2: no")}); d.Facts[1] != [2]string{"error", "line 2: no"} {
		t.Errorf("facts %v", d.Facts)
	}
}
