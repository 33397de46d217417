package agents

import (
	"errors"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Quotas of one team.
const (
	maxAgents = 20
	maxCanned = 500
)

// agents has one key per team for the agent that is active: two cannot hold it,
// and every transaction that activates or deactivates writes it.
var agents = kv.NewTable("agent",
	kv.Index[api.Agent]{Name: "c", Keys: func(_ *api.Agent, add func([]byte)) { add(nil) }},
	kv.Index[api.Agent]{Name: "active", Unique: true, Keys: func(v *api.Agent, add func([]byte)) {
		if v.Active {
			add(nil)
		}
	}},
)

var canned = kv.NewTable("canned response",
	kv.Index[api.CannedResponse]{Name: "c", Keys: func(_ *api.CannedResponse, add func([]byte)) { add(nil) }},
	kv.Index[api.CannedResponse]{Name: "shortcut", Unique: true, Keys: func(v *api.CannedResponse, add func([]byte)) {
		add(kv.Key(v.Shortcut))
	}},
)

// counters count each agent's work, under the agent's id: apart from the agent,
// whose version an answer does not change.
var counters = kv.NewTable[counter]("agent counter")

// Tables are the tables of this package, for the store's checker.
func Tables() []kv.Checker { return []kv.Checker{agents, canned, counters, toolUses} }

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}

// everyAgent reads the agents of a team, newest first; the quota bounds them.
func everyAgent(tx kv.Tx, team string) ([]*api.Agent, error) {
	res, err := agents.List(tx, team, kv.Page[api.Agent]{Index: "c", Limit: maxAgents, Skip: op.Unreadable})
	if err != nil {
		return nil, err
	}
	return res.Records, nil
}
