package daemon_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"edgesvc.dev/svc/kv"
)

// abuseCase is one hostile request of testdata/abuse.json.
type abuseCase struct {
	ID, Title, Driver, Method, Path string
	Raw, Headers, Body              json.RawMessage
	Expect                          map[string]json.RawMessage
}

// TestAbuse sends every hostile request and holds the daemon to the outcome
// that the file names. After each the daemon must still be healthy.
func TestAbuse(t *testing.T) {
	raw, err := os.ReadFile("testdata/abuse.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Cases []abuseCase }
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	in := start(t)
	vars := abuseVars(t, in)
	for _, c := range doc.Cases {
		t.Run(c.ID, func(t *testing.T) {
			a := &attack{instance: in, vars: vars, c: c}
			a.run(t)
			if h := in.send(t, "GET", "/healthz", "", ""); h.StatusCode != http.StatusOK {
				t.Errorf("unhealthy afterwards: %s", h.Status)
			}
		})
	}
	for _, secret := range []string{in.A.Key, in.B.Key, vars["KEY_A_READ"], in.session(t, in.A), taskKey, "panic"} {
		if strings.Contains(in.log.String(), secret) {
			t.Errorf("the log holds %.9s…", secret)
		}
	}
}

func abuseVars(t *testing.T, in *instance) map[string]string {
	vars := map[string]string{
		"HOST": in.Addr, "KEY_A": in.A.Key, "KEY_B": in.B.Key, "TEAM_B": in.B.TeamID,
		"KEY_A_READ": in.readOnlyKey(t), "MODEL": "gpt-6-luna", "TOOL_POST_CREATE": "create_post", "RUN": "1",
		"ABSENT_ID": kv.NewID("post"), "TITLE_B": "Title of B", "LIMIT_BODY": "1048576",
	}
	typo := []byte(in.A.Key)
	typo[10] ^= 1
	vars["KEY_A_TYPO"] = string(typo)
	vars["POST_A"] = in.post(t, in.A.Key, `{"title":"A","content":"<p>a</p>"}`)
	in.post(t, in.A.Key, `{"title":"hello","content":"<p>a</p>"}`)
	vars["POST_B"] = in.post(t, in.B.Key, `{"title":"Title of B","content":"<p>b</p>"}`)
	in.post(t, in.B.Key, `{"title":"Title of B","content":"<p>b</p>"}`)
	page := in.send(t, "GET", "/svc-api/v1/posts?limit=1", in.B.Key, "").JSON(t)
	vars["CURSOR_B"] = page["nextCursor"].(string)
	vars["BASE"], vars["PROC_MUTATION"], vars["PROC_QUERY"] = in.URL, "posts.create", "posts.list"
	vars["SESSION_A"] = "svc_session=" + in.session(t, in.A)
	vars["PROC_TASK_GET"], vars["TASK_A"], vars["TASK_API_KEY"] = "tasks.get", in.sealedTask(t), taskKey
	return vars
}

// attack is one case under way.
type attack struct {
	*instance
	vars map[string]string
	c    abuseCase

	out     []byte
	closed  bool
	status  []int
	body    []byte
	before  string
	growth  int64
	created map[string]any
}

var variable = regexp.MustCompile(`\{\{(\w+)\}\}`)

func (a *attack) fill(s string) string {
	return variable.ReplaceAllStringFunc(s, func(m string) string {
		if v, ok := a.vars[m[2:len(m)-2]]; ok {
			return v
		}
		return m
	})
}

func (a *attack) run(t *testing.T) {
	a.before = a.digest(t)
	data := a.request(t)
	rss := resident(t)
	a.out, a.closed = exchange(t, a.Addr, data)
	a.growth = resident(t) - rss
	for _, m := range regexp.MustCompile(`HTTP/1\.1 (\d{3})`).FindAllSubmatch(a.out, -1) {
		if n, _ := strconv.Atoi(string(m[1])); n != 100 {
			a.status = append(a.status, n)
		}
	}
	_, a.body, _ = bytes.Cut(a.out, []byte("\r\n\r\n"))
	_ = json.Unmarshal(a.body, &a.created)
	for name, want := range a.c.Expect {
		check, ok := expectations[name]
		if !ok {
			t.Errorf("no check for the expectation %q", name)
			continue
		}
		check(t, a, want)
	}
	if len(a.status) == 0 {
		t.Errorf("no answer")
	}
}

// request is the bytes to send.
func (a *attack) request(t *testing.T) []byte {
	if a.c.Driver == "raw" {
		var plain string
		if json.Unmarshal(a.c.Raw, &plain) == nil {
			return latin1(a.fill(plain))
		}
		var long struct {
			Prefix, Repeat, Suffix string
			N                      int
		}
		mustJSON(t, a.c.Raw, &long)
		return latin1(a.fill(long.Prefix + strings.Repeat(long.Repeat, long.N) + long.Suffix))
	}
	body := a.bodyBytes(t)
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\n", a.c.Method, a.fill(a.c.Path), a.Addr)
	for _, h := range a.headers(t) {
		fmt.Fprintf(&head, "%s: %s\r\n", h[0], a.fill(h[1]))
	}
	fmt.Fprintf(&head, "Content-Length: %d\r\nConnection: close\r\n\r\n", len(body))
	return append([]byte(head.String()), body...)
}

func (a *attack) headers(t *testing.T) [][2]string {
	var pairs [][2]string
	if len(a.c.Headers) == 0 || json.Unmarshal(a.c.Headers, &pairs) == nil {
		return pairs
	}
	var named map[string]string
	mustJSON(t, a.c.Headers, &named)
	for k, v := range named {
		pairs = append(pairs, [2]string{k, v})
	}
	return pairs
}

func (a *attack) bodyBytes(t *testing.T) []byte {
	if len(a.c.Body) == 0 {
		return nil
	}
	filled := []byte(a.fill(string(a.c.Body)))
	var gen struct {
		Gen, S, Open string
		N            any
		MB, Digits   int
	}
	if json.Unmarshal(filled, &gen) == nil && gen.Gen != "" {
		n, _ := gen.N.(float64)
		switch gen.Gen {
		case "bytes":
			return []byte(gen.S)
		case "nest":
			return bytes.Repeat([]byte(gen.Open), int(n))
		case "members":
			m := map[string]int{}
			for i := range int(n) {
				m["k"+strconv.Itoa(i)] = 1
			}
			return encode(t, m)
		case "gzip_zeros":
			return gzipZeros(t, gen.MB)
		case "post_of_size":
			limit, _ := strconv.Atoi(a.vars["LIMIT_BODY"])
			base := `{"title":"a","content":"`
			return []byte(base + strings.Repeat("x", limit-len(base)-2) + `"}`)
		}
		if f := superJSONBodies[gen.Gen]; f != nil {
			return []byte(f(max(int(n), gen.Digits)))
		}
		t.Fatalf("unknown generator %s", gen.Gen)
	}
	var v any
	mustJSON(t, filled, &v)
	return encode(t, expand(v))
}

// expand replaces the generators inside a body.
func expand(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v["gen"] == "repeat" {
			return strings.Repeat(v["s"].(string), int(v["n"].(float64)))
		}
		for k := range v {
			v[k] = expand(v[k])
		}
	case []any:
		for i := range v {
			v[i] = expand(v[i])
		}
	}
	return v
}

