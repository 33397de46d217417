package api

import (
	"encoding/json"
)

// The kinds of task.
const (
	TaskAPI = "api"
	TaskLLM = "llm"
)

// The states of a task run.
const (
	RunQueued    = "queued"
	RunRunning   = "running"
	RunCompleted = "completed"
	RunFailed    = "failed"
	RunCanceled  = "canceled"
)

// Task is something an agent can do on request of an automation.
type Task struct {
	Head
	AgentID     string          `json:"agentId"`
	Kind        string          `json:"kind" enum:"api,llm"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty" doc:"JSON Schema of context, for those who trigger it."`
	TimeoutMs   int             `json:"timeoutMs"`

	Method  string       `json:"method,omitempty" doc:"Of an API task."`
	URL     string       `json:"url,omitempty"`
	Headers []TaskHeader `json:"headers,omitempty"`
	Body    string       `json:"body,omitempty"`
	APIKey  *TaskKey     `json:"apiKey,omitempty"`

	PromptTemplate  string          `json:"promptTemplate,omitempty" doc:"Of an LLM task."`
	Model           string          `json:"model,omitempty"`
	UseBrandContext bool            `json:"useBrandContext,omitempty"`
	OutputSchema    json.RawMessage `json:"outputSchema,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
}

// TaskHeader is one header of an API task's request. The value of a secret one
// is sealed and answered empty.
type TaskHeader struct {
	Name   string `json:"name" minLength:"1" maxLength:"100"`
	Value  string `json:"value,omitempty" maxLength:"4000"`
	Secret bool   `json:"secret,omitempty"`
}

// TaskKey says how an API task's key is sent. The key itself never leaves.
type TaskKey struct {
	Set       bool   `json:"set"`
	Last4     string `json:"last4,omitempty"`
	Placement string `json:"placement" enum:"header,query" default:"header"`
	Name      string `json:"name" doc:"Of the header or parameter; Authorization by default."`
	Prefix    string `json:"prefix,omitempty" doc:"Before the key, such as Bearer and a space."`
}

// TaskCreate creates a task of an agent.
type TaskCreate struct {
	AgentID         string          `json:"agentId"`
	Kind            string          `json:"kind" enum:"api,llm"`
	Name            string          `json:"name" minLength:"1" maxLength:"120"`
	Description     string          `json:"description,omitempty" maxLength:"1000"`
	InputSchema     json.RawMessage `json:"inputSchema,omitempty"`
	TimeoutMs       int             `json:"timeoutMs,omitempty" minimum:"1000" maximum:"30000" default:"15000"`
	Method          string          `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE"`
	URL             string          `json:"url,omitempty" maxLength:"4000" doc:"http or https; placeholders allowed after the host."`
	Headers         []TaskHeader    `json:"headers,omitempty" maxItems:"30"`
	Body            string          `json:"body,omitempty" maxLength:"65536"`
	PromptTemplate  string          `json:"promptTemplate,omitempty" maxLength:"65536"`
	Model           string          `json:"model,omitempty" maxLength:"100"`
	UseBrandContext bool            `json:"useBrandContext,omitempty"`
	OutputSchema    json.RawMessage `json:"outputSchema,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty" minimum:"0" maximum:"32000"`
}

// TaskRef names a task.
type TaskRef = Ref

// TaskQuery filters tasks.
type TaskQuery struct {
	PageQuery
	AgentID string `json:"agentId,omitempty" maxLength:"40"`
}

// TaskPatch names a task and what to change. The kind stays.
type TaskPatch struct {
	TaskRef
	Name            Opt[string]          `json:"name,omitzero" minLength:"1" maxLength:"120"`
	Description     Opt[string]          `json:"description,omitzero" maxLength:"1000" null:"true"`
	InputSchema     Opt[json.RawMessage] `json:"inputSchema,omitzero" null:"true"`
	TimeoutMs       Opt[int]             `json:"timeoutMs,omitzero" minimum:"1000" maximum:"30000"`
	Method          Opt[string]          `json:"method,omitzero" enum:"GET,POST,PUT,PATCH,DELETE"`
	URL             Opt[string]          `json:"url,omitzero" minLength:"1" maxLength:"4000"`
	Headers         Opt[[]TaskHeader]    `json:"headers,omitzero" maxItems:"30" null:"true" doc:"Replaces all. A secret header with an empty value keeps the value of that name."`
	Body            Opt[string]          `json:"body,omitzero" maxLength:"65536" null:"true"`
	PromptTemplate  Opt[string]          `json:"promptTemplate,omitzero" minLength:"1" maxLength:"65536"`
	Model           Opt[string]          `json:"model,omitzero" maxLength:"100" null:"true"`
	UseBrandContext Opt[bool]            `json:"useBrandContext,omitzero"`
	OutputSchema    Opt[json.RawMessage] `json:"outputSchema,omitzero" null:"true"`
	MaxOutputTokens Opt[int]             `json:"maxOutputTokens,omitzero" minimum:"0" maximum:"32000" null:"true"`
}

