package sdk_test

import (
	"errors"
	"fmt"
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// TestProtocolRefusals gives what is refused before there is an operation, and
// so has no problem, a code of the contract.
func TestProtocolRefusals(t *testing.T) {
	for _, c := range []struct {
		code   string
		status int
		want   api.Code
	}{
		{"NOT_FOUND", 404, api.CodeRouteNotFound},
		{"METHOD_NOT_SUPPORTED", 405, api.CodeMethodNotAllowed},
		{"PAYLOAD_TOO_LARGE", 413, api.CodePayloadTooLarge},
		{"UNSUPPORTED_MEDIA_TYPE", 415, api.CodeUnsupportedMediaType},
		{"BAD_REQUEST", 400, api.CodeInvalidRequest},
		{"TEAPOT", 418, sdk.CodeUnexpectedResponse},
	} {
		w := newWire(t, raw(c.status, "application/json",
			fmt.Sprintf(`{"error":{"json":{"message":"Not so.","code":-32004,"data":{"code":%q,"httpStatus":%d}}}}`, c.code, c.status)))
		_, err := sdk.New(w.URL, sdk.WithSession("sess_a")).Call(t.Context(), "posts.fly", nil)
		if e, ok := errors.AsType[*api.Error](err); !ok || e.Code != c.want || e.Status != c.status || e.Detail != "Not so." {
			t.Errorf("%s: %v", c.code, err)
		}
	}
}
