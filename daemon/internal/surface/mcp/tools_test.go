package mcp_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"edgesvc.dev/svc/sdk/api"
)

var update = flag.Bool("update", false, "write the golden files")

func TestToolsRunTheirRows(t *testing.T) {
	s := start(t, settings{}).connect(t, "svc_full")
	var made, got api.Post
	call(t, s, "create_post", map[string]any{"title": "Bread", "content": "<p>Rye &amp; <b>wheat</b></p>"}, &made)
	if made.Status != api.PostDraft || made.Provenance.Source != "mcp" {
		t.Errorf("created %s by %s, want a draft by mcp", made.Status, made.Provenance.Source)
	}
	call(t, s, "get_post", map[string]any{"id": made.ID}, &got)
	if got.Content != "<p>Rye &amp; <b>wheat</b></p>" {
		t.Errorf("content %q", got.Content)
	}
	var job api.JobStarted
	call(t, s, "create_post", map[string]any{"title": "Bread", "generateContent": true}, &job)
	if job.State != api.JobQueued {
		t.Errorf("started %+v", job)
	}
	var me api.Me
	call(t, s, "whoami", nil, &me)
	if me.Actor.ID != "key_full" || me.KeyName != "mcp req_test" {
		t.Errorf("the row sees %+v", me)
	}
}

func TestContentMayBeMarkdown(t *testing.T) {
	d := start(t, settings{})
	s := d.connect(t, "svc_full")
	var p api.Post
	call(t, s, "create_post", map[string]any{"title": "a", "content": "# Rye\n\n*good*", "contentFormat": "markdown"}, &p)
	if !strings.Contains(p.Content, "<em>good</em>") || !strings.Contains(p.Content, "Rye</h1>") {
		t.Errorf("content %q", p.Content)
	}
	call(t, s, "update_post", map[string]any{"id": p.ID, "content": "**x**", "contentFormat": "markdown"}, &p)
	if !strings.Contains(p.Content, "<strong>x</strong>") {
		t.Errorf("content %q", p.Content)
	}
	call(t, s, "update_post", map[string]any{"id": p.ID, "content": "**x**", "contentFormat": "html"}, &p)
	if p.Content != "**x**" {
		t.Errorf("content %q", p.Content)
	}
}

func TestIdempotencyKey(t *testing.T) {
	d := start(t, settings{})
	s := d.connect(t, "svc_full")
	params := &mcpsdk.CallToolParams{
		Meta: mcpsdk.Meta{"edgesvc.dev/idempotencyKey": "k1"},
		Name: "create_post", Arguments: map[string]any{"title": "a", "content": "b"},
	}
	var answers []string
	for range 2 {
		res, err := s.CallTool(t.Context(), params)
		if err != nil || res.IsError {
			t.Fatalf("%v %v", res, err)
		}
		answers = append(answers, textOf(t, res))
	}
	if !sameJSON([]byte(answers[0]), []byte(answers[1])) {
		t.Errorf("the repeated call answers\n%s\nthe first\n%s", answers[1], answers[0])
	}
	if n := len(d.posts.posts["team_a"]); n != 1 {
		t.Errorf("%d posts, want 1", n)
	}
}

// allTools lists what a key may see of everything.
func allTools(t testing.TB, d *daemon, key string, headers ...string) []*mcpsdk.Tool {
	t.Helper()
	res, err := d.connect(t, key, headers...).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return res.Tools
}

func names(tools []*mcpsdk.Tool) []string {
	out := make([]string, len(tools))
	for i, tool := range tools {
		out[i] = tool.Name
	}
	slices.Sort(out)
	return out
}

func TestToolsGolden(t *testing.T) {
	tools := allTools(t, start(t, settings{}), "svc_full", "X-MCP-Toolsets", "all")
	got, err := json.MarshalIndent(tools, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/tools.golden.json"
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("the tools are not those of %s; if they are to change, run with -update:\n%s", file, diff)
	}
}

