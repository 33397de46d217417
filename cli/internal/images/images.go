// Package images uploads the images that a text refers to, each of them once. It
// reads below the folder of the texts and the folders of the same site that hold
// its pictures, whatever a path says.
package images

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxSize is what the daemon accepts.
const maxSize = 10 << 20

// Folder is a folder with images. It is safe for concurrent use.
type Folder struct {
	dir    string // absolute
	roots  []root
	upload func(name string, body []byte) (address string, err error)
	sites  []*url.URL // whose pictures the folders have
	fetch  Fetch

	mu    sync.Mutex        // guards what follows, and makes uploads of one image wait for each other
	known map[string]string // SHA-256 → address
	names map[string]string // base name → path below dir, once it was needed
}

// root is a folder that may be read: at is the path that it has on the site.
type root struct {
	fs.FS
	io.Closer

	dir string // absolute
	at  string
}

// Missing says why there is no picture to upload. It is not a failure of the run.
type Missing struct{ Reason string }

func (m *Missing) Error() string { return m.Reason }

func missing(format string, args ...any) error { return &Missing{fmt.Sprintf(format, args...)} }

// Open looks at a folder; Close is owed. known are addresses of images that
// were uploaded before, by their sum. static are folders whose pictures the site
// has at its root; those that generators use beside the folder are found.
func Open(dir string, known map[string]string, upload func(name string, body []byte) (string, error), static ...string) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	f := &Folder{dir: abs, upload: upload, known: map[string]string{}}
	for sum, address := range known {
		f.known[sum] = address
	}
	if err := f.add(abs, "/"); err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	for _, name := range static {
		if name, err = filepath.Abs(name); err == nil {
			err = f.add(name, "/")
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open folder: %w", err), f.Close())
		}
	}
	for _, beside := range beside(abs) {
		for _, at := range []string{"/", "/" + filepath.Base(beside)} {
			if err := f.add(beside, at); err != nil {
				break // not to be read
			}
		}
	}
	return f, nil
}

func (f *Folder) add(dir, at string) error {
	r, err := os.OpenRoot(dir)
	if err == nil {
		f.roots = append(f.roots, root{r.FS(), r, dir, at})
	}
	return err
}

// usual are the names of folders that texts lie in, and pictures those of the
// folders beside them that generators put on the site.
var (
	usual    = regexp.MustCompile(`(?i)^(content|contents|docs?|blog|blogs|_?posts?|_?articles?|_?news|src|source|sources|website|site|www|pages|public|_?drafts|help|guides?|collections|data|app|[a-z]{2}(-[a-z]{2,4})?)$`)
	pictures = []string{"static", "public", "assets", "images", "img", "media", "files", "uploads"}
)

// beside finds the folders of pictures that belong to the same site as a folder
// of texts: beside it, or beside the folders above it that are part of the site by
// their names.
func beside(dir string) []string {
	var found []string
	for range 4 {
		if !usual.MatchString(filepath.Base(dir)) {
			break
		}
		above := filepath.Dir(dir)
		for _, name := range pictures {
			candidate := filepath.Join(above, name)
			if info, err := os.Lstat(candidate); err == nil && info.IsDir() && candidate != dir {
				found = append(found, candidate)
			}
		}
		if _, err := os.Stat(filepath.Join(above, ".git")); err == nil {
			break
		}
		dir = above
	}
	return found
}

