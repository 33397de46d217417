package agents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxResult = 4_000 // bytes of what the model is told of a failure
	maxShown  = 500   // bytes of a result that people see
)

// tool is one of those that a team can switch on.
type tool struct {
	name, operation, description string
	made                         string       // what the model is told of what was made
	input                        reflect.Type // of the operation
	params                       []param
	draft                        bool // the operation takes a status, and it is always DRAFT
}

// param is one argument. to is its name for the operation, whose schema says
// what it may be; most and required ask for less or more of a model.
type param struct {
	name, to, doc string
	required      bool
	most          int

	kind string // of the schema
}

// tools are made when they are first asked for. Nobody changes them.
var tools = sync.OnceValue(func() []tool {
	title := param{name: "title", doc: "The title."}
	content := param{name: "content", doc: "The body as an HTML fragment.", required: true, most: 100_000}
	tags := param{name: "tags", doc: "Up to six tags.", most: 6}
	list := []tool{
		{name: api.ToolCreatePost, operation: "posts.create", draft: true, input: reflect.TypeFor[api.PostCreate](),
			description: "Creates a draft post with HTML content. It is not published.",
			made:        "A draft of the post was made: %s. The team reviews it before anybody sees it. Tell the visitor so, without the id.",
			params:      []param{title, content, {name: "description", doc: "One line for search engines."}, tags}},
		{name: api.ToolPostImage, operation: "posts.image", input: reflect.TypeFor[api.PostImage](),
			description: "Starts to draw a featured image for a draft post that you made.",
			made:        "The image is being drawn by the job %s. The team reviews it with the post.",
			params: []param{{name: "postId", to: "id", doc: "Id of the post, post_….", most: 40},
				{name: "prompt", doc: "What the image shows."}}},
		{name: api.ToolCreateArticle, operation: "helpdesk.articles.create", draft: true, input: reflect.TypeFor[api.ArticleCreate](),
			description: "Creates a draft help article with HTML content. It is not published.",
			made:        "A draft of the help article was made: %s. The team reviews it before anybody sees it. Tell the visitor so, without the id.",
			params:      []param{title, content, tags}},
	}
	reg := op.NewRegistry()
	for i := range list {
		schema := op.InputSchema(reg, list[i].input)
		for j := range list[i].params {
			list[i].params[j].readSchema(schema)
		}
	}
	return list
})

// readSchema takes over what the operation's input says of the argument.
func (p *param) readSchema(input *huma.Schema) {
	p.to = cmp.Or(p.to, p.name)
	s := input.Properties[p.to]
	if s == nil {
		panic("agents: the operation takes no " + p.to)
	}
	p.kind, p.required = s.Type, p.required || slices.Contains(input.Required, p.to)
	for _, most := range []*int{s.MaxLength, s.MaxItems} {
		if most != nil && (p.most == 0 || *most < p.most) {
			p.most = *most
		}
	}
}

// offered are the tools that a request names: always those to hand off and to
// search, and those that are switched on.
func offered(on api.AgentTools) []llm.Tool {
	list := []llm.Tool{handOffTool(), searchTool()}
	for _, t := range tools() {
		if on.Allows(t.name) {
			list = append(list, llm.Tool{Name: t.name, Description: t.description, Schema: t.schema()})
		}
	}
	return list
}

func (t *tool) schema() json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, p := range t.params {
		property := map[string]any{"type": p.kind, "description": p.doc}
		if p.kind == "array" {
			property["items"], property["maxItems"] = map[string]any{"type": "string"}, p.most
		} else {
			property["maxLength"] = p.most
		}
		properties[p.name] = property
		if p.required {
			required = append(required, p.name)
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false})
	if err != nil {
		panic(err) // the tools above are fixed
	}
	return schema
}

// arguments makes the operation's input of what a model wrote. Only what the
// tool takes passes, and what is made is a draft.
func (t *tool) arguments(raw json.RawMessage) ([]byte, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, errors.New("the arguments must be a JSON object")
	}
	input := map[string]any{}
	var bad []string
	for _, p := range t.params {
		value, ok := given[p.name]
		delete(given, p.name)
		if !ok || bytes.Equal(value, []byte("null")) {
			if p.required {
				bad = append(bad, p.name+" is required")
			}
			continue
		}
		v, problem := p.read(value)
		if problem != "" {
			bad = append(bad, p.name+" "+problem)
		}
		input[p.to] = v
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		bad = append(bad, "there is no argument "+clip(name, 40))
	}
	if len(bad) > 0 {
		return nil, errors.New(strings.Join(bad, "; "))
	}
	if t.draft {
		input["status"] = "DRAFT"
	}
	return json.Marshal(input) // the members of a map in their order: a call is known again by it
}

