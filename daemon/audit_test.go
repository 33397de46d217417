package daemon_test

import (
	"net/http"
	"slices"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
)

// TestAuditOfOperations calls every operation whose act is noted, and finds it as
// the latest entry of the audit log with its object and its member.
func TestAuditOfOperations(t *testing.T) {
	in := start(t)
	m := &matrix{in: in}
	rows := slices.DeleteFunc(slices.Clone(in.Table().Ops), func(o *op.Op) bool { return !o.Audit })
	for _, o := range rows {
		t.Run(o.Name, func(t *testing.T) {
			found, ok := m.reach(t, o)
			if !ok {
				return
			}
			ask := func() (object, session string, a answer) {
				object, session = m.spares[found.noun], in.session(t, m.spare)
				body, _ := found.inputs[len(found.inputs)-1].with(object, m.other(m.spares))
				return object, session, in.procedure(t, o.Name, session, body)
			}
			object, session, a := ask()
			if a.StatusCode == http.StatusNotFound { // it has deleted the object when it was reached
				m.renew(t)
				object, session, a = ask()
			}
			if a.StatusCode >= 300 {
				t.Fatalf("%s %s", a.Status, a.Body)
			}
			log := in.procedure(t, "team.auditLog", session, `{"limit":1}`).JSON(t)["data"].([]any)[0].(map[string]any)
			if log["action"] != o.Name || log["target"] == "" || log["actor"].(map[string]any)["type"] != "user" {
				t.Errorf("the latest entry is %v", log)
			}
			if found.noun != "" && log["target"] != object {
				t.Errorf("the entry is about %v, not %s", log["target"], object)
			}
		})
	}
	if len(rows) < 15 {
		t.Errorf("only %d operations are noted", len(rows))
	}
}
