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

// reasons are those that a model may give.
var reasons = []string{
	api.HandoffRequested, api.HandoffUnknown, api.HandoffUnsupported,
	api.HandoffPolicy, api.HandoffClarification, api.HandoffToolFailure,
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
		Description: "Leaves the visitor to a person of the team. Use it when the articles do not answer (missing_knowledge), the visitor asks for a person " +
			"(customer_request), wants what you cannot do (unsupported_request) or must not do (policy_restriction), or a person has to ask back (pending_clarification).",
	}
}

// reasonOf reads the reason of a hand_off call; a model that gives none it knows
// of simply did not know.
func reasonOf(arguments json.RawMessage) string {
	var in struct {
		Reason string `json:"reason"`
	}
	if json.Unmarshal(arguments, &in) == nil && slices.Contains(reasons, in.Reason) {
		return in.Reason
	}
	return api.HandoffUnknown
}
