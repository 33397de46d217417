package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The conformance suites look for tools, resources and prompts of fixed names
// and answers. fixtures adds them to the daemon's own server, so that what the
// suites test is the daemon's handler: its checks, its bridge, its options.
func fixtures(o *mcpsdk.ServerOptions) func(*mcpsdk.Server) {
	o.Capabilities = nil // the suites expect every capability
	o.CompletionHandler = func(context.Context, *mcpsdk.CompleteRequest) (*mcpsdk.CompleteResult, error) {
		return &mcpsdk.CompleteResult{Completion: mcpsdk.CompletionResultDetails{Values: []string{}}}, nil
	}
	o.SubscribeHandler = func(context.Context, *mcpsdk.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcpsdk.UnsubscribeRequest) error { return nil }
	return func(s *mcpsdk.Server) {
		for name, h := range contentFixtures() {
			addFixture(s, name, `{"type":"object"}`, h)
		}
		for name, h := range roundTripFixtures() {
			addFixture(s, name, `{"type":"object"}`, h)
		}
		addFixture(s, "json_schema_2020_12_tool", fullSchema, said("called"))
		addFixture(s, "test_x_mcp_header", headerSchema, said("called"))
		addFixture(s, "test_trigger_tool_change", `{"type":"object"}`, func(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
			addFixture(s, "transient", `{"type":"object"}`, said("transient"))
			return said("changed")(ctx, r)
		})
		addFixture(s, "test_trigger_prompt_change", `{"type":"object"}`, func(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
			s.AddPrompt(&mcpsdk.Prompt{Name: "transient", Description: "Fixture"}, saidPrompt(&mcpsdk.TextContent{Text: "transient"}))
			return said("changed")(ctx, r)
		})
		addResourceFixtures(s)
		addPromptFixtures(s)
	}
}

