// Package images uploads the images that a text refers to by relative path,
// each of them once. It reads below one folder only, whatever the path says.
package images

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"sync"
)

// maxSize is what the daemon accepts.
const maxSize = 10 << 20

// Folder is a folder with images. It is safe for concurrent use.
type Folder struct {
	root   *os.Root
	upload func(name string, body []byte) (address string, err error)

	mu    sync.Mutex        // guards known, and makes uploads of one image wait for each other
	known map[string]string // SHA-256 → address
}

// Open looks at a folder; Close is owed. known are addresses of images that
// were uploaded before, by their sum.
func Open(dir string, known map[string]string, upload func(name string, body []byte) (string, error)) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	f := &Folder{root: root, upload: upload, known: map[string]string{}}
	for sum, address := range known {
		f.known[sum] = address
	}
	return f, nil
}

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Sum is the SHA-256 of the image that a file in dir (below the folder) calls
// destination.
func (f *Folder) Sum(dir, destination string) (string, error) {
	body, _, err := f.read(dir, destination)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// Address is where an image is already, empty when it was not uploaded yet.
func (f *Folder) Address(sum string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known[sum]
}

// Learn notes where an image is already.
func (f *Folder) Learn(sum, address string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known[sum] = address
}

// Place uploads an image unless that was done, and returns its address.
func (f *Folder) Place(dir, destination string) (string, error) {
	body, name, err := f.read(dir, destination)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	key := hex.EncodeToString(sum[:])
	f.mu.Lock()
	defer f.mu.Unlock()
	if address, ok := f.known[key]; ok {
		return address, nil
	}
	address, err := f.upload(path.Base(name), body)
	if err != nil {
		return "", fmt.Errorf("upload %s: %w", destination, err)
	}
	f.known[key] = address
	return address, nil
}

// Known is every address by its sum.
func (f *Folder) Known() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make(map[string]string, len(f.known))
	for sum, address := range f.known {
		all[sum] = address
	}
	return all
}

func (f *Folder) read(dir, destination string) ([]byte, string, error) {
	u, err := url.Parse(destination)
	if err != nil {
		return nil, "", fmt.Errorf("image %s: %w", destination, err)
	}
	name := path.Join(dir, u.Path)
	file, err := f.root.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", fmt.Errorf("image %s does not exist", destination)
	}
	if err != nil {
		return nil, "", fmt.Errorf("image %s: %w", destination, err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return nil, "", fmt.Errorf("image %s: %w", destination, err)
	}
	if len(body) > maxSize {
		return nil, "", fmt.Errorf("image %s is larger than %d MiB", destination, maxSize>>20)
	}
	return body, name, nil
}
