package mcp

import (
	"context"
	"fmt"
	"strings"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

func (h *Handler) addPrompts(s *mcpsdk.Server, c choice) {
	if h.offered("posts.create", c) == nil || c.readOnly {
		return
	}
	s.AddPrompt(&mcpsdk.Prompt{
		Name: "draft_post", Title: "Draft a post",
		Description: "Writes a post from the team's brand facts and stores it as a draft.",
		Arguments: []*mcpsdk.PromptArgument{
			{Name: "title", Title: "Title", Description: "What the post is called.", Required: true},
			{Name: "audience", Title: "Audience", Description: "Who is to read it."},
			{Name: "tone", Title: "Tone", Description: "How it is to sound."},
		},
	}, h.draftPost)
}

func (h *Handler) draftPost(ctx context.Context, req *mcpsdk.GetPromptRequest) (*mcpsdk.GetPromptResult, error) {
	args := req.Params.Arguments
	title := strings.TrimSpace(args["title"])
	if title == "" {
		return nil, rpcRefusal(ctx, api.Invalid("/title", "required", "title is required"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Write a post titled %q.\n", title)
	for _, name := range []string{"audience", "tone"} {
		if value := strings.TrimSpace(args[name]); value != "" {
			fmt.Fprintf(&b, "%s%s: %s\n", strings.ToUpper(name[:1]), name[1:], value)
		}
	}
	b.WriteString("\nSay of the team only what its brand facts state, and invent no figures, quotes or customers." +
		" When the text is ready, call create_post with contentFormat markdown and status DRAFT, and tell the person where the draft is. Do not publish it.")
	messages := []*mcpsdk.PromptMessage{{Role: "user", Content: &mcpsdk.TextContent{Text: b.String()}}}
	brand, err := h.brand(ctx)
	if err != nil {
		return nil, rpcRefusal(ctx, err)
	}
	if brand != nil {
		messages = append(messages, brand)
	}
	return &mcpsdk.GetPromptResult{Description: "Draft a post", Messages: messages}, nil
}

// brand is the team's brand as an embedded resource, which clients keep apart
// from what the prompt says. It is nil where there is none to read.
func (h *Handler) brand(ctx context.Context) (*mcpsdk.PromptMessage, error) {
	o := h.offered("brand.get", visitOf(ctx).choice)
	if o == nil {
		return nil, nil
	}
	value, err := h.read(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	body, err := op.Encode(nil, value)
	if err != nil {
		return nil, fmt.Errorf("encode brand: %w", err)
	}
	return &mcpsdk.PromptMessage{Role: "user", Content: &mcpsdk.EmbeddedResource{
		Resource: data(brandURI, "application/json", string(body)),
	}}, nil
}