const (
	fullSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
			"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
		"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
	headerSchema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`

	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func decode64(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func addFixture(s *mcpsdk.Server, name, schema string, h mcpsdk.ToolHandler) {
	s.AddTool(&mcpsdk.Tool{Name: name, Description: "Fixture " + name, InputSchema: json.RawMessage(schema)}, h)
}

// said answers with fixed content; text stands for a block of it.
func said(content ...any) mcpsdk.ToolHandler {
	blocks := make([]mcpsdk.Content, len(content))
	for i, c := range content {
		switch c := c.(type) {
		case string:
			blocks[i] = &mcpsdk.TextContent{Text: c}
		case mcpsdk.Content:
			blocks[i] = c
		}
	}
	return func(context.Context, *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
		return &mcpsdk.CallToolResult{Content: blocks}, nil
	}
}

func failed(err error) (*mcpsdk.CallToolResult, error) {
	res := &mcpsdk.CallToolResult{}
	res.SetError(err)
	return res, nil
}

func embedded(uri, text string) mcpsdk.Content {
	return &mcpsdk.EmbeddedResource{Resource: &mcpsdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}}
}

func contentFixtures() map[string]mcpsdk.ToolHandler {
	image := &mcpsdk.ImageContent{Data: decode64(pixel), MIMEType: "image/png"}
	return map[string]mcpsdk.ToolHandler{
		"test_simple_text":   said("This is a simple text response for testing."),
		"test_image_content": said(image),
		"test_audio_content": said(&mcpsdk.AudioContent{Data: decode64(silence), MIMEType: "audio/wav"}),
		"test_embedded_resource": said(embedded("test://embedded-resource",
			"This is an embedded resource content.")),
		"test_multiple_content_types": said("Multiple content types test:", image, &mcpsdk.EmbeddedResource{Resource: &mcpsdk.ResourceContents{
			URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
		}}),
		"test_error_handling": func(context.Context, *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
			return failed(errors.New("This tool intentionally returns an error for testing"))
		},
		"test_reconnection":                 said("not streamed"),
		"test_streaming_elicitation":        said("result only"),
		"test_tool_with_logging":            logging,
		"test_logging_tool":                 logging,
		"test_tool_with_progress":           progress,
		"test_sampling":                     sampling,
		"test_elicitation":                  elicitation(`{"type":"object","properties":{"username":{"type":"string"}},"required":["username"]}`),
		"test_elicitation_sep1034_defaults": elicitation(`{"type":"object","properties":{"name":{"type":"string","default":"John Doe"}}}`),
		"test_elicitation_sep1330_enums":    elicitation(`{"type":"object","properties":{"one":{"type":"string","enum":["a","b"]}}}`),
		"test_missing_capability":           missingCapability,
	}
}

func logging(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
	for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := r.Session.Log(ctx, &mcpsdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
			return failed(err)
		}
	}
	return said("logged")(ctx, r)
}

func progress(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
	token := r.Params.GetProgressToken()
	for _, n := range []float64{0, 50, 100} {
		if err := r.Session.NotifyProgress(ctx, &mcpsdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Total: 100}); err != nil {
			return failed(err)
		}
	}
	return said(fmt.Sprint(token))(ctx, r)
}

func sampling(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
	res, err := r.Session.CreateMessage(ctx, &mcpsdk.CreateMessageParams{MaxTokens: 100, Messages: []*mcpsdk.SamplingMessage{
		{Role: "user", Content: &mcpsdk.TextContent{Text: "Test prompt"}},
	}})
	if err != nil {
		return failed(err)
	}
	return said(fmt.Sprint("LLM response: ", res.Content))(ctx, r)
}

func elicitation(schema string) mcpsdk.ToolHandler {
	return func(ctx context.Context, r *mcpsdk.CallToolRequest) (*mcpsdk.CallToolResult, error) {
		res, err := r.Session.Elicit(ctx, &mcpsdk.ElicitParams{Message: "Please tell", RequestedSchema: json.RawMessage(schema)})
		if err != nil {
			return failed(err)
		}
		return said(fmt.Sprintf("action=%s, content=%v", res.Action, res.Content))(ctx, r)
	}
}

func addResourceFixtures(s *mcpsdk.Server) {
	text := func(mime string) mcpsdk.ResourceHandler {
		return func(_ context.Context, r *mcpsdk.ReadResourceRequest) (*mcpsdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return &mcpsdk.ReadResourceResult{Contents: []*mcpsdk.ResourceContents{{URI: r.Params.URI, MIMEType: mime,
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}}, nil
		}
	}
	s.AddResource(&mcpsdk.Resource{URI: "test://static-text", Name: "static-text", MIMEType: "text/plain"}, text("text/plain"))
	s.AddResource(&mcpsdk.Resource{URI: "test://watched-resource", Name: "watched", MIMEType: "text/plain"}, text("text/plain"))
	s.AddResourceTemplate(&mcpsdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"}, text("application/json"))
	s.AddResource(&mcpsdk.Resource{URI: "test://static-binary", Name: "static-binary", MIMEType: "image/png"},
		func(_ context.Context, r *mcpsdk.ReadResourceRequest) (*mcpsdk.ReadResourceResult, error) {
			return &mcpsdk.ReadResourceResult{Contents: []*mcpsdk.ResourceContents{{URI: r.Params.URI, MIMEType: "image/png", Blob: decode64(pixel)}}}, nil
		})
}

func saidPrompt(content ...mcpsdk.Content) mcpsdk.PromptHandler {
	return func(context.Context, *mcpsdk.GetPromptRequest) (*mcpsdk.GetPromptResult, error) {
		res := &mcpsdk.GetPromptResult{}
		for _, c := range content {
			res.Messages = append(res.Messages, &mcpsdk.PromptMessage{Role: "user", Content: c})
		}
		return res, nil
	}
}

func addPromptFixtures(s *mcpsdk.Server) {
	s.AddPrompt(&mcpsdk.Prompt{Name: "test_simple_prompt", Description: "Fixture"}, saidPrompt(&mcpsdk.TextContent{Text: "This is a simple prompt for testing."}))
	s.AddPrompt(&mcpsdk.Prompt{Name: "test_prompt_with_image", Description: "Fixture"},
		saidPrompt(&mcpsdk.ImageContent{Data: decode64(pixel), MIMEType: "image/png"}, &mcpsdk.TextContent{Text: "Please analyze the image above."}))
	s.AddPrompt(&mcpsdk.Prompt{Name: "test_prompt_with_arguments", Description: "Fixture", Arguments: []*mcpsdk.PromptArgument{
		{Name: "arg1", Description: "First", Required: true}, {Name: "arg2", Description: "Second", Required: true},
	}}, func(ctx context.Context, r *mcpsdk.GetPromptRequest) (*mcpsdk.GetPromptResult, error) {
		a := r.Params.Arguments
		return saidPrompt(&mcpsdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])})(ctx, r)
	})
	s.AddPrompt(&mcpsdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "Fixture", Arguments: []*mcpsdk.PromptArgument{
		{Name: "resourceUri", Description: "URI of the resource", Required: true},
	}}, func(ctx context.Context, r *mcpsdk.GetPromptRequest) (*mcpsdk.GetPromptResult, error) {
		return saidPrompt(embedded(r.Params.Arguments["resourceUri"], "Embedded resource content for testing."), &mcpsdk.TextContent{Text: "Please process the embedded resource above."})(ctx, r)
	})
	s.AddPrompt(&mcpsdk.Prompt{Name: "test_input_required_result_prompt", Description: "Fixture"}, askedPrompt)
}
