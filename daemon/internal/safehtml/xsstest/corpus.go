// Package xsstest tests that HTML is inert: with a corpus of attacks, with the
// parser of x/net/html, and in a real browser. Tests alone import it.
package xsstest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Corpus returns the attacks of ../shared/vectors/xss_corpus.json beside the
// module. Their licences are not this project's, so that they are not part of
// it: where the file is not there, the test is skipped.
func Corpus(t testing.TB) []string {
	t.Helper()
	name := filepath.Join(moduleRoot(t), "..", "shared", "vectors", "xss_corpus.json")
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		t.Skipf("no corpus of attacks: %s is not there", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Payload string }
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	payloads := make([]string, len(cases))
	for i, c := range cases {
		payloads[i] = c.Payload
	}
	return payloads
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("no go.mod above the working directory")
	return ""
}
