package mcp

import (
	"time"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// SetFixtures is how a test server adds what the conformance suites look for.
// Call it before the first request.
func (h *Handler) SetFixtures(f func(*mcpsdk.ServerOptions) func(*mcpsdk.Server)) { h.fixtures = f }

// MaxAnswer and MaxServers are the bounds that tests look at.
const (
	MaxAnswer  = maxAnswer
	MaxServers = maxServers
)

// Servers is how many servers are kept.
func (h *Handler) Servers() int {
	h.servers.mu.Lock()
	defer h.servers.mu.Unlock()
	return len(h.servers.built)
}

// SetBeat is how often progress is told of.
func (h *Handler) SetBeat(d time.Duration) { h.beat = d }

// Accepts reports whether body is a message that goes on to the library.
func Accepts(body []byte, revision string) bool {
	_, bad := readMessage(body, revision)
	return bad == nil
}

// Fit cuts an answer to its bound.
func Fit(body []byte) []byte { return fit(body, false) }
