package bolt

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"
)

// TestStructure sends the pages of a store astray: Check says so at once, where
// following them would go on for ever or take all memory.
func TestStructure(t *testing.T) {
	s := open(t, Options{})
	for i := range 400 {
		if err := s.Update(t.Context(), command(flipID(i))); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkStructure(bytes.NewReader(whole), int64(len(whole))); err != nil {
		t.Fatalf("a whole store: %v", err)
	}
	branch := branchOf(t, whole)
	for _, tc := range []struct {
		name, want string
		damage     func(page []byte)
	}{
		{"circle", "reached twice", func(p []byte) { copy(p[pageHeader+8:], p[:8]) }},
		{"shared page", "reached twice", func(p []byte) {
			copy(p[pageHeader+elementSize+8:pageHeader+elementSize+16], p[pageHeader+8:pageHeader+16])
		}},
		{"billions of pages", "larger than can be", func(p []byte) { binary.LittleEndian.PutUint32(p[12:], 1<<31) }},
		{"too many entries", "larger than can be", func(p []byte) { binary.LittleEndian.PutUint16(p[10:], 1<<15) }},
		{"out of the file", "out of bounds", func(p []byte) { binary.LittleEndian.PutUint64(p[pageHeader+8:], 1<<40) }},
		{"another page's header", "wrong header", func(p []byte) { p[0] ^= 1 }},
		{"unknown kind", "wrong header", func(p []byte) { p[8] = 0x40 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			damaged := bytes.Clone(whole)
			tc.damage(damaged[branch*pageSize : (branch+1)*pageSize])
			path := t.TempDir() + "/damaged.db"
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			var reasons []string
			if _, err := Check(path, func(_ []byte, reason string) { reasons = append(reasons, reason) }, items); err != nil {
				t.Fatal(err)
			}
			if len(reasons) != 1 || !strings.Contains(reasons[0], tc.want) {
				t.Errorf("reported %q, want %q", reasons, tc.want)
			}
		})
	}
}

// branchOf finds the page above the leaves of the data that is in use.
func branchOf(t *testing.T, file []byte) uint64 {
	t.Helper()
	root, limit, err := rootOf(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	w := &pageWalk{file: bytes.NewReader(file), limit: limit, seen: make([]bool, limit)}
	if err := w.page(root, 0); err != nil {
		t.Fatal(err)
	}
	for id := range limit {
		if p := file[id*pageSize:]; w.seen[id] && binary.LittleEndian.Uint16(p[8:]) == branchPage && binary.LittleEndian.Uint64(p) == id {
			return id
		}
	}
	t.Fatal("the store has no branch page: write more")
	return 0
}
