package tuitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sizes are those that screens are recorded at.
var Sizes = [][2]int{{80, 24}, {120, 40}, {60, 15}, {39, 9}}

// State is a screen after some keys, by name.
type State struct {
	Name string
	Keys []string
}

// Goldens holds states at all Sizes to the caller's testdata/NAME-WxH.golden.
func Goldens(t *testing.T, states ...State) {
	t.Helper()
	for _, size := range Sizes {
		for _, state := range states {
			name := fmt.Sprintf("%s-%dx%d", state.Name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := New(t, size[0], size[1])
				s.Keys(state.Keys...)
				Golden(t, name, s.View())
			})
		}
	}
}

// Golden holds a screen to testdata/NAME.golden of the caller; the flag -update,
// which teatest brings, writes it.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	var trimmed []string
	for l := range strings.SplitSeq(got, "\n") {
		trimmed = append(trimmed, strings.TrimRight(l, " "))
	}
	got = strings.Join(trimmed, "\n") + "\n"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}
