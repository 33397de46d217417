package mcp

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is a JSON-RPC 2.0 message. Its members match exactly and none stands
// twice: two parsers must never read two messages (CVE-2026-27896).
type envelope struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  jsontext.Value `json:"params"`
	Result  jsontext.Value `json:"result"`
	Error   jsontext.Value `json:"error"`
}

// methods are the protocol's, of all its revisions.
var methods = map[string]bool{
	"initialize": true, "ping": true, "server/discover": true, "completion/complete": true, "logging/setLevel": true,
	"tools/list": true, "tools/call": true, "prompts/list": true, "prompts/get": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "subscriptions/listen": true,
}

// statelessRevision is the first whose unknown methods are 404 on HTTP.
const statelessRevision = "2026-07-28"

// message is what the surface itself needs to know of a request.
type message struct {
	id       jsontext.Value // nil for a notification, or when it cannot be told
	progress bool           // the client wants to hear of progress, so the answer streams
}

// readMessage refuses what is no single, well-formed message before the
// library sees it.
func readMessage(body []byte, revision string) (message, *rpcError) {
	var env envelope
	err := json.Unmarshal(body, &env, json.RejectUnknownMembers(true))
	switch {
	case err == nil:
		return env.check(revision)
	case !jsontext.Value(body).IsValid():
		return message{}, &rpcError{400, jsonrpc.CodeParseError, "The body is not valid JSON."}
	case jsontext.Value(body).Kind() == '[':
		return message{}, &rpcError{400, jsonrpc.CodeInvalidRequest, "Batches are not part of the protocol any more: send one message."}
	}
	return message{}, &rpcError{400, jsonrpc.CodeInvalidRequest, "The message is no JSON-RPC 2.0 request."}
}

func (env *envelope) check(revision string) (message, *rpcError) {
	if !validID(env.ID) {
		return message{}, &rpcError{400, jsonrpc.CodeInvalidRequest, "id must be a text or a whole number."}
	}
	msg := message{id: env.ID, progress: env.wantsProgress()}
	switch {
	case env.Version != "2.0":
		return msg, &rpcError{400, jsonrpc.CodeInvalidRequest, `jsonrpc must be "2.0".`}
	case env.Method == "" && env.Result == nil && env.Error == nil:
		return msg, &rpcError{400, jsonrpc.CodeInvalidRequest, "method is required."}
	case env.Params != nil && env.Params.Kind() != '{':
		return msg, &rpcError{400, jsonrpc.CodeInvalidRequest, "params must be an object."}
	case env.ID != nil && env.Method != "" && !methods[env.Method]:
		status := 200
		if revision >= statelessRevision {
			status = 404
		}
		return msg, &rpcError{status, jsonrpc.CodeMethodNotFound, "There is no such method."}
	}
	return msg, nil
}

func (env *envelope) wantsProgress() bool {
	var params struct {
		Meta struct {
			Token jsontext.Value `json:"progressToken"`
		} `json:"_meta"`
	}
	return env.Method == "tools/call" && json.Unmarshal(env.Params, &params) == nil && params.Meta.Token != nil
}

func validID(id jsontext.Value) bool {
	return id == nil || id.Kind() == '"' || id.Kind() == '0' && !bytes.ContainsAny(id, ".eE")
}
