package op

import (
	"slices"

	"edgesvc.dev/svc/sdk/api"
)

// Refusals are all codes with which the operation refuses on any surface: what
// follows from the row, and what its domain says. A surface adds what can be
// wrong with its own requests.
func (o *Op) Refusals() []api.Code {
	codes := slices.Concat(o.Refuses, []api.Code{api.CodeInvalidRequest, api.CodeRateLimited, api.CodeOverloaded})
	if o.Scope != 0 {
		codes = append(codes, api.CodeInsufficientScope)
	}
	if len(o.PathParams()) > 0 || o.Takes("id") {
		codes = append(codes, api.CodeNotFound)
	}
	if o.Takes("ifMatch") {
		codes = append(codes, api.CodeVersionConflict)
	}
	if o.Takes("cursor") {
		codes = append(codes, api.CodeInvalidCursor)
	}
	if !o.ReadOnly() {
		codes = append(codes, api.CodeStorageFull)
	}
	if o.KeepsAnswer() {
		codes = append(codes, api.CodeInvalidParameter, api.CodeIdempotencyKeyReused)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// KeepsAnswer reports whether an Idempotency-Key has the answer kept. One that
// holds a secret is not, nor is what recognises an input with one.
func (o *Op) KeepsAnswer() bool { return !o.ReadOnly() && !o.secret }
