// Package access recognises callers: API keys, sessions and the passwords and
// links that start them, and what holds back who guesses at them. It turns a
// credential into the op.Caller that every operation acts for.
//
// It knows nothing of cookies and headers: those are the surfaces'. No key,
// password, session token or link is stored or logged; only what recognises them
// again is.
package access

import (
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Service is the credentials of one store. It is safe for concurrent use; its
// exported fields are set before first use only.
type Service struct {
	// BaseURL is where members reach the daemon; sign-in links begin with it.
	BaseURL string
	Now     func() time.Time
	// Passwords is the cost of passwords that are set from now on.
	Passwords Cost
	// Audit adds an act to the audit log of the caller's team, in the transaction
	// of the act.
	Audit func(tx kv.Tx, who *op.Caller, action, target string, more map[string]string) error

	store   kv.Store
	keys    *resource.Collection[key]
	secrets *memo[secret]
	entered *memo[signedIn]
	guesses *failures // wrong keys and tokens
	logins  *failures // wrong passwords and links
	hashing chan struct{}
	notes   notes
}

// New returns the credentials kept in store.
func New(store kv.Store) *Service {
	s := &Service{
		Now: time.Now, Passwords: DefaultCost, store: store, secrets: newMemo[secret](store, secrets.Name()),
		entered: newMemo[signedIn](store, tokens.Name(), sessions.Name(), roster.Members.Name()),
		guesses: newFailures(), logins: newFailures(),
		hashing: make(chan struct{}, hashesAtOnce),
		notes:   notes{uses: map[string]*use{}, told: map[string]int{}},
	}
	s.keys = s.collection()
	return s
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

// detail says more about an act in the audit log. It holds no secret.
type detail = map[string]string