// digest is everything that both teams can see of their posts and jobs.
func (a *attack) digest(t *testing.T) string {
	var all strings.Builder
	for _, key := range []string{a.A.Key, a.B.Key} {
		for _, path := range []string{"/posts?limit=100&include=content", "/posts/jobs?limit=100"} {
			all.Write(a.send(t, "GET", "/svc-api/v1"+path, key, "").Body)
		}
	}
	return all.String()
}

// expectations check what a case expects, by the expectation's name.
var expectations = map[string]func(*testing.T, *attack, json.RawMessage){
	"status": func(t *testing.T, a *attack, want json.RawMessage) {
		var any []int
		mustJSON(t, want, &any)
		if len(a.status) == 0 || !slices.Contains(any, a.status[0]) {
			t.Errorf("status %v, want one of %v: %.300s", a.status, any, a.body)
		}
	},
	"responses_max": func(t *testing.T, a *attack, want json.RawMessage) {
		var most int
		if mustJSON(t, want, &most); len(a.status) > most {
			t.Errorf("%d responses", len(a.status))
		}
	},
	"closed": func(t *testing.T, a *attack, _ json.RawMessage) {
		if !a.closed {
			t.Error("the connection stayed open")
		}
	},
	"not_contains": func(t *testing.T, a *attack, want json.RawMessage) {
		for _, s := range phrases(t, want) {
			if bytes.Contains(a.out, []byte(a.fill(s))) {
				t.Errorf("the answer holds %q", s)
			}
		}
	},
	"log_not_contains": func(t *testing.T, a *attack, want json.RawMessage) {
		for _, s := range phrases(t, want) {
			if strings.Contains(a.log.String(), a.fill(s)) {
				t.Errorf("the log holds %s", s)
			}
		}
	},
	"zero_side_effects": func(t *testing.T, a *attack, _ json.RawMessage) {
		if a.digest(t) != a.before {
			t.Error("something was changed")
		}
	},
	"no_job_created": func(t *testing.T, a *attack, _ json.RawMessage) {
		if jobs := a.send(t, "GET", "/svc-api/v1/posts/jobs", a.A.Key, "").JSON(t)["data"].([]any); len(jobs) > 0 {
			t.Errorf("%d jobs", len(jobs))
		}
	},
	"same_body_as": func(t *testing.T, a *attack, want json.RawMessage) {
		other := *a
		mustJSON(t, want, &other.c)
		out, _ := exchange(t, a.Addr, other.request(t))
		_, body, _ := bytes.Cut(out, []byte("\r\n\r\n"))
		id := regexp.MustCompile(`"requestId":"[^"]*"`)
		if x, y := id.ReplaceAllString(string(a.body), ""), id.ReplaceAllString(string(body), ""); x != y {
			t.Errorf("another team's object is told apart:\n%s\n%s", x, y)
		}
	},
	"valid_utf8": func(t *testing.T, a *attack, _ json.RawMessage) {
		if !utf8.Valid(a.body) {
			t.Error("the answer is not UTF-8")
		}
	},
	"json_if": func(t *testing.T, a *attack, want json.RawMessage) {
		var by map[string]map[string]any
		mustJSON(t, want, &by)
		for k, v := range by[strconv.Itoa(a.status[0])] {
			if a.created[k] != v {
				t.Errorf("%s is %v, want %v", k, a.created[k], v)
			}
		}
	},
	"rss_growth_max_mb": func(t *testing.T, a *attack, want json.RawMessage) {
		var most int64
		if mustJSON(t, want, &most); a.growth > most<<20*memoryFactor {
			t.Errorf("resident memory grew by %d MiB", a.growth>>20)
		}
	},
	// How long an answer takes is for benchmarks; that one comes is checked for all.
	"max_ms": func(*testing.T, *attack, json.RawMessage) {},
	"json_path": func(t *testing.T, a *attack, want json.RawMessage) {
		var at map[string]any
		mustJSON(t, want, &at)
		for path, v := range at {
			var got any = a.created
			for name := range strings.SplitSeq(path, ".") {
				members, _ := got.(map[string]any)
				got = members[name]
			}
			if got != v {
				t.Errorf("%s is %v, want %v: %.300s", path, got, v, a.body)
			}
		}
	},
	"jsonrpc_error": func(t *testing.T, a *attack, want json.RawMessage) {
		var codes []int
		mustJSON(t, want, &codes)
		e, _ := a.created["error"].(map[string]any)
		if code, ok := e["code"].(float64); !ok || !slices.Contains(codes, int(code)) {
			t.Errorf("JSON-RPC error is %v, want one of %v: %.300s", e, codes, a.body)
		}
	},
	"isError": func(t *testing.T, a *attack, _ json.RawMessage) {
		if !a.isToolError() {
			t.Errorf("no tool error: %.300s", a.body)
		}
	},
	"jsonrpc_error_or_isError": func(t *testing.T, a *attack, _ json.RawMessage) {
		if a.created["error"] == nil && !a.isToolError() {
			t.Errorf("no error: %.300s", a.body)
		}
	},
	"then": func(t *testing.T, a *attack, want json.RawMessage) {
		var steps []struct {
			Get                          string
			Unchanged                    bool
			GetCreated                   bool `json:"get_created"`
			HTMLActive, RenderedHTMLPage bool
		}
		mustJSON(t, want, &steps)
		for _, step := range steps {
			switch {
			case step.Unchanged:
				got := a.send(t, "GET", a.fill(step.Get), a.B.Key, "")
				if got.StatusCode != 200 || !strings.Contains(a.before, strings.TrimSuffix(string(got.Body), "}")) {
					t.Errorf("%s changed: %s", step.Get, got.Body)
				}
			case step.GetCreated:
				a.checkInert(t)
			default:
				t.Error("unknown step")
			}
		}
	},
}

