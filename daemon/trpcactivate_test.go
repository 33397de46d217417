package daemon_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon"
)

// active is an agent of agents.list, or what agents.activate answers.
type active struct {
	ID          string
	Active      bool
	Deactivated *struct{ ID string }
	Data        []active
}

func (a *active) ids() string {
	var ids []string
	for _, one := range a.Data {
		if one.Active {
			ids = append(ids, one.ID)
		}
	}
	return strings.Join(ids, " and ")
}

// oneActive says what calls may answer if they happened one at a time after
// first was active. The input is the agent to activate, "" to look; the output
// the one displaced, or the one seen.
func oneActive(first string) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return first },
		Step: func(state, input, output any) (bool, any) {
			was, id, out := state.(string), input.(string), output.(string)
			switch id {
			case "":
				return out == was, was
			case was:
				return out == "", was
			}
			return out == was, id
		},
	}
}

// TestActivationsOfEightSessions lets eight members activate their agents at
// once over tRPC, a hundred times: never more than one agent is active, and the
// answers have an order that explains them (abuse case T14).
func TestActivationsOfEightSessions(t *testing.T) {
	in := start(t, func(c *daemon.Config) { c.Limits = append(c.Limits, "trpc=0") })
	owner := in.session(t, in.A)
	var tokens, agents []string
	for i := range 8 {
		_, token := in.member(t, owner, fmt.Sprintf("m%d", i), "editor")
		tokens = append(tokens, token)
		agents = append(agents, in.procedure(t, "agents.create", token, fmt.Sprintf(`{"name":"Agent %d"}`, i)).JSON(t)["id"].(string))
	}
	begun := time.Now()
	var mu sync.Mutex // guards history
	var history []porcupine.Operation
	call := func(client int, name, id string) string {
		body := `{"json":{}}`
		if id != "" {
			body = `{"json":{"id":"` + id + `"}}`
		}
		one := porcupine.Operation{ClientId: client, Input: id, Call: int64(time.Since(begun))}
		a := in.send(t, "POST", query(name), tokens[client%8], body)
		one.Return = int64(time.Since(begun))
		var answer struct {
			Result struct{ Data struct{ JSON active } }
		}
		if err := json.Unmarshal(a.Body, &answer); err != nil || a.StatusCode != 200 {
			t.Errorf("%s: %s %s", name, a.Status, a.Body)
		}
		got := answer.Result.Data.JSON
		out := got.ids()
		if got.Deactivated != nil {
			out = got.Deactivated.ID
		}
		one.Output = out
		mu.Lock()
		defer mu.Unlock()
		history = append(history, one)
		return out
	}
	first := call(8, "agents.list", "")
	for round := range 100 {
		var wg conc.WaitGroup
		for i, id := range agents {
			wg.Go(func() { call(i, "agents.activate", id) })
		}
		for reader := range 2 {
			wg.Go(func() { call(8+reader, "agents.list", "") })
		}
		wg.Wait()
		if now := call(8, "agents.list", ""); now == "" || strings.Contains(now, " and ") {
			t.Fatalf("round %d: %q is active", round, now)
		}
	}
	if result := porcupine.CheckOperationsTimeout(oneActive(first), history, time.Minute); result != porcupine.Ok {
		t.Errorf("%d calls have no order that explains their answers: %s", len(history), result)
	}
}