func (p *param) read(raw json.RawMessage) (v any, problem string) {
	if p.kind == "array" {
		var list []string
		if json.Unmarshal(raw, &list) != nil {
			return nil, "must be a list of text"
		}
		if len(list) > p.most {
			return nil, fmt.Sprintf("may have at most %d items", p.most)
		}
		return list, ""
	}
	var text string
	switch err := json.Unmarshal(raw, &text); {
	case err != nil:
		return nil, "must be text"
	case p.required && strings.TrimSpace(text) == "":
		return nil, "cannot be empty"
	case len([]rune(text)) > p.most:
		return nil, fmt.Sprintf("may have at most %d characters", p.most)
	}
	return text, ""
}

// use answers one call of the model: it runs the tool if the agent has it at
// this moment, and tells the model otherwise.
func (a *answering) use(ctx context.Context, call llm.ToolCall) llm.Message {
	tc := api.ToolCall{ID: clip(call.ID, 100), Name: shownName(call.Name), State: "refused"}
	run := a.execute
	if call.Name == toolSearchHelp {
		run = a.searchHelp
	} else {
		a.steps++
	}
	result, err := run(ctx, call, &tc)
	if err != nil {
		a.failures++
		result = clip(err.Error(), maxResult)
	} else {
		tc.State = "done"
	}
	a.calls = append(a.calls, tc)
	a.q.OnTool(tc)
	return llm.Message{Role: llm.RoleTool, ToolCallID: call.ID, ToolError: err != nil, Text: result}
}

// execute returns what the model is told. It sets the state of a call that is
// not done, and the result of one that is.
func (a *answering) execute(ctx context.Context, call llm.ToolCall, tc *api.ToolCall) (string, error) {
	all := tools()
	i := slices.IndexFunc(all, func(t tool) bool { return t.name == call.Name })
	if i < 0 {
		return "", errors.New("there is no such tool")
	}
	if a.steps > a.agent.Limits.MaxToolSteps {
		return "", errors.New("no more tools may be used for this answer")
	}
	now, err := a.s.read(ctx, a.q.Team, a.agent.ID)
	if err != nil || !now.Tools.Allows(call.Name) {
		return "", errors.New("this tool is switched off")
	}
	tc.State = "failed"
	if call.Malformed != "" {
		return "", malformed(call)
	}
	args, err := all[i].arguments(call.Arguments)
	if err != nil {
		return "", err
	}
	a.running(*tc)
	if a.dry {
		return "This is a test: the tool was not run. Go on as if it had been.", nil
	}
	u := use{Key: keyOf(a.q, call.Name, args), Image: !all[i].draft}
	if err := a.s.reserve(ctx, a.q, now.ID, u); err != nil {
		tc.State = "refused"
		return "", told(ctx, call.Name, err)
	}
	made, err := a.s.Tool(ctx, a.s.caller(a.q, &now), all[i].operation, u.Key, args)
	if refusal, refused := errors.AsType[*api.Error](err); refused && refusal.Status < http.StatusInternalServerError {
		err = errors.Join(err, a.s.release(ctx, a.q, now.ID, u))
	}
	if err != nil {
		return "", told(ctx, call.Name, err)
	}
	tc.Result = clip(made, maxShown)
	return fmt.Sprintf(all[i].made, made), nil
}

// running tells that a call is being carried out.
func (a *answering) running(tc api.ToolCall) {
	tc.State = "running"
	a.q.OnTool(tc)
}

func malformed(call llm.ToolCall) error {
	return fmt.Errorf("the arguments must be a JSON object; these are none: %s", clip(call.Malformed, maxResult/2))
}

// caller is the agent itself: it may make drafts, in its own team, as often as
// its limits allow.
func (s *Service) caller(q *Question, agent *api.Agent) op.Caller {
	return op.Caller{
		Kind: op.Agent, Credential: agent.ID, Team: q.Team, Actor: api.Actor{Type: "agent", ID: agent.ID}, Name: agent.Name,
		Scopes: op.PostsWrite | op.HelpdeskWrite | op.AIUse, Source: "agent",
		Address: q.Caller.Address, RequestID: q.Caller.RequestID,
	}
}

// told is what the model learns of a failure: a refusal with its fields, and of
// everything else nothing but that it happened.
func told(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	refusal, ok := errors.AsType[*api.Error](err)
	if !ok {
		slog.ErrorContext(ctx, "agent's tool", "tool", name, "err", err)
		return errors.New("the tool failed")
	}
	text := refusal.Error()
	for _, f := range refusal.Errors {
		text += fmt.Sprintf("; %s %s", f.Pointer, f.Message)
	}
	return errors.New(text)
}

// shownName is a tool's name for people; what a model makes up is not shown.
func shownName(name string) string {
	if name == toolSearchHelp || slices.ContainsFunc(tools(), func(t tool) bool { return t.name == name }) {
		return name
	}
	return "unknown"
}
