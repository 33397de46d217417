package daemon_test

import (
	"net/http"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// TestReplyWithACannedResponse names one's own canned response, another team's
// and one that was deleted.
func TestReplyWithACannedResponse(t *testing.T) {
	in := start(t)
	theirs, ours := in.populate(t, in.B), in.populate(t, in.A)
	reply := func(canned string) answer {
		return in.send(t, "POST", "/svc-api/v1/conversations/"+ours["conversations"]+"/reply", in.A.Key, `{"text":"Hello","cannedResponseId":"`+canned+`"}`)
	}
	if a := reply(ours["cannedResponses"]); a.StatusCode != http.StatusCreated && a.StatusCode != http.StatusOK || a.JSON(t)["usedCannedResponseId"] != ours["cannedResponses"] {
		t.Fatalf("our own: %s %s", a.Status, a.Body)
	}
	in.procedure(t, "cannedResponses.delete", in.session(t, in.A), `{"id":"`+ours["cannedResponses"]+`"}`)
	for what, id := range map[string]string{"another team's": theirs["cannedResponses"], "a deleted one": ours["cannedResponses"]} {
		if a := reply(id); a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(a.Body), `"/cannedResponseId"`) {
			t.Errorf("%s: %s %s", what, a.Status, a.Body)
		}
	}
}

// TestToolCallMakesOneDraft: an agent's call that is made again, as after a crash
// before its answer was stored, makes nothing more and answers the same.
func TestToolCallMakesOneDraft(t *testing.T) {
	in := start(t)
	team := in.A.TeamID
	ada := op.Caller{Kind: op.Agent, Credential: "agt_1", Team: team, Actor: api.Actor{Type: "agent", ID: "agt_1"}, Name: "Ada", Source: "agent", Scopes: op.PostsWrite | op.HelpdeskWrite}
	for name, path := range map[string]string{"posts.create": "/posts", "helpdesk.articles.create": "/helpdesk/articles"} {
		var made []string
		for _, key := range []string{"agent-1" + name, "agent-1" + name, "agent-2" + name} {
			id, err := in.RunTool(t.Context(), ada, name, key, []byte(`{"content":"<p>Text</p>","status":"DRAFT","title":"Hammers"}`))
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, id)
		}
		titles := strings.Count(string(in.send(t, "GET", "/svc-api/v1"+path+"?limit=100", in.A.Key, "").Body), `"title":"Hammers"`)
		if made[0] != made[1] || made[0] == made[2] || titles != 2 {
			t.Errorf("%s: %v, %d are there", name, made, titles)
		}
	}
}
