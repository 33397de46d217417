// Package seal encrypts the secrets that the store holds, so that the stolen
// file of a database or of a backup gives none away. The key is a file beside
// the store, readable by its owner only; it is not part of a backup.
//
// It does not know what it seals. What binds a secret to its place, so that it
// cannot be moved to another, is the caller's word of additional data.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is the name of the key's file in the data folder.
const File = "secret.key"

const (
	keySize = 32
	version = 1
)

// ErrOpen means that a secret was sealed with another key, for another place, or
// was changed since.
var ErrOpen = errors.New("the secret cannot be opened: it belongs to another key or place, or was changed")

// Box seals and unseals with one key. It is safe for concurrent use.
type Box struct{ aead cipher.AEAD }

// Open reads the key of a data folder, and makes it when there is none. It
// refuses a file that others can read or that is not a key.
func Open(dir string) (*Box, error) {
	path := filepath.Join(dir, File)
	key, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(dir, path); err == nil {
			key, err = read(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open secret key: %w", err)
	}
	return newBox(key)
}

func newBox(key []byte) (*Box, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("open secret key: %w", err)
	}
	// Random nonces of 96 bits: secrets are set by hand, far from the 2^32 of
	// one key that NIST SP 800-38D allows.
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("open secret key: %w", err)
	}
	return &Box{aead: aead}, nil
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("others can read %s; run chmod 600 on it", path)
	case info.Size() != keySize:
		return nil, fmt.Errorf("%s has %d bytes, a key has %d; restore it from where you keep it", path, info.Size(), keySize)
	}
	key := make([]byte, keySize)
	_, err = io.ReadFull(f, key)
	return key, err
}

// create writes a new key whole or not at all. When another process was first,
// its key stays.
func create(dir, path string) (err error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, File+".*") // has mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(dir)
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Seal encrypts plaintext for the place that place describes. The result
// differs each time.
func (b *Box) Seal(place string, plaintext []byte) []byte {
	return b.aead.Seal([]byte{version}, nil, plaintext, additional(place)) //nolint:gosec // G407: nil, for the cipher makes its nonces itself
}

// Unseal is the reverse of Seal for the same place; its error is ErrOpen.
func (b *Box) Unseal(place string, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != version {
		return nil, ErrOpen
	}
	plain, err := b.aead.Open(nil, nil, sealed[1:], additional(place))
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}

// additional binds the version too.
func additional(place string) []byte { return append([]byte{version}, place...) }
