package images

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Archive says where the pictures of an export are.
type Archive struct {
	Dirs  []string    // folders that a person names
	Zip   *zip.Reader // the export itself, nil where it is not a zip
	Fetch Fetch       // nil to leave pictures on the web where they are
}

// Fetch gets a picture from the web. An error that is *Gone is final.
type Fetch func(address string) (name string, body []byte, err error)

// Gone says why a picture cannot be had, now or later.
type Gone struct{ Reason string }

func (g *Gone) Error() string { return g.Reason }

// mounts are the paths at which the sites of other programs have their pictures: a
// person may name any folder on the way there.
var mounts = []string{"/", "/content", "/content/images", "/wp-content", "/wp-content/uploads"}

// OpenArchive is Open for an export.
func OpenArchive(known map[string]string, upload func(name string, body []byte) (string, error), a Archive) (*Folder, error) {
	f := &Folder{dir: inArchive(0), upload: upload, known: map[string]string{}, fetch: a.Fetch}
	for sum, address := range known {
		f.known[sum] = address
	}
	for _, dir := range a.Dirs {
		abs, err := filepath.Abs(dir)
		for _, at := range mounts {
			if err == nil {
				err = f.add(abs, at)
			}
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open folder: %w", err), f.Close())
		}
	}
	if a.Zip == nil {
		return f, nil
	}
	for i, below := range siteFolders(a.Zip) {
		for _, at := range mounts {
			f.roots = append(f.roots, root{a.Zip, io.NopCloser(nil), path.Join(inArchive(i + 1)), at})
		}
		if below != "." {
			sub, err := fs.Sub(a.Zip, below)
			if err != nil {
				return nil, fmt.Errorf("open export: %w", err)
			}
			for j := len(f.roots) - len(mounts); j < len(f.roots); j++ {
				f.roots[j].FS = sub
			}
		}
	}
	return f, nil
}

// inArchive is what paths of a folder begin with that is not on the disk.
func inArchive(n int) string { return fmt.Sprintf("/.archive/%d", n) }

// maxFolders is how many folders of a zip are looked in for pictures.
const maxFolders = 8

// siteFolders are the folders of a zip that can be the root of a site, or of its
// pictures: the first level, and what lies in its folders.
func siteFolders(z *zip.Reader) []string {
	found := []string{"."}
	for _, file := range z.File {
		if top, _, inside := strings.Cut(file.Name, "/"); inside && fs.ValidPath(top) && !slices.Contains(found, top) && len(found) < maxFolders {
			found = append(found, top)
		}
	}
	return found
}

// FromSites names the sites whose pictures the folders have.
func (f *Folder) FromSites(sites []*url.URL) { f.sites = sites }

// Takes reports a picture on the web that is brought here: one that a folder of
// the export has, or one that may be fetched.
func (f *Folder) Takes(address string) bool {
	if _, ok := f.local(address); ok {
		return true
	}
	return f.fetched(address)
}

// fetched reports a picture that is only on the web, and may be fetched.
func (f *Folder) fetched(address string) bool {
	u, err := url.Parse(address)
	if f.fetch == nil || err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	_, ok := f.local(address)
	return !ok
}

// local is the path of a picture of the old site that a folder of an export has.
func (f *Folder) local(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" || u.Host != "" && !f.ofSite(u) || len(f.roots) == 0 || f.dir != inArchive(0) {
		return "", false
	}
	for _, p := range versions(u.Path) {
		file, _, err := f.find(".", p)
		if err == nil {
			_ = file.Close() // it was only looked for
			return p, true
		}
	}
	return "", false
}

func (f *Folder) ofSite(u *url.URL) bool {
	return slices.ContainsFunc(f.sites, func(s *url.URL) bool {
		return strings.EqualFold(strings.TrimPrefix(s.Hostname(), "www."), strings.TrimPrefix(u.Hostname(), "www."))
	})
}

var (
	ghostSize     = regexp.MustCompile(`/size/[wh0-9]+(?:/format/[a-z]+)?/|/format/[a-z]+/`)
	wordpressSize = regexp.MustCompile(`-\d{1,5}x\d{1,5}(\.[A-Za-z]+)$`)
)

// versions are the path of a picture and those of the same one in its own size.
func versions(p string) []string {
	for _, below := range []string{"/wp-content/", "/content/images/"} {
		if i := strings.Index(p, below); i > 0 { // the site was not at the root of its host
			p = p[i:]
		}
	}
	all := []string{p}
	for _, other := range []string{ghostSize.ReplaceAllString(p, "/"), wordpressSize.ReplaceAllString(p, "$1")} {
		if other != p {
			all = append(all, other)
		}
	}
	return all
}

// addressSum takes the place of the sum of a picture that is known by its address.
func addressSum(address string) string {
	sum := sha256.Sum256([]byte("address\x00" + address))
	return hex.EncodeToString(sum[:])
}

// placeFetched is Place for a picture on the web. One that is gone for good is
// left where it was, and not asked for again.
func (f *Folder) placeFetched(address string) (string, error) {
	key := addressSum(address)
	if known := f.Address(key); known != "" {
		return known, nil
	}
	name, body, err := f.fetch(address)
	if err == nil && !taken(body, name) {
		err = &Gone{"is not PNG, JPEG, GIF, WebP or SVG"}
	}
	if g := new(Gone); errors.As(err, &g) {
		f.Learn(key, address)
	}
	if err != nil {
		return "", missing("%s: %v", address, err)
	}
	return f.place(address, name, key, body)
}
