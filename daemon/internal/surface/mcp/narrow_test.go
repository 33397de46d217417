package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/surface/mcp"
)

// failure is a tool's refusal.
type failure struct {
	Code          string
	Message       string
	Hint          string
	Retryable     bool
	RequiredScope string
	SuggestedSlug string
	RetryAfter    int `json:"retryAfterSeconds"`
	RequestID     string
	Errors        []struct{ Pointer, Code, Message string }
}

func TestListsAreNarrowed(t *testing.T) {
	d := start(t, settings{})
	reading := []string{"get_job", "get_post", "list_posts", "search"}
	for _, c := range []struct {
		key     string
		headers []string
		want    []string
	}{
		{"svc_read", nil, append(reading, "whoami")},
		{"svc_none", nil, []string{"whoami"}},
		{"svc_full", []string{"X-MCP-Toolsets", "jobs, context"}, []string{"get_job", "search", "whoami"}},
		{"svc_read", []string{"X-MCP-Toolsets", "posts"}, []string{"get_post", "list_posts"}},
		{"svc_full", []string{"X-MCP-Readonly", "true"}, append(reading, "whoami")},
		{"svc_full", []string{"X-MCP-Readonly", "true", "X-MCP-Toolsets", "posts"}, []string{"get_post", "list_posts"}},
		{"svc_full", []string{"X-MCP-Readonly", "false", "X-MCP-Toolsets", "broken"}, []string{"break_things"}},
		{"svc_full", []string{"X-MCP-Toolsets", "all"}, append(reading, "whoami", "archive_post", "break_things", "create_post",
			"generate_post_image", "publish_post", "update_post")},
	} {
		slices.Sort(c.want)
		if got := names(allTools(t, d, c.key, c.headers...)); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.key, c.headers, got, c.want)
		}
	}
}

// Not on the list means not to be called either, and the refusal says why.
func TestNarrowedToolsAreRefused(t *testing.T) {
	d := start(t, settings{})
	post := d.posts.put("team_a", "a", "b")
	for _, c := range []struct {
		key, tool, code, scope string
		headers                []string
	}{
		{"svc_read", "create_post", "insufficient_scope", "posts:write", nil},
		{"svc_read", "archive_post", "insufficient_scope", "posts:write", nil},
		{"svc_none", "get_post", "insufficient_scope", "posts:read", nil},
		{"svc_none", "search", "insufficient_scope", "posts:read", nil},
		{"svc_full", "create_post", "method_not_allowed", "", []string{"X-MCP-Readonly", "true"}},
		{"svc_full", "publish_post", "method_not_allowed", "", []string{"X-MCP-Toolsets", "jobs"}},
	} {
		var f failure
		args := map[string]any{"id": post.ID, "title": "x", "content": "y", "query": "z"}
		res := call(t, d.connect(t, c.key, c.headers...), c.tool, args, &f)
		if !res.IsError || f.Code != c.code || f.RequiredScope != c.scope || f.Hint == "" || f.Message == "" {
			t.Errorf("%s calls %s %v: %+v", c.key, c.tool, c.headers, f)
		}
	}
	if calls := d.posts.called(); len(calls) != 0 {
		t.Errorf("rows ran: %v", calls)
	}
}

func TestToolsBeyondTheDefaultMayBeCalled(t *testing.T) {
	d := start(t, settings{})
	post := d.posts.put("team_a", "a", "b")
	if res := call(t, d.connect(t, "svc_full"), "archive_post", map[string]any{"id": post.ID}, nil); res.IsError {
		t.Errorf("archive_post: %s", textOf(t, res))
	}
}

func TestNarrowingHeadersAreChecked(t *testing.T) {
	d := start(t, settings{})
	for _, header := range [][2]string{{"X-MCP-Toolsets", "posts,people"}, {"X-MCP-Readonly", "perhaps"}} {
		r := d.post(t, "svc_full", list, header[0], header[1])
		if r.StatusCode != 400 || r.code(t) != "invalid_parameter" {
			t.Errorf("%v: %d %s", header, r.StatusCode, r.body)
		}
	}
}