// What every client depends on, whatever rows there are.
func TestToolsAreDescribed(t *testing.T) {
	tools := allTools(t, start(t, settings{}), "svc_full", "X-MCP-Toolsets", "all")
	for _, tool := range tools {
		if strings.Trim(tool.Name, "abcdefghijklmnopqrstuvwxyz_") != "" || tool.Title == "" || tool.Description == "" {
			t.Errorf("tool %+v", tool)
		}
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || a.ReadOnlyHint && (*a.DestructiveHint || !a.IdempotentHint) {
			t.Errorf("%s: annotations %+v", tool.Name, a)
		}
		for kind, schema := range map[string]any{"input": tool.InputSchema, "output": tool.OutputSchema} {
			resolved(t, tool.Name+" "+kind, schema)
		}
	}
}

// resolved compiles a schema, which fails on a reference that leads nowhere.
func resolved(t testing.TB, name string, schema any) *jsonschema.Resolved {
	t.Helper()
	b, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, b)
	}
	r, err := s.Resolve(nil)
	if err != nil || s.Type != "object" {
		t.Fatalf("%s: type %s, %v\n%s", name, s.Type, err, b)
	}
	return r
}

func TestAnswersFitTheirSchemas(t *testing.T) {
	d := start(t, settings{})
	post := d.posts.put("team_a", "Long", strings.Repeat("<p>word</p>", 10_000))
	s := d.connect(t, "svc_full", "X-MCP-Toolsets", "all")
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range allTools(t, d, "svc_full", "X-MCP-Toolsets", "all") {
		schemas[tool.Name] = resolved(t, tool.Name, tool.OutputSchema)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"whoami", nil},
		{"search", map[string]any{"query": "long"}},
		{"list_posts", map[string]any{"include": "content"}},
		{"get_post", map[string]any{"id": post.ID}},
		{"create_post", map[string]any{"title": "a", "content": "b"}},
		{"create_post", map[string]any{"title": "a", "generateTags": true}},
		{"update_post", map[string]any{"id": post.ID, "title": "b"}},
		{"publish_post", map[string]any{"id": post.ID}},
		{"archive_post", map[string]any{"id": post.ID}},
		{"generate_post_image", map[string]any{"id": post.ID}},
		{"get_job", map[string]any{"id": "job_1"}},
	} {
		var answer map[string]any
		if res := call(t, s, c.tool, c.args, &answer); res.IsError {
			t.Errorf("%s: %v", c.tool, answer)
		} else if err := schemas[c.tool].Validate(answer); err != nil {
			t.Errorf("%s: %v", c.tool, err)
		}
	}
}

func TestDefaultToolsAreFew(t *testing.T) {
	tools := allTools(t, start(t, settings{}), "svc_full")
	b, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools) > 20 || len(b) > 24<<10 {
		t.Errorf("%d tools of %d bytes, want at most 20 and %d", len(tools), len(b), 24<<10)
	}
	if got := names(tools); slices.Contains(got, "archive_post") || !slices.Contains(got, "search") {
		t.Errorf("default tools %v", got)
	}
}

func TestSearch(t *testing.T) {
	d := start(t, settings{})
	d.posts.put("team_a", "Rye bread", "x")
	d.posts.put("team_a", "Cake", "x")
	d.posts.put("team_b", "Rye of others", "x")
	s := d.connect(t, "svc_read")
	var found struct {
		Results []struct{ ID, Type, Title, URL, Snippet string }
	}
	call(t, s, "search", map[string]any{"query": "rye"}, &found)
	if len(found.Results) != 1 {
		t.Fatalf("found %+v", found)
	}
	r := found.Results[0]
	if r.Title != "Rye bread" || r.Type != "post" || r.URL != "svc://posts/"+r.ID || r.Snippet != "About Rye bread" {
		t.Errorf("found %+v", r)
	}
	if _, err := s.ReadResource(t.Context(), &mcpsdk.ReadResourceParams{URI: r.URL}); err != nil {
		t.Errorf("read what was found: %v", err)
	}
}

func TestListsArePrivate(t *testing.T) {
	d := start(t, settings{})
	for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
			"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, method)
		r := d.post(t, "svc_full", body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method)
		var res struct{ CacheScope string }
		if err := json.Unmarshal(r.rpc(t).Result, &res); err != nil || res.CacheScope != "private" {
			t.Errorf("%s: scope %q (%v): %s", method, res.CacheScope, err, r.body)
		}
	}
}
