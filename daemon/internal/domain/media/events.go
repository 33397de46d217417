package media

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/sdk/api"
)

// What this package tells the event log.
var (
	uploaded = event.Kind[api.Media]{Name: "media.uploaded", Category: event.Content, Doc: "A file was uploaded."}
)

// Events are the types of event of this package, for the catalogue.
func Events() []event.Type {
	return event.Types(uploaded)
}
