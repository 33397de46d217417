package daemon_test

import (
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
)

// audited are inputs that succeed, of the operations whose acts are noted. What
// deletes comes last.
var audited = map[string]string{
	"agents.update":               `{"id":"{{agents}}","personality":"dry"}`,
	"agents.setTools":             `{"id":"{{agents}}","create_post":true}`,
	"agents.setRespondToChats":    `{"id":"{{agents}}","respondToChats":false}`,
	"agents.linkCannedResponses":  `{"id":"{{agents}}","cannedResponseIds":["{{cannedResponses}}"]}`,
	"agents.unlinkCannedResponse": `{"id":"{{agents}}","cannedResponseId":"{{cannedResponses}}"}`,
	"cannedResponses.create":      `{"shortcut":"second","title":"t","body":"b"}`,
	"tasks.create":                `{"agentId":"{{agents}}","kind":"api","name":"n","method":"GET","url":"https://example.com"}`,
}

// TestAuditOfOperations calls every operation whose act is noted, and finds it as
// the latest entry of the audit log with its object and its member.
func TestAuditOfOperations(t *testing.T) {
	in := start(t)
	ours := in.populate(t, in.A)
	session := in.session(t, in.A)
	rows := slices.DeleteFunc(slices.Clone(in.Table().Ops), func(o *op.Op) bool { return !o.Audit })
	slices.SortStableFunc(rows, func(a, b *op.Op) int { return rank(a) - rank(b) })
	for _, o := range rows {
		t.Run(o.Name, func(t *testing.T) {
			object := ours[objectOf(o.Name)]
			input, ok := audited[o.Name]
			if !ok {
				input = string(in.arguments(t, o, object, bodies[o.Name]))
			}
			input = placeholder.ReplaceAllStringFunc(input, func(m string) string { return ours[strings.Trim(m, "{}")] })
			a := in.procedure(t, o.Name, session, input)
			if a.StatusCode >= 300 {
				t.Fatalf("%s %s", a.Status, a.Body)
			}
			log := in.procedure(t, "team.auditLog", session, `{"limit":1}`).JSON(t)["data"].([]any)[0].(map[string]any)
			if log["action"] != o.Name || log["target"] == "" || log["actor"].(map[string]any)["type"] != "user" {
				t.Errorf("the latest entry is %v", log)
			}
			if o.Takes("id") && log["target"] != object {
				t.Errorf("the entry is about %v, not %s", log["target"], object)
			}
		})
	}
	if len(rows) < 15 {
		t.Errorf("only %d operations are noted", len(rows))
	}
}

// rank puts agents last: what belongs to one is gone with it.
func rank(o *op.Op) int {
	switch {
	case o.Name == "agents.delete":
		return 2
	case strings.HasSuffix(o.Name, ".delete"):
		return 1
	}
	return 0
}
