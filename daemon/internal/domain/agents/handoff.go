package agents

import (
	"encoding/json"
	"slices"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/sdk/api"
)

// toolHandOff is the tool that every agent has: to leave the visitor to a
// person.
const toolHandOff = llm.ToolHandOff

// reasons are those that a model may give. To ask back is none: a question is an
// answer like any other.
var reasons = []string{
	api.HandoffRequested, api.HandoffUnknown, api.HandoffUnsupported, api.HandoffPolicy, api.HandoffToolFailure,
}

func handOffTool() llm.Tool {
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"reason"}, "additionalProperties": false,
		"properties": map[string]any{"reason": map[string]any{"type": "string", "enum": reasons}},
	})
	if err != nil {
		panic(err) // the value above is fixed
	}
	return llm.Tool{
		Name: toolHandOff, Schema: schema,
		Description: "Leaves the visitor to a person of the team. Call it alone and write nothing before it: the visitor reads a message of the team. " +
			"Reasons: nothing that you know answers (missing_knowledge), the visitor asks for a person (customer_request), wants what you cannot do (unsupported_request) " +
			"or must not do (policy_restriction), or a tool does not work (tool_failure).",
	}
}

// reasonIn is why a turn's call of hand_off leaves the visitor, "" without one. A
// model that gives no reason it knows of simply did not know.
func reasonIn(calls []llm.ToolCall) string {
	i := slices.IndexFunc(calls, func(c llm.ToolCall) bool { return c.Name == toolHandOff })
	if i < 0 {
		return ""
	}
	var in struct {
		Reason string `json:"reason"`
	}
	if json.Unmarshal(calls[i].Arguments, &in) == nil && (slices.Contains(reasons, in.Reason) || in.Reason == api.HandoffClarification) {
		return in.Reason
	}
	return api.HandoffUnknown
}
