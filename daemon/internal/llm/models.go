package llm

import (
	"net/http"
	"slices"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// StateActive is the state of a model that can be chosen for new work; a vendor
// gives notice before it retires one.
const StateActive = "active"

// Model is one of the four that a team can choose, with the vendor's published
// limits in tokens.
type Model struct {
	ID            string
	Provider      string // the vendor: ProviderOpenAI or ProviderAnthropic
	Name          string
	ContextWindow int
	MaxOutput     int
	State         string

	// quiet is the vendor's setting for answering without thinking ahead. The
	// tasks here are writing and chat: MaxTokens must be there for the visible
	// answer, and the first words must come soon. OpenAI moreover accepts
	// functions in Chat Completions only with reasoning effort "none".
	quiet string
}

// Models lists the four models, in the order in which they are shown.
func Models() []Model {
	return []Model{
		{ID: "gpt-6.1-terra", Provider: ProviderOpenAI, Name: "GPT-6.1 Terra",
			ContextWindow: 1_050_000, MaxOutput: 128_000, State: StateActive, quiet: "none"},
		{ID: "gpt-6-luna", Provider: ProviderOpenAI, Name: "GPT-6 Luna",
			ContextWindow: 1_050_000, MaxOutput: 128_000, State: StateActive, quiet: "none"},
		// Sonnet 5.5 refuses "disabled"; "between_tools" is its lowest setting.
		{ID: "claude-sonnet-5-5", Provider: ProviderAnthropic, Name: "Claude Sonnet 5.5",
			ContextWindow: 1_000_000, MaxOutput: 128_000, State: StateActive, quiet: "between_tools"},
		{ID: "claude-haiku-5-5", Provider: ProviderAnthropic, Name: "Claude Haiku 5.5",
			ContextWindow: 1_000_000, MaxOutput: 128_000, State: StateActive, quiet: "disabled"},
	}
}

// FindModel returns the model with that id, and whether there is one.
func FindModel(id string) (Model, bool) {
	models := Models()
	i := slices.IndexFunc(models, func(m Model) bool { return m.ID == id })
	if i < 0 {
		return Model{}, false
	}
	return models[i], true
}

// ModelIDs are the ids of the models.
func ModelIDs() []string {
	var ids []string
	for _, m := range Models() {
		ids = append(ids, m.ID)
	}
	return ids
}

// CheckModel refuses the id of a model that there is none of.
func CheckModel(id string) error {
	if _, ok := FindModel(id); ok {
		return nil
	}
	ids := ModelIDs()
	list := strings.Join(ids, ", ")
	e := api.NewError(http.StatusUnprocessableEntity, api.CodeUnknownModel, "There is no such model. The models are %s.", list)
	e.Allowed = ids
	e.Errors = []api.FieldError{{Pointer: "/model", Code: string(api.CodeUnknownModel), Message: "must be one of " + list}}
	return e
}
