package agents

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/sdk/api"
)

// What this package tells the event log.
var (
	activated   = event.Kind[api.Agent]{Name: "agent.activated", Category: event.Audience, Doc: "An agent began to answer on the widget."}
	deactivated = event.Kind[api.Agent]{Name: "agent.deactivated", Category: event.Audience, Doc: "An agent ceased to answer on the widget."}
)

// Events are the types of event of this package, for the catalogue.
func Events() []event.Type {
	return event.Types(activated, deactivated)
}
