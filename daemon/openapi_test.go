package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/surface/rest"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
	"edgesvc.dev/svc/sdk"
)

var update = flag.Bool("update", false, "write the golden files")

const contractFile = "../docs/openapi.json"

// TestContractGolden keeps the published contract under review: a change of the
// API is a change of the file.
func TestContractGolden(t *testing.T) {
	in := start(t, func(c *daemon.Config) { c.BaseURL = "https://svc.example" })
	a := in.send(t, "GET", "/svc-api/openapi.json", "", "")
	if a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	got := bytes.Replace(a.Body, []byte(in.version(t)), []byte("VERSION"), 1)
	if *update {
		if err := os.WriteFile(contractFile, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(strings.TrimSpace(string(want)), "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Errorf("the contract changed; review it and run go test ./daemon -run TestContractGolden -update\n%s", d)
	}
}

// TestContractsDoNotVary writes the contracts many times at once: the same table
// gives the same bytes.
func TestContractsDoNotVary(t *testing.T) {
	table := start(t).Table()
	write := func() string {
		return string(rest.New(table, rest.Options{Context: t.Context()}).Contract()) + string(trpc.Types(table))
	}
	want := write()
	different := make(chan string, 48)
	var writing conc.WaitGroup
	for range 8 {
		writing.Go(func() {
			for range 6 {
				if got := write(); got != want {
					different <- cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
				}
			}
		})
	}
	writing.Wait()
	close(different)
	if n := len(different); n > 0 {
		t.Errorf("%d of 200 differ, one by\n%s", n, <-different)
	}
}

// TestInstanceIsThePath holds a problem to where it happened: the path that was
// asked for, without the query, or nothing.
func TestInstanceIsThePath(t *testing.T) {
	in := start(t)
	for path, want := range map[string]any{
		"/posts/post_none":                   nil, // as for another team's
		"/posts/post_none?include=x":         "/svc-api/v1/posts/post_none",
		"/posts/%7Bid%7D?include=x":          "/svc-api/v1/posts/%7Bid%7D",
		"/posts/a%20b%C3%A9?include=x":       "/svc-api/v1/posts/a%20b%C3%A9",
		"/posts/jobs/job_none/events?wait=x": "/svc-api/v1/posts/jobs/job_none/events",
		"/nothing/here":                      "/svc-api/v1/nothing/here",
	} {
		if got := in.send(t, "GET", "/svc-api/v1"+path, in.A.Key, "").JSON(t)["instance"]; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func (in *instance) version(t *testing.T) string {
	return in.send(t, "GET", "/svc-api/v1/me", in.A.Key, "").JSON(t)["daemonVersion"].(string)
}

// TestContractLint runs a public linter over the contract.
func TestContractLint(t *testing.T) {
	linter := os.Getenv("SVC_TEST_OPENAPI_LINT")
	if linter == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("SVC_TEST_OPENAPI_LINT names no linter; run make test")
		}
		t.Skip("SVC_TEST_OPENAPI_LINT names no linter; make test installs one")
	}
	contract, err := filepath.Abs(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), linter, "lint", contract, "--format", "stylish")
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDocs holds every row to a sentence of documentation.
func TestDocs(t *testing.T) {
	for _, o := range start(t).Table().Ops {
		if !strings.HasSuffix(o.Doc, ".") || len(o.Doc) < 10 {
			t.Errorf("%s has no documentation: %q", o.Name, o.Doc)
		}
	}
}

// beyondSDK are operations that the SDK reaches by other means.
var beyondSDK = []string{
	"posts.generate",   // the MCP form of posts.create
	"agents.available", // of agents.list
	"agents.test",      // of agents.testChat
	"tasks.test",       // of tasks.testRun
}

// TestSDKReachesEveryOperation calls every method of the SDK's services and
// compares the requests that they make with the table and the hand-written
// routes.
func TestSDKReachesEveryOperation(t *testing.T) {
	in := start(t)
	var made []string
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		made = append(made, r.Method+" "+r.URL.Path)
		return nil, errors.New("noted")
	})}
	options := []sdk.Option{sdk.WithHTTPClient(client), sdk.WithRetries(0)}
	for _, root := range []any{
		sdk.New(in.URL, append(options, sdk.WithAPIKey(in.A.Key))...), sdk.New(in.URL, append(options, sdk.WithSession("sess_x"))...),
	} {
		callAll(t, reflect.ValueOf(root))
		for i, v := 0, reflect.ValueOf(root).Elem(); i < v.NumField(); i++ {
			if v.Type().Field(i).IsExported() && v.Field(i).Kind() == reflect.Pointer {
				callAll(t, v.Field(i))
			}
		}
	}
	if _, err := sdk.Login(t.Context(), in.URL, "a@example.test", "x", options...); err == nil {
		t.Error("sign-in succeeded without a server")
	}
	for _, o := range in.Table().Ops {
		want := []string{"POST /svc-api/trpc/" + o.Name}
		if o.Method != "" {
			want = []string{o.Method + " /svc-api/v1" + o.Path}
		}
		if !slices.ContainsFunc(made, func(m string) bool { return samePath(want[0], m) }) && !slices.Contains(beyondSDK, o.Name) {
			t.Errorf("no method of the SDK reaches %s (%s)", o.Name, want[0])
		}
	}
	for _, s := range in.Table().Streams {
		if !slices.Contains(made, "GET /svc-api/trpc/"+s.Name) {
			t.Errorf("no method of the SDK follows %s", s.Name)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// callAll calls the methods of a service that take a context, with arguments
// that are filled enough to make a request.
func callAll(t *testing.T, service reflect.Value) {
	for i := range service.NumMethod() {
		m := service.Method(i)
		if m.Type().NumIn() == 0 || m.Type().In(0) != reflect.TypeFor[context.Context]() {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for a := 1; a < m.Type().NumIn() && !(m.Type().IsVariadic() && a == m.Type().NumIn()-1); a++ {
			args = append(args, filled(m.Type().In(a)))
		}
		out := m.Call(args)
		if len(out) == 1 && out[0].Kind() == reflect.Func { // an iterator asks when it is ranged over
			for range out[0].Seq2() {
				break
			}
		}
	}
}

// filled is a value whose texts are "x" and whose numbers are 1.
func filled(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(1)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("1")) // JSON, where it has to be
		}
	case reflect.Interface:
		if r := reflect.ValueOf(strings.NewReader("x")); r.Type().Implements(t) {
			v.Set(r)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() && t.Field(i).Name != "IfMatch" {
				v.Field(i).Set(filled(t.Field(i).Type))
			}
		}
	}
	return v
}

// samePath reports whether a request is for a path with {parameters}.
func samePath(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return len(want) == len(got) && !slices.ContainsFunc(want, func(seg string) bool {
		i := slices.Index(want, seg)
		return seg != got[i] && !strings.HasPrefix(seg, "{")
	})
}
