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
