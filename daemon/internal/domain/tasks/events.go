package tasks

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/sdk/api"
)

// What this package tells the event log.
var (
	taskCompleted = event.Kind[api.TaskRun]{Name: "agent.task_completed", Category: event.Audience, Doc: "A task's run that an automation or a chat asked for completed."}
	taskFailed    = event.Kind[api.TaskRun]{Name: "agent.task_failed", Category: event.Audience, Doc: "A task's run that an automation or a chat asked for failed."}
)

// Events are the types of event of this package, for the catalogue.
func Events() []event.Type {
	return event.Types(taskCompleted, taskFailed)
}
