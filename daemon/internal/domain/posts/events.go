package posts

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/sdk/api"
)

// What this package tells the event log.
var (
	created             = event.Kind[api.Post]{Name: "post.created", Category: event.Content, Doc: "A post was created, directly or as the shell of a generation job."}
	updated             = event.Kind[api.Post]{Name: "post.updated", Category: event.Content, Doc: "Members of a post changed; previous holds their earlier values."}
	published           = event.Kind[api.Post]{Name: "post.published", Category: event.Content, Doc: "A post became public."}
	unpublished         = event.Kind[api.Post]{Name: "post.unpublished", Category: event.Content, Doc: "A public post became a draft again."}
	scheduled           = event.Kind[api.Post]{Name: "post.scheduled", Category: event.Content, Doc: "A draft was scheduled or unscheduled."}
	archived            = event.Kind[api.Post]{Name: "post.archived", Category: event.Content, Doc: "A post was archived."}
	restored            = event.Kind[api.Post]{Name: "post.restored", Category: event.Content, Doc: "An archived post became a draft, or an earlier revision became current."}
	deleted             = event.Kind[api.Post]{Name: "post.deleted", Category: event.Content, Doc: "A draft or an archived post was deleted for good; object is what it was."}
	generationStarted   = event.Kind[api.Post]{Name: "post.generation_started", Category: event.Content, Doc: "A job began to generate parts of a post; generation names it."}
	generationCompleted = event.Kind[api.Post]{Name: "post.generation_completed", Category: event.Content, Doc: "A generation job ended; some steps may carry warnings."}
	generationFailed    = event.Kind[api.Post]{Name: "post.generation_failed", Category: event.Content, Doc: "A generation job failed."}
	imageGenerated      = event.Kind[api.Post]{Name: "post.image_generated", Category: event.Content, Doc: "A featured image was generated for a post."}
)

// Events are the types of event of this package, for the catalogue.
func Events() []event.Type {
	return event.Types(created, updated, published, unpublished, scheduled, archived, restored, deleted, generationStarted, generationCompleted, generationFailed, imageGenerated)
}
