package op

import (
	"net/http"

	"edgesvc.dev/svc/sdk/api"
)

// CheckVersion refuses a change that was meant for another version than the
// current one. want 0 means any.
func CheckVersion(want, current int) error {
	if want == 0 || want == current {
		return nil
	}
	return api.NewError(http.StatusPreconditionFailed, api.CodeVersionConflict,
		"It was changed meanwhile: you have version %d, it is at version %d. Read it again.", want, current)
}
