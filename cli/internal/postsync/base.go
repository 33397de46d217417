package postsync

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// baseDir is where files are kept as they were when they last agreed with their
// posts, below the folder: what both sides began with when they are joined. It is
// not for version control, which has the files themselves.
const baseDir = ".svc/base"

// keepBases writes the files that are not there yet.
func (s *Syncer) keepBases() error {
	if len(s.bases) == 0 || s.opt.Export != nil {
		return nil
	}
	dir := filepath.Join(s.opt.Dir, filepath.FromSlash(baseDir))
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("keep the files as they are: %w", err)
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Stat(ignore); err != nil {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o600); err != nil {
			return fmt.Errorf("keep the files as they are: %w", err)
		}
	}
	for sum, raw := range s.bases {
		name := filepath.Join(dir, sum)
		if _, err := os.Stat(name); err == nil {
			continue
		}
		if err := os.WriteFile(name, deflated(raw), 0o600); err != nil {
			return fmt.Errorf("keep the files as they are: %w", err)
		}
	}
	clear(s.bases)
	return nil
}

var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, flate.BestSpeed) // the level is one that there is
	return w
}}

func deflated(raw []byte) []byte {
	var b bytes.Buffer
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(&b)
	_, _ = w.Write(raw) // into memory
	_ = w.Close()
	return b.Bytes()
}

// base is a file as it was, nil where it was not kept whole.
func (s *Syncer) base(sum string) []byte {
	b, err := os.ReadFile(filepath.Join(s.opt.Dir, filepath.FromSlash(baseDir), sum))
	if err != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxFile+1))
	if err != nil || sumOf(raw) != sum {
		return nil
	}
	return raw
}

// dropBases removes the files that nothing needs any more.
func (s *Syncer) dropBases() {
	needed := map[string]bool{".gitignore": true}
	for _, team := range s.state.Teams {
		for _, last := range team.Posts {
			needed[last.Bytes] = true
		}
	}
	dir := filepath.Join(s.opt.Dir, filepath.FromSlash(baseDir))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // none were kept
	}
	for _, e := range entries {
		if !needed[e.Name()] {
			_ = os.Remove(filepath.Join(dir, e.Name())) // one too many does no harm
		}
	}
}
