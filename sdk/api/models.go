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
	// SentAs, Address and LastAnswer say where requests go.
	SentAs     string       `json:"sentAs,omitempty" doc:"Name under which the server is asked for it; absent offline, and while the server has not said which models it has."`
	Address    string       `json:"address,omitempty" doc:"Server that is asked; absent offline."`
	LastAnswer *ModelAnswer `json:"lastAnswer" null:"true" doc:"Outcome of the latest request since the daemon began; null before the first."`
}

// ModelAnswer is how a request for a model ended.
type ModelAnswer struct {
	At        Time   `json:"at"`
	OK        bool   `json:"ok"`
	Status    int    `json:"status,omitempty" doc:"HTTP status of the server; absent when it did not answer."`
	RequestID string `json:"requestId,omitempty" doc:"By which the vendor finds the request."`
	Problem   string `json:"problem,omitempty" doc:"rate_limited, timeout, provider_error, invalid_request or auth."`
}

// ModelList is all models.
type ModelList struct {
	Data []Model `json:"data"`
}
