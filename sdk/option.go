package sdk

import (
	"net/http"
	"time"
)

// DefaultURL is where svcd listens unless it is told otherwise.
const DefaultURL = "http://127.0.0.1:8080"

// Option configures a Client.
type Option func(*transport)

// WithAPIKey sets the team key, svc_….
func WithAPIKey(key string) Option {
	return func(t *transport) { t.credential, t.member = newSecret(key), false }
}

// WithSession sets the token of a member's session, sess_…; see Login.
func WithSession(token string) Option {
	return func(t *transport) { t.credential, t.member = newSecret(token), true }
}

// WithHTTPClient sends requests through a copy of c. Its CheckRedirect is
// replaced: the API has no redirects, and following one could carry the
// credential elsewhere.
func WithHTTPClient(c *http.Client) Option {
	return func(t *transport) { t.http = *c }
}

// WithUserAgent names the program in front of the SDK's own name.
func WithUserAgent(name string) Option {
	return func(t *transport) { t.userAgent = name + " " + userAgent }
}

// WithRetries sets how many times a call is sent again after a connection
// error or an answer of 429, 502, 503 or 504; 3 unless set, 0 for never.
func WithRetries(n int) Option {
	return func(t *transport) { t.retries = n }
}

// WithPause hears how long a call waits before it is sent again, and the status
// that it waits for: 0 where the connection broke.
func WithPause(hear func(wait time.Duration, status int)) Option {
	return func(t *transport) { t.paused = hear }
}

// WithTimeout limits one attempt of a call, from the connection to the last
// byte of the answer; a minute unless set. Watch is not limited by it.
func WithTimeout(d time.Duration) Option {
	return func(t *transport) { t.timeout = d }
}

// WithInsecure allows plain HTTP to a host that is not loopback: the
// credential and all content then cross the network readable.
func WithInsecure() Option {
	return func(t *transport) { t.insecure = true }
}

// CallOption changes one call.
type CallOption func(*call)

// IdempotencyKey replaces the random key of a write. The daemon keeps a key
// for 24 hours: the same key and input is answered again without effect.
func IdempotencyKey(key string) CallOption {
	return func(c *call) { c.header.Set("Idempotency-Key", key) }
}

// Header adds a request header.
func Header(name, value string) CallOption {
	return func(c *call) { c.header.Set(name, value) }
}

// Meta is what an answer says beside its body.
type Meta struct {
	Status    int
	RequestID string
	ETag      string
	Replayed  bool // the answer to an earlier call with the same idempotency key
	Header    http.Header
}

// WithMeta fills m from the answer, a refusal's too.
func WithMeta(m *Meta) CallOption {
	return func(c *call) { c.meta = m }
}
