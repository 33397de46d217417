package daemon_test

import (
	"net/http"
	"strings"
	"testing"
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
