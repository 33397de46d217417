package daemon_test

import (
	"encoding/json"
	"testing"
)

// procedure calls a members' operation with body as its input. The answer's
// body is the value, or the problem, as REST would have it; what the protocol
// itself refuses has no problem, only a code.
func (in *instance) procedure(t testing.TB, name, credential, body string, headers ...string) answer {
	t.Helper()
	a := in.send(t, "POST", "/svc-api/trpc/"+name, credential, `{"json":`+body+`}`, headers...)
	var envelope struct {
		Result struct {
			Data struct{ JSON json.RawMessage }
		}
		Error struct {
			JSON struct{ Data json.RawMessage }
		}
	}
	if err := json.Unmarshal(a.Body, &envelope); err != nil {
		t.Fatalf("%s: %s %q: %v", name, a.Status, a.Body, err)
	}
	if a.Body = envelope.Result.Data.JSON; a.Body != nil {
		return a
	}
	a.Body = envelope.Error.JSON.Data
	var data struct{ Problem json.RawMessage }
	if err := json.Unmarshal(a.Body, &data); err == nil && data.Problem != nil {
		a.Body = data.Problem
	}
	return a
}
