package daemon_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// contract is the published document as a client reads it.
type contract struct {
	Paths      map[string]map[string]*operation `json:"paths"`
	Components struct {
		Schemas   map[string]json.RawMessage `json:"schemas"`
		Responses map[string]*response       `json:"responses"`
	} `json:"components"`

	mu       sync.Mutex // guards compiled
	compiled map[string]*jsonschema.Resolved
}

type operation struct {
	OperationID string               `json:"operationId"`
	Parameters  []parameter          `json:"parameters"`
	RequestBody *media               `json:"requestBody"`
	Responses   map[string]*response `json:"responses"`

	method, path string
}

type parameter struct {
	Name     string         `json:"name"`
	In       string         `json:"in"`
	Required bool           `json:"required"`
	Schema   map[string]any `json:"schema"`
}

type response struct {
	media
	Ref string `json:"$ref"`
}

type media struct {
	Content map[string]struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"content"`
}

const restPrefix = "/svc-api/v1"

var published struct {
	sync.Mutex // guards doc
	doc        *contract
}

// contract reads the published document, once for all tests: it is the same for
// every instance.
func (in *instance) contract(t testing.TB) *contract {
	t.Helper()
	published.Lock()
	defer published.Unlock()
	if published.doc != nil {
		return published.doc
	}
	res, err := http.Get(in.URL + "/svc-api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	c := &contract{compiled: map[string]*jsonschema.Resolved{}}
	if err := json.NewDecoder(res.Body).Decode(c); err != nil {
		t.Fatal(err)
	}
	for path, item := range c.Paths {
		for method, o := range item {
			o.method, o.path = strings.ToUpper(method), path
			for status, r := range o.Responses {
				if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
					o.Responses[status] = c.Components.Responses[name]
				}
			}
		}
	}
	published.doc = c
	return c
}

// operations are sorted by name.
func (c *contract) operations() []*operation {
	var all []*operation
	for _, item := range c.Paths {
		for _, o := range item {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

// find is the operation that serves a request, nil for none. A fixed segment
// wins over a parameter, whatever the method.
func (c *contract) find(method, path string) *operation {
	path, ok := strings.CutPrefix(path, restPrefix)
	if !ok || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
		return nil
	}
	best := ""
	for pattern := range c.Paths {
		if samePath(pattern, path) && (best == "" || strings.Count(pattern, "{") < strings.Count(best, "{")) {
			best = pattern
		}
	}
	return c.Paths[best][strings.ToLower(method)]
}

// documented fails the test when an operation of REST answers with a status or a
// code that the contract does not list for it.
func (in *instance) documented(t testing.TB, req *http.Request, a answer) {
	t.Helper()
	c := in.contract(t)
	if o := c.find(req.Method, req.URL.Path); o != nil && req.Method != http.MethodHead {
		if why := c.check(o, a); why != "" {
			t.Errorf("%s (%s %s) answers beside its contract: %s\n%.600s", o.OperationID, req.Method, req.URL.Path, why, a.Body)
		}
	}
}

// check says in what an answer differs from what the contract lists, "" for
// nothing. 5XX covers what has no row of its own.
func (c *contract) check(o *operation, a answer) string {
	r := o.Responses[strconv.Itoa(a.StatusCode)]
	if r == nil && a.StatusCode >= 500 {
		r = o.Responses["5XX"]
	}
	if r == nil {
		return "status " + strconv.Itoa(a.StatusCode)
	}
	if len(r.Content) == 0 {
		if len(a.Body) > 0 {
			return "a body"
		}
		return ""
	}
	kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	m, ok := r.Content[kind]
	if !ok {
		return "content type " + kind
	}
	if !strings.HasSuffix(kind, "json") {
		return ""
	}
	var v any
	if err := json.Unmarshal(a.Body, &v); err != nil {
		return err.Error()
	}
	s, err := c.schema(m.Schema)
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// schema makes a schema of the contract ready to validate: what it refers to
// stands below $defs.
func (c *contract) schema(raw json.RawMessage) (*jsonschema.Resolved, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.compiled[string(raw)]; s != nil {
		return s, nil
	}
	root := map[string]any{"allOf": []json.RawMessage{raw}, "$defs": c.Components.Schemas}
	b, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), "#/components/schemas/", "#/$defs/")), &s); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	if err == nil {
		c.compiled[string(raw)] = resolved
	}
	return resolved, err
}
