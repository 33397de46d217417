package mcp

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// untrusted marks what a team, its visitors or a model wrote, so that a client
// can keep it apart from instructions.
const untrusted = "edgesvc.dev/untrusted"

// idempotencyKey names the member of a call's _meta with which a client makes
// a repeated write answer as the first did.
const idempotencyKey = "edgesvc.dev/idempotencyKey"

// callTool runs a tool of the catalog that the caller may call.
func (h *Handler) callTool(ctx context.Context, req *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
	v, t := visitOf(ctx), h.catalog.byName[req.Params.Name]
	ctx, release := v.bound(ctx)
	beating := h.tellProgress(ctx, req)
	defer beating.Wait()
	defer release()
	start := time.Now()
	key, _ := req.Params.Meta[idempotencyKey].(string)
	body, err := t.call(ctx, v, input{args: []byte(req.Params.Arguments), idempotencyKey: key})
	if err != nil {
		e := *refused(ctx, err)
		e.RequestID = v.caller.RequestID
		h.observe(t.op.Name, e.Status, start)
		return refusal(&e), nil
	}
	h.observe(t.op.Name, http.StatusOK, start)
	return result(body), nil
}

// tellProgress tells a client that asked for it that the tool still runs, so
// that neither its time-out nor that of a proxy ends a long wait. It lasts as
// long as ctx.
func (h *Handler) tellProgress(ctx context.Context, req *mcpsdk.CallToolRequest) *conc.WaitGroup {
	beating := conc.NewWaitGroup()
	token := req.Params.GetProgressToken()
	if token == nil {
		return beating
	}
	beating.Go(func() {
		tick := time.NewTicker(h.beat)
		defer tick.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			p := &mcpsdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: "Still running."}
			if err := req.Session.NotifyProgress(ctx, p); err != nil {
				return // the client has left
			}
		}
	})
	return beating
}

// result says the same twice, as the protocol asks: for programs, and for
// models as text.
func result(body []byte) *mcpsdk.CallToolResult {
	return &mcpsdk.CallToolResult{
		Meta:              mcpsdk.Meta{untrusted: true},
		StructuredContent: stdjson.RawMessage(body),
		Content:           []mcpsdk.Content{&mcpsdk.TextContent{Text: string(body)}},
	}
}

// unlisted answers calls of tools that exist but are not on the caller's list,
// so that a model learns what is missing rather than that the tool is unknown.
func (h *Handler) unlisted(next mcpsdk.MethodHandler) mcpsdk.MethodHandler {
	return func(ctx context.Context, method string, req mcpsdk.Request) (mcpsdk.Result, error) {
		call, ok := req.(*mcpsdk.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		t := h.catalog.byName[call.Params.Name]
		if t == nil || t.listed(visitOf(ctx).choice) {
			return next(ctx, method, req)
		}
		return h.callTool(ctx, call)
	}
}

// toolError is a refusal as models read it.
type toolError struct {
	Code      api.Code         `json:"code"`
	Message   string           `json:"message"`
	Hint      string           `json:"hint"`
	Retryable bool             `json:"retryable"`
	Errors    []api.FieldError `json:"errors,omitempty"`

	RequiredScope string   `json:"requiredScope,omitempty"`
	SuggestedSlug string   `json:"suggestedSlug,omitempty"`
	ExistingID    string   `json:"existingId,omitempty"`
	From          string   `json:"from,omitempty"`
	To            string   `json:"to,omitempty"`
	Allowed       []string `json:"allowed,omitempty"`
	RetryAfter    int      `json:"retryAfterSeconds,omitempty"`
	RequestID     string   `json:"requestId,omitempty"`
}

// refused is err as the client may see it. Causes that it may not see are
// logged; those of the table's operations have been.
func refused(ctx context.Context, err error) *api.Error {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e
	}
	v := visitOf(ctx)
	slog.ErrorContext(ctx, "mcp request failed", "team", v.caller.Team, "request", v.caller.RequestID, "err", err)
	return op.Refusal(err)
}

func refusal(e *api.Error) *mcpsdk.CallToolResult {
	te := toolError{
		Code: e.Code, Message: e.Detail, Hint: hintFor(e), Retryable: e.Retryable, Errors: e.Errors,
		RequiredScope: e.RequiredScope, SuggestedSlug: e.SuggestedSlug, ExistingID: e.ExistingID,
		From: e.From, To: e.To, Allowed: e.Allowed, RetryAfter: e.RetryAfter, RequestID: e.RequestID,
	}
	if te.Message == "" {
		te.Message = e.Title
	}
	body, err := op.Encode(nil, te)
	if err != nil {
		panic(fmt.Sprintf("mcp: refusal cannot be encoded: %v", err)) // texts and numbers only
	}
	res := result(fit(body, false))
	res.IsError = true
	return res
}

// rpcRefusal is a refusal where the protocol has no result for one.
func rpcRefusal(ctx context.Context, err error) error {
	e := refused(ctx, err)
	code := int64(jsonrpc.CodeInternalError)
	if e.Status < http.StatusInternalServerError {
		code = jsonrpc.CodeInvalidParams
	}
	detail, _ := refusal(e).StructuredContent.(stdjson.RawMessage)
	return &jsonrpc.Error{Code: code, Message: e.Error(), Data: detail}
}

// hints say what to do next, by code.
var hints = map[api.Code]string{
	api.CodeInsufficientScope:    "Tell the person that the key lacks this scope; only they can make another key.",
	api.CodeNotFound:             "Look the id up with a list or search tool. Do not guess ids.",
	api.CodeValidationFailed:     "Correct the fields named in errors and call again.",
	api.CodeUnknownField:         "Leave out the fields named in errors and call again.",
	api.CodeInvalidJSON:          "Send arguments as the tool's input schema describes them.",
	api.CodeInvalidCursor:        "Start the list again without a cursor.",
	api.CodeSlugTaken:            "Use suggestedSlug, or leave slug out to have one made.",
	api.CodeInvalidTransition:    "Read the object again; its status does not allow this.",
	api.CodeVersionConflict:      "Read the object again, merge your change, and call again.",
	api.CodeNoGenerationFlags:    "Pass content, or set generateContent.",
	api.CodeUnknownModel:         "Use one of the models named in allowed, or leave model out.",
	api.CodeHTMLTooLarge:         "Make the content shorter.",
	api.CodeRateLimited:          "Wait for the time in retryAfterSeconds, then call again.",
	api.CodeMethodNotAllowed:     "Tell the person that their connection's settings leave this tool out.",
	api.CodeQuotaExceeded:        "Tell the person that the team's quota is used up.",
	api.CodeStorageFull:          "Tell the person that the server's disk is full. Reading still works.",
	api.CodeIdempotencyKeyReused: "Use a new idempotency key for a new request.",
}

func hintFor(e *api.Error) string {
	switch hint, ok := hints[e.Code]; {
	case ok:
		return hint
	case e.Retryable:
		return "Call again in a moment. If it fails again, tell the person."
	}
	return "Do not repeat the call unchanged."
}
