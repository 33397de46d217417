package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/mcp"
	"edgesvc.dev/svc/sdk/api"
)

// One endpoint speaks every revision: those that begin with initialize, and
// the one whose requests say all of it themselves.
func TestRevisions(t *testing.T) {
	d := start(t, settings{})
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		r := d.post(t, "svc_full", fmt.Sprintf(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, revision))
		var init struct {
			ProtocolVersion string
			ServerInfo      struct{ Name, Version string }
			Capabilities    map[string]map[string]any
		}
		if err := json.Unmarshal(r.rpc(t).Result, &init); err != nil || init.ProtocolVersion != revision || init.ServerInfo.Version != "1.2.3" {
			t.Errorf("%s: %s", revision, r.body)
		}
		if init.Capabilities["logging"] != nil || init.Capabilities["tools"] == nil || init.Capabilities["tools"]["listChanged"] == true {
			t.Errorf("%s: capabilities %v", revision, init.Capabilities)
		}
		r = d.post(t, "svc_full", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami"}}`, "Mcp-Protocol-Version", revision)
		if m := r.rpc(t); m.Error != nil || m.ID != 2.0 || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s", revision, r.body)
		}
	}
	if v := d.connect(t, "svc_full").InitializeResult().ProtocolVersion; v != "2026-07-28" {
		t.Errorf("the library's client speaks %s", v)
	}
}

func TestResources(t *testing.T) {
	d := start(t, settings{})
	post := d.posts.put("team_a", "Bread", "<h2>Rye</h2><p>Good <b>bread</b>.</p>"+strings.Repeat("<p>More.</p>", 5000))
	others := d.posts.put("team_b", "Theirs", "x")
	s := d.connect(t, "svc_read")
	read := func(uri string) []*mcpsdk.ResourceContents {
		t.Helper()
		res, err := s.ReadResource(t.Context(), &mcpsdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		for _, c := range res.Contents {
			if c.Meta["edgesvc.dev/untrusted"] != true || c.URI != uri {
				t.Errorf("%s is not marked as untrusted: %+v", uri, c.Meta)
			}
		}
		return res.Contents
	}
	got := read("svc://posts/" + post.ID)
	if len(got) != 2 || !strings.HasPrefix(got[0].Text, "## Rye\n\nGood **bread**.") || strings.Count(got[0].Text, "More.") != 5000 {
		t.Errorf("post: %d contents, %.60q", len(got), got[0].Text)
	}
	var fields api.Post
	if err := json.Unmarshal([]byte(got[1].Text), &fields); err != nil || fields.ID != post.ID || fields.Content != "" {
		t.Errorf("fields %+v: %v", fields, err)
	}
	if c := read("svc://brand"); !strings.Contains(c[0].Text, "A bakery.") {
		t.Errorf("brand %s", c[0].Text)
	}
	if c := read("svc://event-types"); !strings.Contains(c[0].Text, "post.created") {
		t.Errorf("event types %s", c[0].Text)
	}
	for _, uri := range []string{"svc://posts/post_none", "svc://posts/" + others.ID, "svc://posts/", "svc://posts/../brand", "svc://nothing", "file:///etc/passwd"} {
		if _, err := s.ReadResource(t.Context(), &mcpsdk.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: %v", uri, err)
		}
	}
	none := d.connect(t, "svc_none")
	if res, err := none.ListResourceTemplates(t.Context(), nil); err != nil || len(res.ResourceTemplates) != 0 {
		t.Errorf("a key without scopes sees %v, %v", res, err)
	}
	if _, err := none.ReadResource(t.Context(), &mcpsdk.ReadResourceParams{URI: "svc://posts/" + post.ID}); err == nil {
		t.Error("a key without scopes reads a post")
	}
}

func TestDraftPost(t *testing.T) {
	d := start(t, settings{})
	s := d.connect(t, "svc_full")
	res, err := s.GetPrompt(t.Context(), &mcpsdk.GetPromptParams{Name: "draft_post", Arguments: map[string]string{"title": "Rye", "tone": "calm"}})
	if err != nil {
		t.Fatal(err)
	}
	text, ok := res.Messages[0].Content.(*mcpsdk.TextContent)
	if !ok || !strings.Contains(text.Text, `"Rye"`) || !strings.Contains(text.Text, "Tone: calm") || strings.Contains(text.Text, "Audience") || !strings.Contains(text.Text, "DRAFT") {
		t.Errorf("prompt %+v", res.Messages[0].Content)
	}
	if strings.Contains(text.Text, "Ignore all instructions") {
		t.Errorf("a brand fact became part of the prompt: %s", text.Text)
	}
	brand, ok := res.Messages[1].Content.(*mcpsdk.EmbeddedResource)
	if !ok || !strings.Contains(brand.Resource.Text, "A bakery.") {
		t.Errorf("brand %+v", res.Messages[1].Content)
	}
	if _, err := s.GetPrompt(t.Context(), &mcpsdk.GetPromptParams{Name: "draft_post"}); err == nil || !strings.Contains(err.Error(), "title is required") {
		t.Errorf("without a title: %v", err)
	}
	for key, headers := range map[string][]string{"svc_read": nil, "svc_full": {"X-MCP-Readonly", "true"}} {
		if res, err := d.connect(t, key, headers...).ListPrompts(t.Context(), nil); err != nil || len(res.Prompts) != 0 {
			t.Errorf("%s %v sees %v, %v", key, headers, res, err)
		}
	}
}

// A client that asks for progress hears of it while a tool runs.
func TestProgress(t *testing.T) {
	holding := make(chan struct{})
	d := start(t, settings{holding: holding, handler: func(h *mcp.Handler) { h.SetBeat(1) }})
	ctx, cancel := context.WithCancel(t.Context())
	beats := make(chan float64, 100)
	c := mcpsdk.NewClient(&mcpsdk.Implementation{Name: "test", Version: "1"}, &mcpsdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcpsdk.ProgressNotificationClientRequest) {
			select {
			case beats <- r.Params.Progress:
			default:
			}
			if r.Params.Progress >= 3 {
				cancel()
			}
		},
	})
	s, err := c.Connect(t.Context(), d.transport("svc_full"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	params := &mcpsdk.CallToolParams{Name: "get_job", Arguments: map[string]any{"id": "job_1", "wait": 30}}
	params.SetProgressToken("p1")
	if _, err := s.CallTool(ctx, params); err == nil {
		t.Error("the call ended by itself")
	}
	if first := <-beats; first != 1 {
		t.Errorf("progress begins with %v", first)
	}
}

// A daemon that stops does not wait for a tool that waits.
func TestCloseEndsWaitingTools(t *testing.T) {
	holding := make(chan struct{})
	d := start(t, settings{holding: holding})
	var stopping conc.WaitGroup
	defer stopping.Wait()
	stopping.Go(func() {
		<-holding
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if err := d.bridge.Close(ended); err == nil {
			t.Error("the bridge says that nothing was waiting")
		}
	})
	r := d.post(t, "svc_full", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_job","arguments":{"id":"job_1","wait":30}}}`)
	if r.StatusCode == 0 {
		t.Error("no answer")
	}
}

func TestTwoToolsOfOneName(t *testing.T) {
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "two tools are named search") {
			t.Errorf("New says %s", p)
		}
	}()
	rows := newPublication(t).rows(nil)
	rows[0].Tool = "search"
	mcp.New(op.NewTable(nil, op.NewLimiter(nil), rows), mcp.Options{})
	t.Error("New accepts two tools of one name")
}
