package daemon_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// TestPropertyREST sends inputs that the contract allows to every operation on
// REST. The answer is one that the contract lists, of its schema, and never a
// 5XX. Nothing is left out: no operation on REST ends the key that it is called
// with. A task with an address is, for nothing may leave this machine.
func TestPropertyREST(t *testing.T) {
	w := newWorld(t)
	for _, o := range w.contract.operations() {
		t.Run(o.OperationID, func(t *testing.T) { rapid.Check(t, func(rt *rapid.T) { w.rest(rt, o) }) })
	}
	t.Logf("%d requests, by status %v", w.sent, w.statuses)
}

// TestPropertyTools calls every tool of the MCP server with arguments that its
// schema allows. The answer has the tool's schema, or is a refusal that its row
// lists.
func TestPropertyTools(t *testing.T) {
	w := newWorld(t)
	all, _ := w.in.rpc(t, "tools/list", `{}`, "X-MCP-Toolsets", "all")
	for _, v := range all["tools"].([]any) {
		tool := v.(map[string]any)
		out, err := resolve(tool["outputSchema"])
		if err != nil {
			t.Fatal(err)
		}
		t.Run(tool["name"].(string), func(t *testing.T) { rapid.Check(t, func(rt *rapid.T) { w.tool(rt, tool, out) }) })
	}
	t.Logf("%d calls, by status %v", w.sent, w.statuses)
}

// world is a daemon with objects of every kind, and what is known of them.
type world struct {
	in       *instance
	contract *contract
	pixel    string              // a picture
	root     map[string]any      // of the schema being drawn from
	ids      map[string]string   // by noun
	pool     map[string][]string // ids by prefix, slugs under "slug"
	sent     int
	statuses map[string]int
}

// newWorld has every property tried SVC_PROPERTY_ROUNDS times per operation,
// from SVC_PROPERTY_SEED on.
func newWorld(t *testing.T) *world {
	seed := settingOr("SVC_PROPERTY_SEED", rand.Uint64N(1<<32)+1)
	t.Logf("SVC_PROPERTY_SEED=%d", seed)
	for name, value := range map[string]uint64{"rapid.seed": seed, "rapid.checks": settingOr("SVC_PROPERTY_ROUNDS", 8)} {
		old := flag.Lookup(name).Value.String()
		t.Cleanup(func() { _ = flag.Set(name, old) })
		if err := flag.Set(name, strconv.FormatUint(value, 10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		t.Fatal(err)
	}
	w := &world{in: start(t), pool: map[string][]string{}, statuses: map[string]int{}}
	w.contract, w.pixel = w.in.contract(t), dot(t)
	w.ids = w.in.populate(t, w.in.A)
	for noun, id := range w.ids {
		if strings.HasSuffix(noun, ".slug") {
			w.learn(`"slug":"` + id + `"`)
		} else if noun != "tasks" {
			w.learn(`"id":"` + id + `"`)
		}
	}
	made := w.in.procedure(t, "tasks.create", w.in.session(t, w.in.A),
		`{"agentId":"`+w.ids["agents"]+`","kind":"llm","name":"Greet","promptTemplate":"Greet {{person.name}}."}`)
	if w.learn(string(made.Body)); len(w.pool["task"]) != 1 {
		t.Fatalf("%s", made.Body)
	}
	return w
}

func settingOr(name string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

var known = regexp.MustCompile(`"(id|slug)":"([^"]*)"`)

// learn keeps the ids and slugs of an answer, so that later inputs name them.
func (w *world) learn(body string) {
	for _, m := range known.FindAllStringSubmatch(body, -1) {
		kind := m[1]
		if kind == "id" {
			kind, _, _ = strings.Cut(m[2], "_")
		}
		if !slices.Contains(w.pool[kind], m[2]) {
			w.pool[kind] = append(w.pool[kind], m[2])[max(0, len(w.pool[kind])-7):]
		}
	}
}

func (w *world) exchange(rt *rapid.T, req *http.Request) answer {
	req.Header.Set("Authorization", "Bearer "+w.in.A.Key)
	client := http.Client{Timeout: time.Minute}
	res, err := client.Do(req)
	if err != nil {
		rt.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		rt.Fatal(err)
	}
	w.sent++
	return answer{res, body}
}

// rest makes one request of an operation.
func (w *world) rest(rt *rapid.T, o *operation) {
	path, query, header := o.path, url.Values{}, http.Header{}
	for _, p := range o.Parameters {
		if p.In == "path" || p.Required || rapid.Bool().Draw(rt, "with "+p.Name) {
			value := w.parameter(rt, o, p)
			switch p.In {
			case "path":
				path = strings.Replace(path, "{"+p.Name+"}", url.PathEscape(value), 1)
			case "query":
				query.Set(p.Name, value)
			default:
				header.Set(p.Name, value)
			}
		}
	}
	body := ""
	if o.RequestBody != nil {
		body = w.body(rt, o, header)
	}
	target := restPrefix + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(rt.Context(), o.method, w.in.URL+target, strings.NewReader(body))
	if err != nil {
		rt.Fatal(err)
	}
	req.Header = header
	a := w.exchange(rt, req)
	w.statuses[strconv.Itoa(a.StatusCode)]++
	why := w.contract.check(o, a)
	if a.StatusCode >= 500 && a.StatusCode != http.StatusInsufficientStorage {
		why = a.Status
	}
	if why != "" {
		rt.Fatalf("%s\n%s %s %v\n%s\n%.800s", why, o.method, target, header, body, a.Body)
	}
	if a.StatusCode < 300 {
		w.learn(string(a.Body))
	}
}

// parameter is one as text. Headers hold what headers can hold.
func (w *world) parameter(rt *rapid.T, o *operation, p parameter) string {
	if p.In == "header" {
		return rapid.SampledFrom([]string{`"1"`, `"2"`, "*", "key", "another key", `W/"1"`, "~"}).Draw(rt, p.Name)
	}
	name := p.Name
	if name == "id" {
		name = w.kindOf(o.OperationID)
	}
	w.root = p.Schema
	switch v := w.value(rt, p.Schema, name).(type) {
	case string:
		return v
	default:
		b, err := json.Marshal(v)
		if err != nil {
			rt.Fatal(err)
		}
		return string(b)
	}
}

func (w *world) body(rt *rapid.T, o *operation, header http.Header) string {
	for kind, m := range o.RequestBody.Content {
		if kind != "application/json" {
			header.Set("Content-Type", "image/png")
			return rapid.OneOf(rapid.Just("\x89PNG\r\n\x1a\n"), rapid.StringN(1, 60, -1), rapid.Just("GIF89a"), rapid.Just(w.pixel)).Draw(rt, "picture")
		}
		header.Set("Content-Type", kind)
		w.root = map[string]any{"components": map[string]any{"schemas": decodedSchemas(rt, w.contract)}}
		var s map[string]any
		if err := json.Unmarshal(m.Schema, &s); err != nil {
			rt.Fatal(err)
		}
		b, err := json.Marshal(w.value(rt, s, "body"))
		if err != nil {
			rt.Fatal(err)
		}
		return string(b)
	}
	return ""
}

// tool makes one call of a tool.
func (w *world) tool(rt *rapid.T, tool map[string]any, out *jsonschema.Resolved) {
	name := tool["name"].(string)
	row := rowOf(w.in, name)
	in := tool["inputSchema"].(map[string]any)
	w.root = in
	args := w.value(rt, in, w.kindOf(row.Name)).(map[string]any)
	if _, named := args["id"]; named && rapid.IntRange(0, 4).Draw(rt, "known") > 0 {
		args["id"] = w.pick(rt, w.kindOf(row.Name), "")
	}
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args}})
	if err != nil {
		rt.Fatal(err)
	}
	req, err := http.NewRequestWithContext(rt.Context(), "POST", w.in.URL+"/svc-api/mcp", strings.NewReader(string(call)))
	if err != nil {
		rt.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-MCP-Toolsets": "all"} {
		req.Header.Set(name, value)
	}
	a := w.exchange(rt, req)
	if why := w.judge(row, out, a); why != "" {
		rt.Fatalf("%s\n%s\n%s %.1200s", why, call, a.Status, a.Body)
	}
}

