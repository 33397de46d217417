package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The vendors' own addresses; any other is a compatible server.
const (
	openAIBaseURL    = "https://api.openai.com/v1"
	anthropicBaseURL = "https://api.anthropic.com"
)

// defaultImageModel draws covers at the vendor's own address.
const defaultImageModel = "gpt-image-2.5-flare"

// Config says which vendors may be asked, and how. The zero Config works
// offline and opens no connection.
type Config struct {
	OpenAI    Endpoint
	Anthropic Endpoint

	// ModelNames maps ids of Models to the names that the configured servers
	// use. A compatible server is asked for a model that is not named here by its
	// id where it has such a one, and otherwise by the first that it has. When
	// Anthropic is not configured and OpenAI's address is a compatible server, a
	// Claude id named here is asked from that server.
	ModelNames map[string]string
	// ImageModel overrides the vendor's image model. A compatible server is
	// asked for images only when this is set.
	ImageModel string

	HTTP   *http.Client // nil means http.DefaultClient
	Limits Limits
	// Wait replaces the pause between tries, so that tests need not wait.
	Wait func(context.Context, time.Duration) error
}

// Endpoint is one vendor's access. The vendor's own address, which an empty
// BaseURL is, is asked only with a Key; another may want none.
type Endpoint struct {
	Key     string
	BaseURL string
	Dialect Dialect
}

// Dialect is how a server wants to be spoken to beside the vendor's protocol.
type Dialect string

// The dialects. A gateway in front of the vendor itself understands all that the
// vendor does, though its address is another; servers of other models do not.
const (
	DialectAuto       Dialect = "" // by the address: the vendor's at its own, compatible elsewhere
	DialectVendor     Dialect = "vendor"
	DialectCompatible Dialect = "compatible"
)

// asked reports whether there is anything to ask; own is the vendor's address.
func (e Endpoint) asked(own string) bool { return e.Key != "" || !e.isAt(own) }

func (e Endpoint) isAt(own string) bool {
	return e.BaseURL == "" || strings.TrimRight(e.BaseURL, "/") == own
}

// provider is how the endpoint's answers are labeled: as the vendor's where it is
// spoken to as such.
func (e Endpoint) provider(vendor, own string) string {
	if e.Dialect == DialectVendor || e.Dialect == DialectAuto && e.isAt(own) {
		return vendor
	}
	return ProviderCompatible
}

// mask keeps the key out of a text.
func (e Endpoint) mask(text string) string {
	if e.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.Key, "[key]")
}

// Router is the Client that picks vendor or offline per model. It holds no
// connection of its own, so there is nothing to close.
type Router struct {
	openai     *openAI    // nil when it is not to be asked
	anthropic  *anthropic // nil when it is not to be asked
	outcomes   outcomes
	offline    offline
	modelNames map[string]string
	imageModel string // empty: draw offline
	limits     Limits
	wait       func(context.Context, time.Duration) error
}

// Open prepares the clients whose vendors are configured. It connects to nothing.
func Open(c Config) *Router {
	r := &Router{modelNames: c.ModelNames, limits: c.Limits.withDefaults(), wait: c.Wait, imageModel: c.ImageModel}
	if r.wait == nil {
		r.wait = sleep
	}
	base := c.HTTP
	if base == nil {
		base = http.DefaultClient
	}
	if c.OpenAI.asked(openAIBaseURL) {
		r.openai = newOpenAI(c.OpenAI, base, r.limits)
		if r.openai.provider == ProviderOpenAI {
			r.imageModel = cmp.Or(c.ImageModel, defaultImageModel)
		}
	} else {
		r.imageModel = ""
	}
	if c.Anthropic.asked(anthropicBaseURL) {
		r.anthropic = newAnthropic(c.Anthropic, base, r.limits)
	}
	return r
}

// call is a Request that passed the checks, with what a client needs to know
// about its model.
type call struct {
	Request
	model     Model
	name      string // the model's name at the server
	maxTokens int
}

// vendor makes one try at a call.
type vendor interface {
	label() string
	way() *lane // nil for none
	complete(ctx context.Context, c call) (Response, error)
}

// Complete answers with the vendor of the model, or offline when it has no key.
func (r *Router) Complete(ctx context.Context, req Request) (Response, error) {
	c, err := r.check(req)
	if err != nil {
		return Response{}, err
	}
	v := r.route(c.model)
	delivered := false
	if req.OnDelta != nil {
		c.OnDelta = func(text string) {
			delivered = true
			req.OnDelta(text)
		}
	}
	mayRepeat := func() bool {
		if !delivered {
			return true
		}
		if req.OnRestart == nil {
			return false
		}
		delivered = false
		req.OnRestart()
		return true
	}
	if r.finds(c.model) {
		c.name = r.openai.server.name(ctx, c.model.ID)
	}
	to := target{provider: v.label(), id: c.model.ID, model: c.name, lane: v.way()}
	resp, err := attempts(ctx, r, to, mayRepeat, func(ctx context.Context) (Response, error) {
		return v.complete(ctx, c)
	})
	if err != nil {
		return Response{}, err
	}
	resp.Provider, resp.Model = v.label(), c.model.ID
	return resp, nil
}

// ProviderOf says who would answer for a model now; empty for an unknown one.
func (r *Router) ProviderOf(model string) string {
	m, ok := FindModel(model)
	if !ok {
		return ""
	}
	return r.route(m).label()
}

func (r *Router) route(m Model) vendor {
	switch {
	case m.Provider == ProviderOpenAI && r.openai != nil:
		return r.openai
	case m.Provider == ProviderAnthropic && r.anthropic != nil:
		return r.anthropic
	case r.openai != nil && r.openai.provider == ProviderCompatible && r.modelNames[m.ID] != "":
		return r.openai
	default:
		return r.offline
	}
}

// defaultMaxTokens is room for a long post.
const defaultMaxTokens = 8192

func (r *Router) check(req Request) (call, error) {
	m, ok := FindModel(req.Model)
	if !ok {
		return call{}, refused("unknown model")
	}
	for _, t := range req.Tools {
		if !isObject(t.Schema) {
			return call{}, refused(fmt.Sprintf("schema of tool %q is not a JSON object", t.Name))
		}
	}
	for _, msg := range req.Messages {
		for _, tc := range msg.ToolCalls {
			if !isObject(tc.Arguments) {
				return call{}, refused(fmt.Sprintf("arguments of tool call %q are not a JSON object", tc.Name))
			}
		}
	}
	return call{
		Request:   req,
		model:     m,
		name:      cmp.Or(r.modelNames[m.ID], m.ID),
		maxTokens: min(cmp.Or(req.MaxTokens, defaultMaxTokens), m.MaxOutput),
	}, nil
}

func refused(message string) *Error {
	return &Error{Kind: KindInvalidRequest, Provider: "llm", Message: message}
}

func isObject(raw json.RawMessage) bool {
	return json.Valid(raw) && strings.HasPrefix(strings.TrimLeft(string(raw), " \t\r\n"), "{")
}

// toolCall is a call as a vendor's model wrote it. No arguments at all is how
// some servers say that there are none.
func toolCall(id, name, arguments string) ToolCall {
	c := ToolCall{ID: id, Name: name, Arguments: json.RawMessage("{}")}
	switch {
	case strings.TrimSpace(arguments) == "":
	case isObject(json.RawMessage(arguments)):
		c.Arguments = json.RawMessage(arguments)
	default:
		c.Malformed = arguments
	}
	return c
}
