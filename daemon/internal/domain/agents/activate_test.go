package agents_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

func TestActivationNamesTheOneBefore(t *testing.T) {
	w := newWorld(t, llm.Config{})
	a, b := w.create(`"name":"Ada"`), w.create(`"name":"Bob"`)
	first := optest.Must[api.AgentActivated](w, "agents.activate", `{"id":"`+a.ID+`"}`)
	if !first.Agent.Active || first.Deactivated != nil || first.Agent.Version != 2 {
		t.Errorf("%+v", first)
	}
	second := optest.Must[api.AgentActivated](w, "agents.activate", `{"id":"`+b.ID+`"}`)
	if !second.Agent.Active || second.Deactivated == nil || *second.Deactivated != (api.AgentTag{ID: a.ID, Name: "Ada"}) {
		t.Errorf("%+v", second)
	}
	if again := optest.Must[api.AgentActivated](w, "agents.activate", `{"id":"`+b.ID+`"}`); again.Agent.Version != 2 || again.Deactivated != nil {
		t.Errorf("activated twice: %+v", again)
	}
	if got := optest.Must[api.Agent](w, "agents.get", `{"id":"`+a.ID+`"}`); got.Active || got.Version != 3 {
		t.Errorf("%+v", got)
	}
	optest.Must[api.Deleted](w, "agents.delete", `{"id":"`+b.ID+`"}`)
	w.wantActive("")
	optest.Must[api.AgentActivated](w, "agents.activate", `{"id":"`+a.ID+`"}`)
	w.wantActive(a.ID)
	optest.Must[api.Agent](w, "agents.deactivate", `{"id":"`+a.ID+`"}`)
	optest.Must[api.Agent](w, "agents.deactivate", `{"id":"`+a.ID+`"}`)
	w.wantActive("")
	want := []string{"agent.activated", "agent.deactivated", "agent.activated", "agent.deactivated", "agent.activated", "agent.deactivated"}
	if got := w.EventTypes(); !slices.Equal(got, want) {
		t.Errorf("events %v", got)
	}
}

// wantActive holds the store to an active agent, "" for none.
func (w *world) wantActive(id string) {
	w.T.Helper()
	var got string
	err := w.Store.View(w.T.Context(), func(tx kv.Tx) error {
		a, _, err := w.agents.Active(tx, "team_a")
		got = a.ID
		return err
	})
	if err != nil || got != id {
		w.T.Errorf("active is %q, %v; want %q", got, err, id)
	}
}

// Eight callers activate eight agents at once, a hundred times (abuse case T14).
func TestNeverTwoActive(t *testing.T) {
	w := newWorld(t, llm.Config{})
	var ids []string
	for i := range 8 {
		ids = append(ids, w.create(fmt.Sprintf(`"name":"Agent %d"`, i)).ID)
	}
	for round := range 100 {
		var wg conc.WaitGroup
		for _, id := range ids {
			wg.Go(func() {
				if _, refusal := optest.Call[api.AgentActivated](w, alice, "agents.activate", `{"id":"`+id+`"}`); refusal != nil {
					t.Errorf("round %d: %v", round, refusal)
				}
			})
			wg.Go(func() {
				page, refusal := optest.Call[api.Page[api.Agent]](w, alice, "agents.list", `{}`)
				if active := activeOf(page); refusal != nil || len(active) > 1 {
					t.Errorf("round %d: %v are active, %v", round, active, refusal)
				}
			})
		}
		wg.Wait()
		if active := activeOf(optest.Must[api.Page[api.Agent]](w, "agents.list", `{}`)); len(active) != 1 {
			t.Fatalf("round %d: %v are active", round, active)
		}
	}
}

func activeOf(page api.Page[api.Agent]) (active []string) {
	for _, a := range page.Data {
		if a.Active {
			active = append(active, a.ID)
		}
	}
	return active
}

// activation is one client call; its answer is the agent that was displaced for
// activate, and the active one for read.
type activation struct{ op, id string }

// activeModel says what calls may answer if they happened one at a time: the
// state is the id of the active agent.
var activeModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		active, in, out := state.(string), input.(activation), output.(string)
		switch {
		case in.op == "activate" && active == in.id:
			return out == "", active
		case in.op == "activate":
			return out == active, in.id
		case in.op == "deactivate" && active == in.id:
			return out == "", ""
		case in.op == "deactivate":
			return out == "", active
		}
		return out == active, active
	},
}

func TestActivationsAreLinearizable(t *testing.T) {
	w := newWorld(t, llm.Config{})
	if history := w.race(w.activation); !porcupine.CheckOperations(activeModel, history) {
		t.Errorf("%d calls have no order that explains their answers", len(history))
	}
}

// The check bites: a service that decides in one transaction and writes in
// another is found out.
func TestActivationInTwoStepsIsFoundOut(t *testing.T) {
	w := newWorld(t, llm.Config{})
	history := w.race(func(in activation) (string, error) {
		if in.op != "activate" {
			return w.activation(in)
		}
		before := activeOf(optest.Must[api.Page[api.Agent]](w, "agents.list", `{}`))
		for _, id := range before {
			if id != in.id {
				optest.Must[api.Agent](w, "agents.deactivate", `{"id":"`+id+`"}`)
			}
		}
		if _, err := w.activation(in); err != nil {
			return "", err
		}
		return strings.TrimPrefix(strings.Join(before, ""), in.id), nil
	})
	if porcupine.CheckOperations(activeModel, history) {
		t.Error("a service with two transactions passes for linearizable")
	}
}

// race lets clients activate, deactivate and read three agents and returns what
// they saw.
func (w *world) race(do func(activation) (string, error)) []porcupine.Operation {
	var ids []string
	for i := range 3 {
		ids = append(ids, w.create(fmt.Sprintf(`"name":"Agent %d"`, i)).ID)
	}
	start := time.Now()
	var mu sync.Mutex // guards history
	var history []porcupine.Operation
	var wg conc.WaitGroup
	for client := range 6 {
		wg.Go(func() {
			for range 25 {
				in := activation{op: []string{"activate", "activate", "deactivate", "read"}[rand.IntN(4)], id: ids[rand.IntN(3)]}
				one := porcupine.Operation{ClientId: client, Input: in, Call: int64(time.Since(start))}
				out, err := do(in)
				if err != nil {
					w.T.Errorf("%v: %v", in, err)
				}
				one.Output, one.Return = out, int64(time.Since(start))
				mu.Lock()
				history = append(history, one)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return history
}

func (w *world) activation(in activation) (string, error) {
	body := `{"id":"` + in.id + `"}`
	switch in.op {
	case "activate":
		out, refusal := optest.Call[api.AgentActivated](w, alice, "agents.activate", body)
		if refusal != nil {
			return "", refusal
		}
		if out.Deactivated == nil {
			return "", nil
		}
		return out.Deactivated.ID, nil
	case "deactivate":
		if _, refusal := optest.Call[api.Agent](w, alice, "agents.deactivate", body); refusal != nil {
			return "", refusal
		}
		return "", nil
	default:
		page, refusal := optest.Call[api.Page[api.Agent]](w, alice, "agents.list", `{}`)
		if refusal != nil {
			return "", refusal
		}
		return strings.Join(activeOf(page), " and "), nil
	}
}
