package mcp_test

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Fixtures of the multi-round-trip requests of revision 2026-07-28 (SEP-2322):
// a tool answers with what it wants to be asked of the person or the model, and
// is called again with the answers.
func roundTripFixtures() map[string]mcpsdk.ToolHandler {
	const prefix = "test_input_required_result_"
	ask := func(names ...string) mcpsdk.InputRequestMap {
		all := mcpsdk.InputRequestMap{
			"user_name":        form("name"),
			"user_context":     form("context"),
			"confirm":          form("ok"),
			"step1":            form("name"),
			"step2":            form("color"),
			"capital_question": question("What is the capital of France?"),
			"greeting":         question("Generate a greeting"),
			"client_roots":     &mcpsdk.ListRootsParams{},
		}
		out := mcpsdk.InputRequestMap{}
		for _, name := range names {
			out[name] = all[name]
		}
		return out
	}
	return map[string]mcpsdk.ToolHandler{
		prefix + "elicitation":     asked(ask("user_name"), "", ""),
		prefix + "sampling":        asked(ask("capital_question"), "", ""),
		prefix + "list_roots":      asked(ask("client_roots"), "", ""),
		prefix + "request_state":   asked(ask("confirm"), "", "state-1"),
		prefix + "tampered_state":  asked(ask("confirm"), "", "state-1"),
		prefix + "multiple_inputs": asked(ask("user_name", "greeting", "client_roots"), "", "state-1"),
		prefix + "multi_round": func(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
			switch r.Params.RequestState {
			case "":
				return asked(ask("step1"), "", "round-1")(ctx, r)
			case "round-1":
				return asked(ask("step2"), "round-1", "round-2")(ctx, r)
			}
			return said("both rounds done")(ctx, r)
		},
		prefix + "capabilities": func(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
			var names []string
			if c := r.ClientCapabilities(); c != nil && c.Elicitation != nil {
				names = append(names, "user_name")
			}
			if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
				names = append(names, "greeting")
			}
			if len(names) == 0 {
				return said("nothing to ask")(ctx, r)
			}
			return asked(ask(names...), "", "")(ctx, r)
		},
	}
}

// asked asks until every answer is there and the state is the one given out.
func asked(requests mcpsdk.InputRequestMap, before, state string) mcpsdk.ToolHandler {
	return func(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
		if s := r.Params.RequestState; s != state && s != before {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not the one given out"}
		}
		for name := range requests {
			if !answered(r.Params.InputResponses[name]) {
				return &mcpsdk.CallToolResult{InputRequests: requests, RequestState: state}, nil
			}
		}
		b, err := json.Marshal(r.Params.InputResponses)
		if err != nil {
			return failed(err)
		}
		return said("state-ok: "+strings.TrimSpace(string(b)))(ctx, r)
	}
}

func answered(v any) bool {
	switch v := v.(type) {
	case *mcpsdk.ElicitResult:
		return v.Action == "accept" && v.Content != nil
	case nil:
		return false
	}
	return true
}

func form(member string) *mcpsdk.ElicitParams {
	return &mcpsdk.ElicitParams{Message: "What is your " + member + "?", RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{member: map[string]any{"type": "string"}}, "required": []string{member},
	}}
}

func question(text string) *mcpsdk.CreateMessageParams {
	return &mcpsdk.CreateMessageParams{MaxTokens: 100, Messages: []*mcpsdk.SamplingMessage{{Role: "user", Content: &mcpsdk.TextContent{Text: text}}}}
}

func askedPrompt(ctx context.Context, r *mcpsdk.GetPromptRequest) (*mcpsdk.GetPromptResult, error) {
	if !answered(r.Params.InputResponses["user_context"]) {
		return &mcpsdk.GetPromptResult{InputRequests: mcpsdk.InputRequestMap{"user_context": form("context")}}, nil
	}
	return saidPrompt(&mcpsdk.TextContent{Text: "with context"})(ctx, r)
}

func missingCapability(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
	if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
		return said("sampling is declared")(ctx, r)
	}
	data, err := json.Marshal(mcpsdk.MissingRequiredClientCapabilityData{
		RequiredCapabilities: &mcpsdk.ClientCapabilities{Sampling: &mcpsdk.SamplingCapabilities{}},
	})
	if err != nil {
		return failed(err)
	}
	return nil, &jsonrpc.Error{Code: mcpsdk.CodeMissingRequiredClientCapabilities, Message: "sampling is not declared", Data: data}
}
