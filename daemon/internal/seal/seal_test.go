package seal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/seal"
)

func open(t *testing.T, dir string) *seal.Box {
	t.Helper()
	b, err := seal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSecretOpensInItsPlaceWithItsKey(t *testing.T) {
	dir := t.TempDir()
	box := open(t, dir)
	sealed := box.Seal("team task key", []byte("canary"))
	if bytes.Contains(sealed, []byte("canary")) || bytes.Equal(sealed, box.Seal("team task key", []byte("canary"))) {
		t.Error("the seal shows something")
	}
	if plain, err := open(t, dir).Unseal("team task key", sealed); err != nil || string(plain) != "canary" {
		t.Errorf("after a restart: %q %v", plain, err)
	}
	for name, try := range map[string]func() ([]byte, error){
		"another place": func() ([]byte, error) { return box.Unseal("team other key", sealed) },
		"another key":   func() ([]byte, error) { return open(t, t.TempDir()).Unseal("team task key", sealed) },
		"no seal":       func() ([]byte, error) { return box.Unseal("team task key", nil) },
		"another form":  func() ([]byte, error) { return box.Unseal("team task key", append([]byte{2}, sealed[1:]...)) },
		"cut off":       func() ([]byte, error) { return box.Unseal("team task key", sealed[:len(sealed)-1]) },
	} {
		if plain, err := try(); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("%s: %q %v", name, plain, err)
		}
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := box.Unseal("team task key", changed); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
}

func TestKeyFileIsTheOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	path := filepath.Join(dir, seal.File)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 32 {
		t.Fatalf("%v %v", info, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("files are left: %v", left)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := seal.Open(dir); err == nil {
			t.Errorf("a key with mode %o was taken", mode)
		}
	}
	for _, size := range []int{0, 31, 33} {
		if err := errors.Join(os.Remove(path), os.WriteFile(path, make([]byte, size), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := seal.Open(dir); err == nil {
			t.Errorf("a key of %d bytes was taken", size)
		}
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.Open(dir); err == nil {
		t.Error("a folder was taken for a key")
	}
}

func TestRacingStartsAgreeOnOneKey(t *testing.T) {
	dir := t.TempDir()
	boxes := make([]*seal.Box, 16)
	var wg conc.WaitGroup
	for i := range boxes {
		wg.Go(func() { boxes[i] = open(t, dir) })
	}
	wg.Wait()
	sealed := boxes[0].Seal("p", []byte("x"))
	for i, b := range boxes {
		if _, err := b.Unseal("p", sealed); err != nil {
			t.Errorf("box %d has another key", i)
		}
	}
}
