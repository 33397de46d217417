package daemon_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// rpc calls a method of the MCP server and returns its result.
func (in *instance) rpc(t *testing.T, method, params string, headers ...string) (result map[string]any, size int) {
	t.Helper()
	a := in.send(t, "POST", "/svc-api/mcp", in.A.Key, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params),
		append(headers, "Accept", "application/json, text/event-stream")...)
	result, ok := a.JSON(t)["result"].(map[string]any)
	if !ok {
		t.Fatalf("%s: %s %s", method, a.Status, a.Body)
	}
	return result, len(a.Body)
}

var wireTalk = regexp.MustCompile(`GET /|POST /|\bREST\b|If-Match|\bheader\b`)

// TestAcceptTools measures the tool list that a model pays for with every
// request, and holds its words to what a model can act on.
func TestAcceptTools(t *testing.T) {
	in := start(t)
	list, size := in.rpc(t, "tools/list", `{}`)
	tools := list["tools"].([]any)
	if len(tools) < 10 || len(tools) > 20 || size > 21<<10 {
		t.Errorf("%d tools in %d bytes; at most 20 in 24 KiB, of which 3 are for tools to come", len(tools), size)
	}
	t.Logf("%d tools, %d bytes", len(tools), size)
	all, _ := in.rpc(t, "tools/list", `{}`, "X-MCP-Toolsets", "all")
	for _, v := range all["tools"].([]any) {
		tool := v.(map[string]any)
		if found := wireTalk.FindString(string(encode(t, tool))); found != "" {
			t.Errorf("%s speaks of %q", tool["name"], found)
		}
		hints := tool["annotations"].(map[string]any)
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, said := hints[hint]; !said {
				t.Errorf("%s does not say %s", tool["name"], hint)
			}
		}
		if tool["inputSchema"] == nil || tool["outputSchema"] == nil || tool["description"] == "" {
			t.Errorf("%s lacks a schema or description", tool["name"])
		}
	}
}

// TestToolSchemasSayWhatIsDone holds the schemas to what a model's call does: no
// PUBLISHED where a draft is made, and a tool works with its required members
// alone.
func TestToolSchemasSayWhatIsDone(t *testing.T) {
	in := start(t)
	all, _ := in.rpc(t, "tools/list", `{}`, "X-MCP-Toolsets", "all")
	for _, v := range all["tools"].([]any) {
		tool := v.(map[string]any)
		switch name := tool["name"].(string); name {
		case "create_post", "create_helpdesk_article", "generate_post", "update_helpdesk_article":
			if strings.Contains(string(encode(t, tool["inputSchema"])), "PUBLISHED") {
				t.Errorf("%s offers PUBLISHED", name)
			}
		}
	}
	made, _ := in.rpc(t, "tools/call", `{"name":"generate_post","arguments":{"title":"Rye bread"}}`)
	started, _ := made["structuredContent"].(map[string]any)
	if made["isError"] == true || started["jobId"] == nil {
		t.Fatalf("the title alone: %v", made)
	}
	job := in.send(t, "GET", "/svc-api/v1/posts/jobs/"+started["jobId"].(string)+"?wait=30", in.A.Key, "").JSON(t)
	post := in.send(t, "GET", "/svc-api/v1/posts/"+started["postId"].(string), in.A.Key, "").JSON(t)
	if post["content"] == "" || post["featuredImage"] != nil || post["status"] != "DRAFT" {
		t.Errorf("made %v by %v", post, job)
	}
	none, _ := in.rpc(t, "tools/call", `{"name":"generate_post","arguments":{"title":"x","generateContent":false,"generateDescription":false,"generateTags":false}}`)
	if text := string(encode(t, none)); none["isError"] != true || !strings.Contains(text, "no_generation_flags") {
		t.Errorf("flags that are off: %s", text)
	}
}

// TestAcceptToolPosts has what a model makes be a draft, shown sanitised, and
// refuses text that no person writes as the model's mistake.
func TestAcceptToolPosts(t *testing.T) {
	in := start(t)
	call := func(name, arguments string) map[string]any {
		t.Helper()
		result, _ := in.rpc(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
		return result
	}
	made := call("create_post", `{"title":"From a model","content":"<p>x<script>1</script></p>","status":"PUBLISHED"}`)["structuredContent"].(map[string]any)
	if made["status"] != "DRAFT" || made["content"] != "<p>x</p>" || made["provenance"].(map[string]any)["source"] != "mcp" {
		t.Errorf("%v", made)
	}
	dense := call("create_post", `{"title":"Dense","contentFormat":"markdown","content":`+string(encode(t, strings.Repeat("[", 50_000)))+`}`)
	if text := string(encode(t, dense)); dense["isError"] != true || !strings.Contains(text, "validation_failed") || !strings.Contains(text, "/content") {
		t.Errorf("dense: %.300s", text)
	}
	id := in.post(t, in.A.Key, `{"title":"Dense","content":`+string(encode(t, strings.Repeat("<b>x</b>", 60_000)))+`}`)
	read, _ := in.rpc(t, "resources/read", `{"uri":"svc://posts/`+id+`"}`)
	if len(read["contents"].([]any)) != 2 {
		t.Errorf("%.300s", encode(t, read))
	}
}
