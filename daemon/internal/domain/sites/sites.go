// Package sites is the websites that carry the widget: where it may run, how it
// looks, and who a site says that its visitors are.
package sites

import (
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/kv"
)

// Service is the sites of one store. It is safe for concurrent use; its exported
// fields are set before first use only.
type Service struct {
	// BaseURL is where pages load the widget from.
	BaseURL string
	Now     func() time.Time
	// Audit adds an act to the audit log of the caller's team, in the transaction
	// of the act.
	Audit func(tx kv.Tx, who *op.Caller, action, target string, more map[string]string) error

	store kv.Store
	log   *event.Log
	seal  Sealer
	sites *resource.Collection[site]
}

// New returns the sites kept in store. Their events go to log; box keeps their
// secrets, which are needed in the clear to verify what sites have signed.
func New(store kv.Store, log *event.Log, box Sealer) *Service {
	s := &Service{Now: time.Now, store: store, log: log, seal: box}
	s.sites = s.collection()
	return s
}

// detail says more about an act in the audit log. It holds no secret.
type detail = map[string]string
