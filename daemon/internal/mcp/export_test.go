package mcp

import mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

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
