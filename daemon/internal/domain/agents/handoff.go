package agents

import (
	"encoding/json"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

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

// maxWish is the longest message, in characters, that is taken for the mere wish
// for a person. A longer one says more, and is the model's to understand.
const maxWish = 160

// wantsPerson reports that a visitor asks for a person in so many words.
func wantsPerson(message string) bool {
	if utf8.RuneCountInString(message) > maxWish {
		return false
	}
	return slices.ContainsFunc(wishes(), func(wish *regexp.Regexp) bool { return wish.MatchString(message) })
}

var wishes = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, wish := range []string{
		// A word for a person alone, or with please.
		`^\W*(a |an |the |un |une |ein |einen |eine )?(real |live |human |actual |echte[rn]? |vrai )?(human|person|operator|agent|representative|mensch(en)?|mitarbeiter(in)?|conseiller|humain|humano|operador|agente|operatore|atendente|medewerker)( being)?\W*(please|pls|bitte|s'il (vous|te) pla[iî]t|svp|por favor|per favore|alstublieft)?\W*$`,
		`\b(talk|speak|chat|connect|transfer|get|put|pass|hand)\b.{0,30}\b(to|with|through|over|me)\b.{0,20}\b(human|real person|live person|person|operator|representative|someone (real|human)|(live|human|support|service) agent|agent|staff|somebody|someone from)\b`,
		`\b(human|real person|live agent|operator)\b\W*(please|pls|now)\b`,
		`\b(i )?(want|need) (a |an )?(human|real person|person|operator|live agent|representative)\W*$`,
		`\bmit (einem |einer )?(menschen|mitarbeiter(in)?|person|berater(in)?|kollegen)\b.{0,20}\b(sprechen|reden|schreiben|chatten)\b`,
		`\b(parler|discuter|échanger)\b.{0,20}\b(humain|personne|conseill(er|ère)|opérateur|quelqu'un)\b`,
		`\bhablar\b.{0,20}\b(persona|humano|agente|operador|alguien)\b`,
		`\bparlare\b.{0,20}\b(persona|umano|operatore|qualcuno)\b`,
		`\bfalar\b.{0,20}\b(pessoa|humano|atendente|alguém)\b`,
		`\b(met|iemand)\b.{0,20}\b(mens|medewerker|persoon)\b.{0,20}\b(spreken|praten|chatten)\b`,
	} {
		all = append(all, regexp.MustCompile(`(?i)`+wish))
	}
	return all
})
