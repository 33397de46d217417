// Package mcp is svcctl mcp: the tools that the daemon offers AI clients.
package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

const (
	mcpPath = "/svc-api/mcp"
	// mcpVersion is the protocol revision of svcctl's own calls.
	mcpVersion = "2025-11-25"
)

// flags choose which tools the daemon offers.
type flags struct {
	tools    string
	readOnly bool
}

func (f *flags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tools, "tools", "", "toolsets to offer, such as posts,jobs, or all")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "offer only tools that change nothing")
}

func (f *flags) header() http.Header {
	h := http.Header{"Accept": {"application/json, text/event-stream"}}
	if f.tools != "" {
		h.Set("X-MCP-Toolsets", f.tools)
	}
	if f.readOnly {
		h.Set("X-MCP-Readonly", "true")
	}
	return h
}

// New is the command mcp.
func New(a *kit.App) *cobra.Command {
	return kit.Group("mcp", "Tools for AI clients (Model Context Protocol)", nil, newMCPStdio(a), newMCPInstall(a), newMCPTools(a), newMCPCall(a))
}

// rpcAnswer is a JSON-RPC response.
type rpcAnswer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// ask makes one call of the protocol.
func (f *flags) ask(ctx context.Context, c *sdk.Client, method string, params any, out any) error {
	body, err := output.Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	h := f.header()
	h.Set("Mcp-Protocol-Version", mcpVersion)
	resp, err := c.Raw(ctx, http.MethodPost, mcpPath, h, body)
	if err != nil {
		return err
	}
	var answer rpcAnswer
	if err := json.Unmarshal(rpcBody(resp), &answer); err != nil || answer.Result == nil && answer.Error == nil {
		if err := resp.Err(); err != nil {
			return err
		}
		return &kit.Failure{Exit: kit.ExitOther, Code: "unexpected_response", Message: "the answer is not of the Model Context Protocol", Hint: "svcctl doctor"}
	}
	if answer.Error != nil {
		return &kit.Failure{Exit: kit.ExitOther, Code: strconv.Itoa(answer.Error.Code), Message: answer.Error.Message, Hint: "svcctl mcp tools"}
	}
	return json.Unmarshal(answer.Result, out)
}

// rpcBody is the message in an answer: the body, or the data of its only
// server-sent event.
func rpcBody(resp *sdk.Response) []byte {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.Body
	}
	var data []byte
	for line := range strings.Lines(string(resp.Body)) {
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			data = []byte(strings.TrimSpace(text))
		}
	}
	return data
}

// tool is what tools/list says of a tool.
type tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

var toolView = output.View[tool]{
	ID: func(t *tool) string { return t.Name },
	Columns: []output.Column[tool]{
		{Name: "name", Value: func(t *tool) string { return t.Name }},
		{Name: "description", Value: func(t *tool) string { return t.Description }, Flex: true},
	},
}

func newMCPTools(a *kit.App) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "tools", Short: "List the tools that your key may use", Args: kit.Exactly(),
		Example: "  svcctl mcp tools",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			tools, err := f.list(cmd.Context(), c)
			if err != nil {
				return err
			}
			return kit.ShowList(a, kit.ListFlags{All: true}, toolView, kit.List(tools))
		},
	}
	f.add(cmd)
	return cmd
}

// list returns the tools that the key may use.
func (f *flags) list(ctx context.Context, c *sdk.Client) (tools []tool, err error) {
	for cursor := ""; ; {
		var page struct {
			Tools      []tool `json:"tools"`
			NextCursor string `json:"nextCursor"`
		}
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		if err := f.ask(ctx, c, "tools/list", params, &page); err != nil {
			return nil, err
		}
		tools = append(tools, page.Tools...)
		if page.NextCursor == "" || page.NextCursor == cursor {
			return tools, nil
		}
		cursor = page.NextCursor
	}
}

// Tools are the names of the tools, for completion.
func Tools(ctx context.Context, a *kit.App) ([]string, error) {
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	tools, err := (&flags{tools: "all"}).list(ctx, c)
	var names []string
	for i := range tools {
		names = append(names, tools[i].Name)
	}
	return names, err
}

type call struct {
	app   *kit.App
	flags flags
	args  string
}

func newMCPCall(a *kit.App) *cobra.Command {
	o := &call{app: a}
	cmd := &cobra.Command{
		Use: "call NAME", Short: "Call a tool and print its result", Args: kit.Exactly("the tool's name"),
		Example: "  svcctl mcp call list_posts --args '{\"limit\":5}'",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&o.args, "args", "{}", "the tool's input as JSON, or @file")
	o.flags.add(cmd)
	return cmd
}

func (o *call) run(ctx context.Context, name string) error {
	args, err := o.app.Text(o.args)
	if err != nil {
		return err
	}
	if !json.Valid([]byte(args)) {
		return kit.Usage("--args must be JSON")
	}
	c, err := o.app.Client()
	if err != nil {
		return err
	}
	var result struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	params := map[string]any{"name": name, "arguments": json.RawMessage(args)}
	if err := o.flags.ask(ctx, c, "tools/call", params, &result); err != nil {
		return err
	}
	var texts []string
	for _, part := range result.Content {
		texts = append(texts, part.Text)
	}
	text := strings.Join(texts, "\n")
	if result.IsError {
		return toolFailure(text)
	}
	p, err := o.app.Printer()
	if err != nil {
		return err
	}
	if result.Structured != nil {
		if !p.Structured() {
			p.Format = "json"
		}
		return p.Value(result.Structured)
	}
	return o.app.PrintText(text + "\n")
}

// toolFailure reads the error that a tool of svc answers with; another text is
// told as it is.
func toolFailure(text string) *kit.Failure {
	var said struct {
		Code      api.Code         `json:"code"`
		Message   string           `json:"message"`
		Hint      string           `json:"hint"`
		Errors    []api.FieldError `json:"errors"`
		RequestID string           `json:"requestId"`
	}
	if json.Unmarshal([]byte(text), &said) != nil || said.Message == "" {
		return &kit.Failure{Exit: kit.ExitOther, Code: "tool_failed", Message: text, Hint: "svcctl mcp tools --json"}
	}
	f := &kit.Failure{Exit: kit.ExitOther, Code: string(said.Code), Message: said.Message, Hint: said.Hint, Fields: said.Errors, RequestID: said.RequestID}
	switch said.Code {
	case api.CodeValidationFailed, api.CodeUnknownField, api.CodeInvalidParameter, api.CodeUnknownModel, api.CodeNoGenerationFlags:
		f.Exit = kit.ExitInvalid
	case api.CodeSlugTaken, api.CodeVersionConflict, api.CodeInvalidTransition:
		f.Exit = kit.ExitConflict
	case api.CodeNotFound:
		f.Exit = kit.ExitNotFound
	case api.CodeInsufficientScope:
		f.Exit = kit.ExitAuth
	case api.CodeRateLimited:
		f.Exit = kit.ExitRateLimited
	}
	return f
}
