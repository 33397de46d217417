package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// maxBytes is what svcctl may have, stripped. It reads Markdown, TOML and YAML of
// other programs itself, so that a sync needs nothing of the server.
const maxBytes = 24 << 20

// TestStaysLight keeps out what would make every command start slowly: the
// daemon with its model clients, and glamour, which costs 7 MB and 19 ms.
func TestStaysLight(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		for _, heavy := range []string{"glamour", "atotto/clipboard", "svc/daemon", "svc/kv", "fasthttp", "openai", "anthropic"} {
			if strings.Contains(name, heavy) {
				t.Errorf("svcctl links %s", name)
			}
		}
	}
}

func TestStaysSmall(t *testing.T) {
	info, err := os.Stat(build(t))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > maxBytes {
		t.Errorf("svcctl has %d bytes, more than %d", info.Size(), maxBytes)
	}
}

// build is svcctl as it is released.
func build(tb testing.TB) string {
	tb.Helper()
	program := tb.TempDir() + "/svcctl"
	cmd := exec.CommandContext(tb.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return program
}

// BenchmarkStart is the time of svcctl version, process and all.
func BenchmarkStart(b *testing.B) {
	program := build(b)
	for b.Loop() {
		if err := exec.CommandContext(b.Context(), program, "version").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
