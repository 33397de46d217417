// Package sdk is the Go client of svc.
//
// A Client speaks the REST API with a team key (svc_…); a Dashboard speaks the
// operations of a signed-in member (keys, members, sessions). Both send each
// call down one path that retries, carries one idempotency key per write and
// turns every refusal into an *api.Error. It imports the standard library and
// sdk/api only, and knows nothing about terminals, files or configuration.
//
// Clients are safe for concurrent use. They never follow redirects and refuse
// to send a credential over plain HTTP to another machine (see WithInsecure).
package sdk