// Close lets go of the folder.
func (f *Folder) Close() error {
	var errs []error
	for _, r := range f.roots {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Sum is the SHA-256 of the image that a file in dir (below the folder) calls
// destination. Where there is none, the error is a *Missing.
func (f *Folder) Sum(dir, destination string) (string, error) {
	if f.fetched(destination) {
		return addressSum(destination), nil
	}
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
	if f.fetched(destination) {
		return f.placeFetched(destination)
	}
	body, name, err := f.read(dir, destination)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	return f.place(destination, name, hex.EncodeToString(sum[:]), body)
}

// place uploads a picture unless that was done.
func (f *Folder) place(destination, name, key string, body []byte) (string, error) {
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
		return nil, "", missing("image %s is not an address", destination)
	}
	p := u.Path
	if found, ok := f.local(destination); ok {
		p = found
	}
	file, name, err := f.find(dir, p)
	if err != nil {
		if m := new(Missing); errors.As(err, &m) {
			return nil, "", missing("image %s %s", destination, m.Reason)
		}
		return nil, "", err
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	switch {
	case err != nil:
		return nil, "", missing("image %s cannot be read: %v", destination, err)
	case len(body) > maxSize:
		return nil, "", missing("image %s is larger than %d MiB", destination, maxSize>>20)
	case !taken(body, name):
		return nil, "", missing("image %s is not PNG, JPEG, GIF, WebP or SVG", destination)
	}
	return body, name, nil
}

// taken reports a file that the daemon stores.
func taken(body []byte, name string) bool {
	switch http.DetectContentType(body) {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return strings.EqualFold(path.Ext(name), ".svg") && bytes.Contains(body, []byte("http://www.w3.org/2000/svg"))
}

// find opens the file that a text in dir calls p: relative to the text, to the
// address of its page, or from the root of the site.
func (f *Folder) find(dir, p string) (fs.File, string, error) {
	p = strings.ReplaceAll(p, "\\", "/")
	for _, prefix := range []string{"@site/", "~/", "@/", "~@/"} {
		if rest, ok := strings.CutPrefix(p, prefix); ok {
			p = "/" + strings.TrimPrefix(rest, "static/")
		}
	}
	outside := false
	for _, name := range f.candidates(dir, p) {
		for _, r := range f.roots {
			local, err := filepath.Rel(r.dir, name)
			if err != nil || !filepath.IsLocal(local) {
				continue
			}
			file, err := r.Open(filepath.ToSlash(local))
			if err == nil {
				return file, filepath.ToSlash(name), nil
			}
			outside = outside || !errors.Is(err, fs.ErrNotExist)
		}
		if !f.within(name) {
			outside = true
		}
	}
	if outside && !strings.HasPrefix(p, "/") {
		return nil, "", missing("lies outside of the folder; --static names a folder with pictures")
	}
	return nil, "", missing("does not exist")
}

func (f *Folder) within(name string) bool {
	return slices.ContainsFunc(f.roots, func(r root) bool {
		local, err := filepath.Rel(r.dir, name)
		return err == nil && filepath.IsLocal(local)
	})
}

// candidates are the files that p can mean.
func (f *Folder) candidates(dir, p string) []string {
	p = filepath.FromSlash(p)
	var names []string
	if !strings.HasPrefix(p, "/") {
		names = append(names, filepath.Join(f.dir, filepath.FromSlash(dir), p))
		p = "/" + strings.TrimLeft(p, "./")
	}
	for _, r := range f.roots {
		if below, ok := strings.CutPrefix(p, strings.TrimRight(r.at, "/")+"/"); ok {
			names = append(names, filepath.Join(r.dir, below))
		}
	}
	for parent := f.dir; parent != filepath.Dir(parent); parent = filepath.Dir(parent) {
		if !usual.MatchString(filepath.Base(parent)) { // the path may begin above the folder
			break
		}
		names = append(names, filepath.Join(filepath.Dir(parent), p))
	}
	return names
}

// Named is the path below the folder of the picture with that base name, for
// links that have nothing else.
func (f *Folder) Named(base string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names == nil {
		f.names = map[string]string{}
		_ = fs.WalkDir(f.roots[0].FS, ".", func(name string, entry fs.DirEntry, err error) error { // what cannot be read has no name
			if err == nil && !entry.IsDir() {
				if key := strings.ToLower(entry.Name()); f.names[key] == "" {
					f.names[key] = name
				}
			}
			return nil
		})
	}
	return f.names[strings.ToLower(base)]
}
