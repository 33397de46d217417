package trpc_test

import (
	"net/url"
	"strings"
	"testing"
)

// TestProtocol holds requests to what the protocol says of them where the
// recorded exchanges have no example.
func TestProtocol(t *testing.T) {
	sites := map[string]string{}
	for _, config := range []string{"std", "override", "limited", "nobatch", "gate", "tilde", "ping"} {
		sites[config] = listen(t, router(config))
	}
	in := func(json string) string { return "input=" + url.QueryEscape(json) }
	date := `{"json":"1970-01-01T00:00:00.000Z","meta":{"values":["Date"],"v":1}}`
	lines := map[string]string{"trpc-accept": "application/jsonl"}
	posted := map[string]string{"content-type": "application/json"}
	for name, c := range map[string]struct {
		config, method, path, query, body string
		headers                           map[string]string
		status                            int
		want                              string
	}{
		"empty input":               {"std", "GET", "echo", "input=", "", nil, 200, `"undefined"`},
		"a plus is a space":         {"std", "GET", "echo", "input=%7B%22json%22:%22a+b%22%7D", "", nil, 200, `"json":"a b"`},
		"trailing slash":            {"std", "GET", "echo/", in(`{"json":1}`), "", nil, 200, `{"json":1}`},
		"date in":                   {"std", "GET", "kind", in(date), "", nil, 200, `"Date"`},
		"bigint in":                 {"std", "GET", "kind", in(`{"json":"1","meta":{"values":["bigint"],"v":1}}`), "", nil, 200, `"bigint"`},
		"error in":                  {"std", "GET", "kind", in(`{"json":{"name":"E","message":"m"},"meta":{"values":["Error"],"v":1}}`), "", nil, 200, `"Error"`},
		"charset":                   {"std", "POST", "echoMut", "", `{"json":1}`, map[string]string{"content-type": "Application/JSON; charset=utf-8"}, 200, `{"json":1}`},
		"null body":                 {"std", "POST", "echoMut", "", "null", posted, 400, "BAD_REQUEST"},
		"subscription by POST":      {"override", "POST", "sub.plain", "", `{"json":{"to":1}}`, posted, 200, "event: return"},
		"DELETE":                    {"std", "DELETE", "echoMut", "", `{}`, posted, 405, "Unsupported DELETE-request to mutation"},
		"half a method":             {"std", "OS", "echoMut", "", `{}`, posted, 405, "METHOD_NOT_SUPPORTED"},
		"HEAD of nothing":           {"std", "HEAD", "nope", "", "", nil, 204, ""},
		"form":                      {"std", "POST", "echoMut", "", "a=1", map[string]string{"content-type": "application/x-www-form-urlencoded"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		"names have a case":         {"std", "GET", "Echo", "", "", nil, 404, `No procedure found on path \"Echo\"`},
		"__proto__":                 {"std", "GET", "__proto__", "", "", nil, 404, "NOT_FOUND"},
		"escaped comma":             {"std", "GET", "echo%2Cecho", "batch=1", "", nil, 200, "]"},
		"empty name in a batch":     {"std", "GET", "echo,", "batch=1", "", nil, 207, `No procedure found on path \"\"`},
		"separated batch":           {"tilde", "GET", "math~add,math~nope", "batch=1&" + in(`{"0":{"json":{"a":1,"b":2}}}`), "", nil, 207, `{"json":3}`},
		"null among inputs":         {"std", "GET", "echo,echo", "batch=1&" + in(`{"0":{"json":1},"1":null}`), "", nil, 400, "BAD_REQUEST"},
		"null for inputs":           {"std", "GET", "echo,nothing", "batch=1&" + in(`null`), "", nil, 207, "BAD_REQUEST"},
		"text for inputs":           {"std", "GET", "echo", "batch=1&" + in(`"x"`), "", nil, 400, "needs to be an object"},
		"batch=0":                   {"std", "GET", "echo,echo", "batch=0", "", nil, 404, "NOT_FOUND"},
		"first batch counts":        {"std", "GET", "echo,echo", "batch=0&batch=1", "", nil, 404, "NOT_FOUND"},
		"unknown beside a mutation": {"std", "POST", "echoMut,nope", "batch=1", `{}`, posted, 207, "NOT_FOUND"},
		"same error twice":          {"std", "GET", "nope,fail.notFound", "batch=1", "", nil, 404, "no such thing"},
		"at the maximum":            {"limited", "GET", "echo,echo,echo", "batch=1", "", nil, 200, "]"},
		"batches are off":           {"nobatch", "GET", "echo", "batch=1", "", nil, 400, "Batching is not enabled"},
		"lines, one over":           {"limited", "GET", "echo,echo,echo,echo", "batch=1", "", lines, 400, "exceeds maximum size"},
		"lines of a mixture":        {"std", "GET", "echo,echoMut", "batch=1", "", lines, 400, "Cannot mix"},
		"lines, accept in a list":   {"std", "GET", "echo", "batch=1", "", map[string]string{"accept": "text/html, application/jsonl"}, 200, `{"0":[[0]`},
		"own header over accept":    {"std", "GET", "echo", "batch=1", "", map[string]string{"trpc-accept": "x", "accept": "application/jsonl"}, 200, "["},
		"body over the limit":       {"limited", "POST", "echoMut,echoMut", "batch=1", `{"0":"` + strings.Repeat("x", 1100) + `"}`, map[string]string{"content-type": "application/json", "trpc-accept": "application/jsonl"}, 200, "PAYLOAD_TOO_LARGE"},
		"params that are numbers":   {"std", "GET", "echo", "connectionParams=" + url.QueryEscape(`{"a":1}`), "", nil, 400, "PARSE_ERROR"},
		"params that are null":      {"std", "GET", "nothing", "connectionParams=null", "", nil, 200, "undefined"},
		"wrong cookie":              {"std", "GET", "session.whoami", "", "", map[string]string{"cookie": "session=bad"}, 401, "no session"},
		"gate of a subscription":    {"gate", "GET", "sub.plain", "", "", nil, 200, "serialized-error"},
		"gate and a wrong method":   {"gate", "GET", "echoMut", "", "", nil, 405, "METHOD_NOT_SUPPORTED"},
		"resume without an input":   {"std", "GET", "sub.echo", "Last-Event-Id=7", "", nil, 200, `{"lastEventId":"7"}`},
		"subscription in lines":     {"std", "GET", "sub.plain", "batch=1", "", lines, 200, "Cannot batch subscription calls"},
		"signs of life":             {"ping", "GET", "slow", "batch=1&" + in(`{"0":{"json":{"ms":90,"value":1}}}`), "", lines, 200, "}\n "},
		"a reason is short":         {"std", "POST", "echoMut", "", `{"json":{},"meta":{"values":{"` + strings.Repeat("a", 9000) + `":["Date"]},"v":1}}`, posted, 400, `"BAD_REQUEST"`},
	} {
		t.Run(name, func(t *testing.T) {
			x := exchange{}
			x.Request.Method, x.Request.Body, x.Request.Headers = c.method, c.body, c.headers
			res, body := x.send(t, sites[c.config]+"/trpc/"+c.path+"?"+c.query)
			if res.StatusCode != c.status || !strings.Contains(string(body), c.want) || len(body) > 2000 {
				t.Errorf("%d %.500s", res.StatusCode, body)
			}
		})
	}
}