// TaskSetKey stores the key of an API task. It is not readable afterwards.
type TaskSetKey struct {
	ID        string `json:"id"`
	Key       Secret `json:"key" minLength:"1" maxLength:"4000"`
	Placement string `json:"placement,omitempty" enum:"header,query" default:"header"`
	Name      string `json:"name,omitempty" maxLength:"100" default:"Authorization"`
	Prefix    string `json:"prefix,omitempty" maxLength:"40"`
}

// TaskTest runs a task by hand.
type TaskTest struct {
	ID      string         `json:"id"`
	Mode    string         `json:"mode,omitempty" enum:"render,live" default:"render" doc:"render: nothing leaves; live: the request is made, or the model asked."`
	Person  map[string]any `json:"person,omitempty" doc:"For the placeholders below person."`
	Context map[string]any `json:"context,omitempty" doc:"For the placeholders below context."`
}

// TaskTestLive is a TaskTest that is followed. A reader that lost the connection
// names the run that it has begun, so that none begins a second time.
type TaskTestLive struct {
	TaskTest
	LastEventID string `json:"lastEventId,omitempty" maxLength:"100"`
}

// TaskRun is one run of a task.
type TaskRun struct {
	ID                  string          `json:"id"`
	TaskID              string          `json:"taskId"`
	AgentID             string          `json:"agentId"`
	State               string          `json:"state" enum:"queued,running,completed,failed,canceled"`
	Trigger             string          `json:"trigger" enum:"test,automation,chat"`
	Mode                string          `json:"mode" enum:"render,live"`
	Request             *TaskRequest    `json:"request" null:"true" doc:"What was sent, or would be; secrets are masked."`
	Response            *TaskResponse   `json:"response" null:"true"`
	Prompt              string          `json:"prompt,omitempty" doc:"Of an LLM task."`
	Output              string          `json:"output,omitempty"`
	OutputJSON          json.RawMessage `json:"outputJson,omitempty" doc:"The output, where it is JSON."`
	MissingPlaceholders []string        `json:"missingPlaceholders"`
	Warnings            []string        `json:"warnings"`
	Error               *JobError       `json:"error" null:"true"`
	Usage               Usage           `json:"usage"`
	Provider            string          `json:"provider,omitempty"`
	DurationMs          int64           `json:"durationMs"`
	CreatedAt           Time            `json:"createdAt"`
	UpdatedAt           Time            `json:"updatedAt"`
	Version             int             `json:"version"`
}

// TaskRequest is the request of an API task.
type TaskRequest struct {
	Method  string       `json:"method"`
	URL     string       `json:"url"`
	Headers []TaskHeader `json:"headers"`
	Body    string       `json:"body,omitempty"`
}

// TaskResponse is what the endpoint answered.
type TaskResponse struct {
	Status    int          `json:"status"`
	Headers   []TaskHeader `json:"headers"`
	Body      string       `json:"body" doc:"The first 64 KiB."`
	Bytes     int64        `json:"bytes"`
	Truncated bool         `json:"truncated,omitempty"`
}

// TaskRunQuery lists the runs of a task, newest first.
type TaskRunQuery struct {
	PageQuery
	TaskID string `json:"taskId,omitempty" maxLength:"40"`
	State  string `json:"state,omitempty" enum:"queued,running,completed,failed,canceled"`
}

// TaskRunRef names a run.
type TaskRunRef struct {
	ID string `json:"id" form:"id" doc:"Id of the run."`
}

// TaskEvent is one live message of a test-run: "run" carries the run as it is,
// "delta" a piece of a model's answer.
type TaskEvent struct {
	Type string   `json:"type" enum:"run,delta"`
	Run  *TaskRun `json:"run,omitempty"`
	Text string   `json:"text,omitempty"`
}
