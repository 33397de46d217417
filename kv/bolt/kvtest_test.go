package bolt

import (
	"path/filepath"
	"testing"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/kvtest"
)

func TestContract(t *testing.T) {
	kvtest.Run(t, func(t *testing.T) kv.Store {
		return open(t, Options{})
	})
	t.Run("Twice", func(t *testing.T) {
		kvtest.Run(t, func(t *testing.T) kv.Store { return kvtest.Twice(open(t, Options{})) })
	})
	dir := t.TempDir()
	kvtest.RunReopen(t, func(t *testing.T, name string) kv.Store {
		s, err := Open(filepath.Join(dir, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