func (a *attack) isToolError() bool {
	r, _ := a.created["result"].(map[string]any)
	e, _ := r["isError"].(bool)
	return e
}

// checkInert reads a created post and its public page back and looks for
// anything that would run.
func (a *attack) checkInert(t *testing.T) {
	if a.status[0] != http.StatusCreated {
		return
	}
	got := a.send(t, "GET", "/svc-api/v1/posts/"+a.created["id"].(string), a.A.Key, "").JSON(t)
	page := a.send(t, "GET", "/team-a/"+a.created["slug"].(string), "", "")
	if page.StatusCode != 200 {
		t.Errorf("public page: %s", page.Status)
	}
	for what, text := range map[string]string{"content": got["content"].(string), "page": string(page.Body)} {
		if found := activeHTML(t, text); found != "" {
			t.Errorf("%s runs %s", what, found)
		}
	}
}

// activeHTML names the first thing in a document that would run.
func activeHTML(t *testing.T, text string) string {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if isData(n) {
			continue
		}
		if slices.Contains([]string{"script", "iframe", "object", "embed", "base"}, n.Data) {
			return n.Data
		}
		for _, at := range n.Attr {
			value := strings.ToLower(strings.Map(func(r rune) rune {
				if r <= ' ' {
					return -1
				}
				return r
			}, at.Val))
			if strings.HasPrefix(at.Key, "on") || strings.HasPrefix(value, "javascript:") || at.Key == "srcdoc" {
				return n.Data + " " + at.Key
			}
		}
	}
	return ""
}

