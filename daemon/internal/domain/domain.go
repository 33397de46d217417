// Package domain is the form in which the daemon joins a domain. The domains are
// the folders below it, and know nothing of each other.
package domain

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
)

// Schema is what a domain keeps and tells, known without a store.
type Schema struct {
	Tables []kv.Checker // for the store's checker
	Events []event.Type // for the catalogue
}

// Part is a domain at work over a store. A nil function is nothing to do.
type Part struct {
	Name    string // in the log
	Ops     []op.Op
	Streams []op.Stream
	Run     func(ctx context.Context) error // works until ctx ends
	Reclaim func(ctx context.Context) error // takes over what an earlier process left undone
	Sweep   func(ctx context.Context) error // removes what expired
}