// judge says what is wrong with a tool's answer, "" for nothing.
func (w *world) judge(row *op.Op, out *jsonschema.Resolved, a answer) string {
	var reply struct {
		Result *struct {
			IsError    bool            `json:"isError"`
			Structured json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(a.Body, &reply); err != nil || a.StatusCode != http.StatusOK || reply.Result == nil {
		return fmt.Sprint("no result: ", err)
	}
	var v any
	if err := json.Unmarshal(reply.Result.Structured, &v); err != nil {
		return err.Error()
	}
	if reply.Result.IsError {
		code, _ := v.(map[string]any)["code"].(string)
		w.statuses[code]++
		if !slices.Contains(append(row.Refusals(), api.CodeValidationFailed, api.CodeUnknownField), api.Code(code)) {
			return "the row does not list " + code
		}
		return ""
	}
	w.statuses["ok"]++
	w.learn(string(reply.Result.Structured))
	if err := out.Validate(v); err != nil {
		return err.Error()
	}
	return ""
}

// rowOf is the row of a tool. That of the search over everything, which is not a
// row of the table, refuses as a row that takes nothing special.
func rowOf(in *instance, tool string) *op.Op {
	for _, o := range in.Table().Ops {
		if o.Tool == tool {
			return o
		}
	}
	return &op.Op{Name: tool + "." + tool, Hints: op.Hints{ReadOnly: true}}
}

// kindOf is the prefix of the ids that an operation is about, "" for none.
func (w *world) kindOf(name string) string {
	if w.in.Table().Lookup(name) == nil && name != "jobs.follow" {
		return ""
	}
	prefix, _, _ := strings.Cut(w.ids[name[:strings.LastIndexByte(name, '.')]], "_")
	return prefix
}

func resolve(schema any) (*jsonschema.Resolved, error) {
	b, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}