// isData reports a script element that no browser runs: the page's own JSON-LD,
// which is whole.
func isData(n *html.Node) bool {
	return n.Data == "script" && slices.Equal(n.Attr, []html.Attribute{{Key: "type", Val: "application/ld+json"}}) &&
		n.FirstChild != nil && json.Valid([]byte(n.FirstChild.Data))
}

// exchange sends bytes on a connection of its own and reads until the server
// closes it, or has answered and stays silent.
func exchange(t *testing.T, addr string, data []byte) (out []byte, closed bool) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = conn.Write(data) // the server may refuse before it has read all
	}()
	defer func() { <-sent }()
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		out = append(out, buf[:n]...)
		if err != nil {
			ne, ok := err.(net.Error)
			return out, err == io.EOF || !ok || !ne.Timeout()
		}
		// A second answer, or the close, follows at once if it comes at all.
		if err := conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
}

func resident(t *testing.T) int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // no such file on this system: growth is not checked
	}
	_, rest, _ := strings.Cut(string(b), "RssAnon:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

func gzipZeros(t *testing.T, mb int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	chunk := make([]byte, 1<<20)
	for range mb {
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func latin1(s string) []byte {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		out = append(out, byte(r))
	}
	return out
}

func phrases(t *testing.T, raw json.RawMessage) []string {
	var list []string
	mustJSON(t, raw, &list)
	return list
}

func mustJSON(t testing.TB, raw []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

func encode(t testing.TB, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
