package op

import (
	"net/http"

	"edgesvc.dev/svc/sdk/api"
)

// Credential is the kind of proof that a caller gave.
type Credential int

// The kinds. A key never serves where a session is asked for, and the reverse.
const (
	Anonymous Credential = iota
	Key
	Session
	System // the daemon itself: jobs, schedules
	Agent  // a team's AI agent, which strangers talk to: its scopes and limits count
)

// Caller is who calls: everything an operation may know of its request. The
// team comes from the credential and from nowhere else.
type Caller struct {
	Kind       Credential
	Credential string // id of the key or session
	Team       string
	Actor      api.Actor
	Name       string // for people: the key's or member's name
	Scopes     Scope
	Role       Role
	ExpiresAt  api.Time

	Source    string // provenance of what it makes: api, mcp, dashboard, cli, agent
	Address   string // of the client
	UserAgent string
	RequestID string

	limits *Limiter // nil before Table.Call
	due    *due     // nil for nothing
	charge charge
}

// Spend takes one further request of a class from the caller's limit, for
// operations whose input decides what they cost. It refuses with rate_limited.
func (c *Caller) Spend(class Class) error {
	if c.limits == nil {
		return nil
	}
	_, err := c.limits.Take(c, class)
	return err
}

// Require refuses unless the caller has all of scope. Rows state the scope that
// is always needed; operations ask for those that depend on the input.
func (c *Caller) Require(scope Scope) error {
	missing := scope &^ c.Scopes
	if missing == 0 {
		return nil
	}
	e := api.NewError(http.StatusForbidden, api.CodeInsufficientScope,
		"This needs the scope %s, which the credential does not have.", missing)
	e.RequiredScope = missing.String()
	return e
}

// admit checks the row's demands on the caller.
func (o *Op) admit(who *Caller) error {
	switch {
	case o.Open || who.Kind == System:
		return nil
	case o.Session > 0 && who.Kind != Session:
		return api.NewError(http.StatusUnauthorized, api.CodeSessionRequired,
			"This needs a signed-in member, not an API key. Sign in with svcctl login.")
	case who.Kind == Anonymous:
		return api.NewError(http.StatusUnauthorized, api.CodeMissingKey,
			"Send a team API key as Authorization: Bearer svc_….")
	case who.Role < o.Session:
		e := api.NewError(http.StatusForbidden, api.CodeRoleRequired, "This needs the role %s or above.", o.Session)
		return e
	}
	return who.Require(o.Scope)
}
