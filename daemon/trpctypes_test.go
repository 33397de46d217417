package daemon_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const typesFile = "../docs/trpc.d.ts"

// TestTypesGolden keeps the published declarations under review, as
// TestContractGolden does for REST.
func TestTypesGolden(t *testing.T) {
	a := start(t).send(t, "GET", "/svc-api/trpc.d.ts", "", "")
	if a.StatusCode != http.StatusOK {
		t.Fatal(a.Status)
	}
	if *update {
		if err := os.WriteFile(typesFile, a.Body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(typesFile)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(a.Body), "\n")); d != "" {
		t.Errorf("the declarations changed; review them and run go test ./daemon -run TestTypesGolden -update\n%s", d)
	}
}

// TestTypesCompile gives the declarations, and a program that uses them, to the
// TypeScript compiler. The program marks what must be refused, so that types
// that let everything pass fail too.
func TestTypesCompile(t *testing.T) {
	dir, modules := scripts(t)
	if out, err := exec.CommandContext(t.Context(), node(modules), filepath.Join(modules, "typescript/bin/tsc"), "-p", dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	program := filepath.Join(dir, "use.ts")
	b, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.ReplaceAll(b, []byte("// @ts-expect-error"), []byte("//"))
	if err := os.WriteFile(program, broken, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node(modules), filepath.Join(modules, "typescript/bin/tsc"), "-p", dir).CombinedOutput()
	if n := bytes.Count(out, []byte("error TS")); err == nil || n != bytes.Count(b, []byte("// @ts-expect-error")) {
		t.Errorf("%d errors without the marks:\n%s", n, out)
	}
}

// scripts copies testdata/trpc and the declarations to where the test tools are
// found.
func scripts(t *testing.T) (dir, modules string) {
	t.Helper()
	tools := os.Getenv("SVC_TEST_CONFORMANCE")
	if tools == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("SVC_TEST_CONFORMANCE names no folder of tools; run make test")
		}
		t.Skip("SVC_TEST_CONFORMANCE names no folder of tools; run make test")
	}
	modules = filepath.Join(tools, "node_modules")
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/trpc")); err != nil {
		t.Fatal(err)
	}
	types, err := os.ReadFile(typesFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trpc.d.ts"), types, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir, modules
}

// node is the Node.js that came with the tools, the system's where none did.
func node(modules string) string {
	if found, err := filepath.Glob(filepath.Join(modules, "node-linux-*/bin/node")); err == nil && len(found) > 0 {
		return found[0]
	}
	return "node"
}
