package sites

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/sdk/api"
)

// What this package tells the event log.
var (
	siteCreated = event.Kind[api.Site]{Name: "site.created", Category: event.Audience, Doc: "A website was added that may carry the widget."}
	siteUpdated = event.Kind[api.Site]{Name: "site.updated", Category: event.Audience, Doc: "A site's settings, its allowed origins or its secret changed; previous holds the earlier values."}
	siteDeleted = event.Kind[api.Site]{Name: "site.deleted", Category: event.Audience, Doc: "A site was deleted; object is what it was."}
)

// Events are the types of event of this package, for the catalogue.
func Events() []event.Type { return event.Types(siteCreated, siteUpdated, siteDeleted) }
