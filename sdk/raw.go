package sdk

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
)

// Raw calls a path of the daemon that this package has no method for, with the
// same credential, retries and limits. It returns an answer of any status;
// Response.Err tells a refusal. An empty body is none.
func (c *Client) Raw(ctx context.Context, method, path string, header http.Header, body []byte) (*Response, error) {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	h := header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if h.Get("Accept") == "" {
		h.Set("Accept", "application/json")
	}
	if len(body) > 0 && h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	if method != http.MethodGet && h.Get("Idempotency-Key") == "" {
		h.Set("Idempotency-Key", rand.Text())
	}
	// Only for a GET is it known that a second one is harmless.
	return c.t.send(ctx, request{method: method, path: path, header: h, body: body, replay: method == http.MethodGet})
}