func TestServersAreBounded(t *testing.T) {
	d := start(t, settings{})
	groups := []string{"context", "posts", "jobs", "broken"}
	for _, key := range []string{"svc_full", "svc_read", "svc_none"} {
		for set := 1; set < 1<<len(groups); set++ {
			var chosen []string
			for i, g := range groups {
				if set&(1<<i) != 0 {
					chosen = append(chosen, g)
				}
			}
			for _, only := range []string{"true", "false"} {
				r := d.post(t, key, list, "X-MCP-Toolsets", strings.Join(chosen, ","), "X-MCP-Readonly", only)
				if r.StatusCode != 200 {
					t.Fatalf("%v: %d %s", chosen, r.StatusCode, r.body)
				}
			}
		}
	}
	if n := d.handler.Servers(); n != mcp.MaxServers {
		t.Errorf("%d servers are kept after 90 choices, want %d", n, mcp.MaxServers)
	}
}

// The table's checks hold for tools as they do on REST.
func TestRefusalsAreForModels(t *testing.T) {
	d := start(t, settings{})
	others := d.posts.put("team_b", "Theirs", "secret")
	s := d.connect(t, "svc_full")
	for _, c := range []struct {
		tool, args, code, pointer string
	}{
		{"get_post", `{"id":"post_none"}`, "not_found", ""},
		{"get_post", fmt.Sprintf(`{"id":%q}`, others.ID), "not_found", ""},
		{"get_post", `{"id":5}`, "validation_failed", "/id"},
		{"get_post", `{"id":5,"x":{}}`, "validation_failed", "/id"},
		{"get_post", `{"id":"a","x":{}}`, "unknown_field", "/x"},
		{"get_post", `{"ID":"a"}`, "validation_failed", "/ID"},
		{"get_post", `{}`, "validation_failed", "/id"},
		{"get_post", `null`, "validation_failed", "/id"},
		{"list_posts", `{"limit":51}`, "validation_failed", "/limit"},
		{"list_posts", `{"limit":0.5}`, "validation_failed", "/limit"},
		{"list_posts", `{"cursor":"x"}`, "invalid_cursor", ""},
		{"list_posts", `{"contentFormat":"html"}`, "unknown_field", "/contentFormat"},
		{"create_post", `{"title":"a","content":"b","contentFormat":"docx"}`, "validation_failed", "/contentFormat"},
		{"create_post", `{"title":"a","content":7,"contentFormat":"markdown"}`, "validation_failed", "/content"},
		{"create_post", `{"title":"","content":"b"}`, "validation_failed", "/title"},
		{"create_post", `{"title":"a","content":"b","slug":"taken"}`, "slug_taken", ""},
		{"search", `{"query":""}`, "validation_failed", "/query"},
		{"break_things", `{}`, "internal", ""},
	} {
		var f failure
		res := call(t, s, c.tool, raw(c.args), &f)
		pointer := ""
		if len(f.Errors) > 0 {
			pointer = f.Errors[0].Pointer
		}
		if !res.IsError || f.Code != c.code || pointer != c.pointer || f.Message == "" || f.Hint == "" || f.RequestID != "req_test" {
			t.Errorf("%s %s: %+v", c.tool, c.args, f)
		}
		if f.Retryable != (c.code == "internal") {
			t.Errorf("%s %s: retryable %v", c.tool, c.args, f.Retryable)
		}
		if strings.Contains(textOf(t, res), "secret") {
			t.Errorf("%s %s tells a secret: %s", c.tool, c.args, textOf(t, res))
		}
	}
	var f failure
	if call(t, s, "create_post", raw(`{"title":"a","content":"b","slug":"taken"}`), &f); f.SuggestedSlug != "taken-2" {
		t.Errorf("suggests %q", f.SuggestedSlug)
	}
}
