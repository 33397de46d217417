package mcp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/mcp"
)

// suites are the public conformance suites, with how many scenarios each is
// known to run at least: one that runs nothing proves nothing.
var suites = []struct {
	program   string
	args      []string
	scenarios int
}{
	{"mcp-conformance", nil, 30},
	{"mcp-conformance-next", []string{"--suite", "all", "--spec-version", "2026-07-28"}, 40},
}

func TestConformance(t *testing.T) {
	dir := os.Getenv("SVC_TEST_CONFORMANCE")
	if dir == "" && os.Getenv("CI") == "true" {
		t.Fatal("SVC_TEST_CONFORMANCE does not name the folder of the conformance suites")
	}
	if dir == "" {
		t.Skip("the conformance suites run when SVC_TEST_CONFORMANCE names their folder, as make test does")
	}
	expected := expectedFailures(t)
	for _, suite := range suites {
		t.Run(suite.program, func(t *testing.T) {
			d := start(t, settings{
				handler: func(h *mcp.Handler) { h.SetFixtures(fixtures) },
				serve:   withKey,
			})
			results := runSuite(t, filepath.Join(dir, "bin", suite.program), d.url+mcp.Path, suite.args)
			if len(results) < suite.scenarios {
				t.Fatalf("%d scenarios ran, want %d", len(results), suite.scenarios)
			}
			for name, failure := range results {
				_, known := expected[suite.program+" "+name]
				delete(expected, suite.program+" "+name)
				switch {
				case failure != "" && !known:
					t.Errorf("%s fails: %s", name, failure)
				case failure == "" && known:
					t.Errorf("%s passes, and testdata/conformance-expected.txt says that it fails", name)
				}
			}
		})
	}
	for name := range expected {
		t.Errorf("testdata/conformance-expected.txt names %s, which did not run", name)
	}
}

// withKey sends the key that the suites cannot send.
func withKey(h *mcp.Handler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		ctx.Request.Header.Set("Authorization", "Bearer svc_full")
		h.Serve(ctx)
	}
}

// expectedFailures reads the reasons by suite and scenario.
func expectedFailures(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile("testdata/conformance-expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		if len(fields) < 3 {
			t.Fatalf("no reason: %s", line)
		}
		out[fields[0]+" "+fields[1]] = strings.Join(fields[2:], " ")
	}
	return out
}

// runSuite returns the failure of each scenario, "" for those that pass.
func runSuite(t *testing.T, program, url string, args []string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), program, append([]string{"server", "--url", url, "--output-dir", dir}, args...)...)
	cmd.Dir = dir
	output, err := cmd.CombinedOutput() // it fails when a scenario does
	scenario := regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)
	files, _ := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if len(files) == 0 {
		t.Fatalf("%s wrote no results (%v):\n%s", program, err, output)
	}
	results := map[string]string{}
	for _, file := range files {
		name := scenario.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if name == nil {
			t.Fatalf("%s is no result", file)
		}
		results[name[1]] = failures(t, file)
	}
	return results
}

func failures(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var checks []struct{ Name, Status, ErrorMessage string }
	if err := json.Unmarshal(b, &checks); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var failed []string
	for _, c := range checks {
		if c.Status == "FAILURE" {
			failed = append(failed, c.Name+": "+c.ErrorMessage)
		}
	}
	return strings.Join(failed, "; ")
}
