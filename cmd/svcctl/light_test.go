package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestStaysLight keeps out what would make every command start slowly: the
// daemon with its model clients, and bubbletea, which asks the terminal for its
// background before main runs.
func TestStaysLight(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		for _, heavy := range []string{"bubbletea", "lipgloss", "glamour", "svc/daemon", "svc/kv", "fasthttp", "openai", "anthropic"} {
			if strings.Contains(name, heavy) {
				t.Errorf("svcctl links %s", name)
			}
		}
	}
}

// BenchmarkStart is the time of svcctl version, process and all.
func BenchmarkStart(b *testing.B) {
	program := b.TempDir() + "/svcctl"
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for b.Loop() {
		if err := exec.CommandContext(b.Context(), program, "version").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
