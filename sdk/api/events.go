package api

import "encoding/json"

// Event is one change in the team's event log.
type Event struct {
	ID         string    `json:"id"`
	Type       string    `json:"type" doc:"Such as post.published; the event types are documented with their schemas."`
	Category   string    `json:"category" enum:"content,audience,commerce,operator"`
	Timestamp  Time      `json:"timestamp"`
	APIVersion string    `json:"apiVersion"`
	TeamID     string    `json:"teamId"`
	Actor      Actor     `json:"actor"`
	PersonID   string    `json:"personId,omitempty" doc:"The person whom the object is about."`
	Sequence   uint64    `json:"sequence" doc:"Counts the events of the team: each is one more than the one before."`
	Data       EventData `json:"data"`
}

// EventData is the changed object and the earlier values of what changed.
type EventData struct {
	Object   json.RawMessage `json:"object"`
	Previous json.RawMessage `json:"previous,omitempty"`
}

// EventQuery filters the log.
type EventQuery struct {
	PageQuery
	Type     string `json:"type,omitempty" maxLength:"100" doc:"A type, order.*, a category as @commerce, or *."`
	PersonID string `json:"personId,omitempty" maxLength:"64" doc:"Events about this person only."`
	Since    Time   `json:"since,omitzero"`
	Until    Time   `json:"until,omitzero"`
}

// AnyChange is the type of a Change after which anything may be different.
const AnyChange = "*"

// Change says that something changed, and not how it is now.
type Change struct {
	Type     string `json:"type" doc:"Type of the event, such as post.published; * when anything may have changed."`
	ID       string `json:"id,omitempty" doc:"Id of what changed."`
	Sequence uint64 `json:"sequence,omitempty" doc:"That of the event."`
}

// ChangeFeed follows what changes.
type ChangeFeed struct {
	LastEventID string `json:"lastEventId,omitempty" maxLength:"100" doc:"Takes no effect: each connection begins with *."`
}

// EventRef names an event.
type EventRef struct {
	ID string `json:"id" form:"id"`
}

// EventType describes one type of event.
type EventType struct {
	Type        string          `json:"type"`
	Category    string          `json:"category"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema of data.object."`
}

// EventTypeList is all event types.
type EventTypeList struct {
	Data []EventType `json:"data"`
}
