package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/sourcegraph/conc/pool"
	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
)

const (
	// maxMessage is what the daemon accepts as one message.
	maxMessage = 1 << 20
	// bridgeCalls is how many calls of a client run at a time.
	bridgeCalls = 8
	// rpcFailed and rpcParse are JSON-RPC's codes for "server error" and
	// "parse error".
	rpcFailed = -32000
	rpcParse  = -32700
)

func newMCPStdio(a *kit.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "stdio", Short: "Speak MCP on standard input and output, for desktop clients", Args: kit.Exactly(),
		Example: "  svcctl mcp stdio --read-only",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			b := &bridge{client: c, header: f.header(), out: a.IO.Out}
			return b.run(cmd.Context(), a.IO.In)
		},
	}
	f.add(cmd)
	return cmd
}

// bridge carries JSON-RPC messages, one a line, to the daemon and back.
type bridge struct {
	client *sdk.Client
	header http.Header

	mu      sync.Mutex // guards out and version
	out     io.Writer
	version string // the revision that initialize agreed on
}

// rpcMessage is the part of a message that the bridge reads.
type rpcMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name string                     `json:"name"`
		URI  string                     `json:"uri"`
		Meta map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
}

func (b *bridge) run(ctx context.Context, in io.Reader) error {
	calls := pool.New().WithMaxGoroutines(bridgeCalls)
	defer calls.Wait()
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessage)
	for lines.Scan() {
		line := append([]byte(nil), lines.Bytes()...)
		if len(line) == 0 {
			continue
		}
		var m rpcMessage
		if err := json.Unmarshal(line, &m); err != nil {
			b.fail(json.RawMessage("null"), rpcParse, "the message is not JSON-RPC: "+err.Error())
			continue
		}
		if m.Method == "initialize" {
			b.forward(ctx, m, line) // the others depend on its outcome
			continue
		}
		calls.Go(func() { b.forward(ctx, m, line) })
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return kit.Usage("a message is larger than %d MiB", maxMessage>>20)
	}
	return lines.Err()
}

func (b *bridge) forward(ctx context.Context, m rpcMessage, line []byte) {
	resp, err := b.client.Raw(ctx, http.MethodPost, mcpPath, b.headers(m), line)
	if err == nil && len(m.ID) == 0 {
		return // a notification has no answer
	}
	if err == nil {
		body := rpcBody(resp)
		if isRPC(body) {
			b.learn(m, body)
			b.write(body)
			return
		}
		err = resp.Err()
	}
	if len(m.ID) == 0 {
		return
	}
	text := "the daemon's answer is not of the Model Context Protocol"
	if err != nil {
		f := kit.Explain(ctx, err)
		text = f.Message
		if f.Hint != "" {
			text += " (" + f.Hint + ")"
		}
	}
	b.fail(m.ID, rpcFailed, text)
}

// headers are those that revision 2026-07-28 asks for; earlier ones ignore
// them.
func (b *bridge) headers(m rpcMessage) http.Header {
	h := b.header.Clone()
	h.Set("Mcp-Method", m.Method)
	if name := m.Params.Name + m.Params.URI; name != "" {
		h.Set("Mcp-Name", name)
	}
	b.mu.Lock()
	version := b.version
	b.mu.Unlock()
	if own, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]; ok {
		_ = json.Unmarshal(own, &version) // no string: the daemon will refuse it
	}
	if version != "" && m.Method != "initialize" {
		h.Set("Mcp-Protocol-Version", version)
	}
	return h
}

func (b *bridge) learn(m rpcMessage, body []byte) {
	if m.Method != "initialize" {
		return
	}
	var answer struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"result"`
	}
	if json.Unmarshal(body, &answer) == nil {
		b.mu.Lock()
		b.version = answer.Result.ProtocolVersion
		b.mu.Unlock()
	}
}

func isRPC(body []byte) bool {
	var m struct {
		Version string `json:"jsonrpc"`
	}
	return json.Unmarshal(body, &m) == nil && m.Version == "2.0"
}

func (b *bridge) fail(id json.RawMessage, code int, text string) {
	body, err := output.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return
	}
	b.write(body)
}

// write puts a message on one line. A client that is gone closes standard
// input too, which ends the bridge.
func (b *bridge) write(body []byte) {
	var line json.RawMessage = body
	compact, err := output.Encode(line)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.out.Write(append(compact, '\n'))
}
