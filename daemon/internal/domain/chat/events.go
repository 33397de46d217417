package chat

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/sdk/api"
)

// What this package tells the event log.
var (
	conversationStarted   = event.Kind[api.Conversation]{Name: "conversation.started", Category: event.Audience, Doc: "A visitor began a conversation."}
	messageReceived       = event.Kind[api.Message]{Name: "conversation.message_received", Category: event.Audience, Doc: "A visitor wrote. The text is cut at 1,000 characters; the message has all of it."}
	messageSent           = event.Kind[api.Message]{Name: "conversation.message_sent", Category: event.Audience, Doc: "An agent or a member wrote to a visitor. The text is cut at 1,000 characters; the message has all of it."}
	conversationHandedOff = event.Kind[api.Conversation]{Name: "conversation.handed_off", Category: event.Audience, Doc: "A conversation waits for a person; handoffReason says why."}
	conversationAssigned  = event.Kind[api.Conversation]{Name: "conversation.assigned", Category: event.Audience, Doc: "A conversation got another assignee, or none."}
	conversationResolved  = event.Kind[api.Conversation]{Name: "conversation.resolved", Category: event.Audience, Doc: "A conversation was resolved."}
	conversationReopened  = event.Kind[api.Conversation]{Name: "conversation.reopened", Category: event.Audience, Doc: "A resolved or snoozed conversation is open again."}
	messageRated          = event.Kind[api.Message]{Name: "conversation.rated", Category: event.Audience, Doc: "A visitor or a member rated a conversation's answer."}
)

// Events are the types of event of this package, for the catalogue.
func Events() []event.Type {
	return event.Types(conversationStarted, messageReceived, messageSent, conversationHandedOff, conversationAssigned, conversationResolved, conversationReopened, messageRated)
}
