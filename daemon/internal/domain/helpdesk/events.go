package helpdesk

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/sdk/api"
)

// What this package tells the event log.
var (
	created     = event.Kind[api.Article]{Name: "article.created", Category: event.Content, Doc: "A help article was created."}
	updated     = event.Kind[api.Article]{Name: "article.updated", Category: event.Content, Doc: "Members of a help article changed; previous holds their earlier values."}
	published   = event.Kind[api.Article]{Name: "article.published", Category: event.Content, Doc: "A help article became public."}
	unpublished = event.Kind[api.Article]{Name: "article.unpublished", Category: event.Content, Doc: "A public help article became a draft again."}
	archived    = event.Kind[api.Article]{Name: "article.archived", Category: event.Content, Doc: "A help article was archived."}
	deleted     = event.Kind[api.Article]{Name: "article.deleted", Category: event.Content, Doc: "An archived help article was deleted for good; object is what it was."}
	gapDetected = event.Kind[api.Gap]{Name: "article.gap_detected", Category: event.Content, Doc: "A visitor asked what no article answers; further questions like it are only counted."}
)

// Events are the types of event of this package, for the catalogue.
func Events() []event.Type {
	return event.Types(created, updated, published, unpublished, archived, deleted, gapDetected)
}
