package event

import (
	"reflect"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// The categories that types belong to.
const (
	Content  = "content"
	Audience = "audience"
	Commerce = "commerce"
)

// eventType is one row of the table of types: only what is emitted is in it.
type eventType struct {
	name, category, description string
	object                      reflect.Type
}

var (
	post  = reflect.TypeFor[api.Post]()
	job   = reflect.TypeFor[api.Job]()
	media = reflect.TypeFor[api.Media]()

	article      = reflect.TypeFor[api.Article]()
	gap          = reflect.TypeFor[api.Gap]()
	conversation = reflect.TypeFor[api.Conversation]()
	message      = reflect.TypeFor[api.Message]()
	agent        = reflect.TypeFor[api.Agent]()
	run          = reflect.TypeFor[api.TaskRun]()
)

var types = []eventType{
	{"post.created", Content, "A post was created, directly or as the shell of a generation job.", post},
	{"post.updated", Content, "Members of a post changed; previous holds their earlier values.", post},
	{"post.published", Content, "A post became public.", post},
	{"post.unpublished", Content, "A public post became a draft again.", post},
	{"post.scheduled", Content, "A draft got a time at which it publishes by itself, or lost it.", post},
	{"post.archived", Content, "A post was archived.", post},
	{"post.restored", Content, "An archived post became a draft, or an earlier revision became current.", post},
	{"post.deleted", Content, "An archived post was deleted for good; object is what it was.", post},
	{"post.generation_started", Content, "A job began to generate parts of a post.", job},
	{"post.generation_completed", Content, "A generation job ended; some steps may carry warnings.", job},
	{"post.generation_failed", Content, "A generation job failed.", job},
	{"post.image_generated", Content, "A featured image was generated for a post.", post},
	{"media.uploaded", Content, "A file was uploaded.", media},
	{"article.created", Content, "A help article was created.", article},
	{"article.updated", Content, "Members of a help article changed; previous holds their earlier values.", article},
	{"article.published", Content, "A help article became public.", article},
	{"article.unpublished", Content, "A public help article became a draft again.", article},
	{"article.archived", Content, "A help article was archived.", article},
	{"article.deleted", Content, "An archived help article was deleted for good; object is what it was.", article},
	{"article.gap_detected", Content, "A visitor asked what no article answers; further questions like it only count.", gap},
	{"conversation.started", Audience, "A visitor began a conversation.", conversation},
	{"conversation.message_received", Audience, "A visitor wrote.", message},
	{"conversation.message_sent", Audience, "An agent or a member wrote to a visitor.", message},
	{"conversation.handed_off", Audience, "A conversation waits for a person; handoffReason says why.", conversation},
	{"conversation.assigned", Audience, "A conversation got another assignee, or none.", conversation},
	{"conversation.resolved", Audience, "A conversation was resolved.", conversation},
	{"conversation.reopened", Audience, "A resolved or snoozed conversation is open again.", conversation},
	{"conversation.rated", Audience, "A visitor or a member rated a conversation's answer.", message},
	{"agent.activated", Audience, "An agent began to answer on the widget.", agent},
	{"agent.deactivated", Audience, "An agent ceased to answer on the widget.", agent},
	{"agent.task_completed", Audience, "A task's run that an automation or a chat asked for completed.", run},
	{"agent.task_failed", Audience, "A task's run that an automation or a chat asked for failed.", run},
}

// row finds a type; ok is false when it is not in the table.
func row(name string) (t eventType, ok bool) {
	for _, t := range types {
		if t.name == name {
			return t, true
		}
	}
	return t, false
}

// category is that of a type, "" when the type is not emitted any more.
func category(name string) string {
	t, _ := row(name)
	return t.category
}

// Match reports whether a type is meant by pattern: a type, "order.*" or a
// category as "@commerce".
func Match(pattern, name string) bool {
	if c, ok := strings.CutPrefix(pattern, "@"); ok {
		return category(name) == c
	}
	if noun, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasSuffix(noun, ".") {
		return strings.HasPrefix(name, noun)
	}
	return pattern == name
}

// Known reports whether any type is meant by pattern.
func Known(pattern string) bool {
	for _, t := range types {
		if Match(pattern, t.name) {
			return true
		}
	}
	return false
}
