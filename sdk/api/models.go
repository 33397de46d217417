package api

// Model is a language model that posts and agents may use.
type Model struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Provider      string `json:"provider" enum:"openai,anthropic" doc:"The vendor that makes it."`
	State         string `json:"state" enum:"active,deprecated,retired"`
	ContextTokens int    `json:"contextTokens"`
	OutputTokens  int    `json:"outputTokens"`
	Configured    bool   `json:"configured" doc:"Whether the daemon can reach it; otherwise the offline mode answers."`
	ServedBy      string `json:"servedBy" enum:"openai,anthropic,compatible,offline"`
}

// ModelList is all models.
type ModelList struct {
	Data []Model `json:"data"`
}
