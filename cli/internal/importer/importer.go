// Package importer opens what other programs export: it tells their formats apart
// by what is in a file, and has the reader of the format read it.
package importer

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/cli/internal/ghost"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/cli/internal/substack"
	"edgesvc.dev/svc/cli/internal/wordpress"
)

// The formats.
const (
	Ghost     = "ghost-json"
	WordPress = "wordpress-wxr"
	Substack  = "substack-zip"
)

// Formats are the formats that can be read.
var Formats = []string{Ghost, WordPress, Substack}

// names are the formats as people say them.
var names = map[string]string{Ghost: "an export of Ghost", WordPress: "an export of WordPress", Substack: "an export of Substack"}

// Options say what an export does not say itself.
type Options struct {
	From string // the format, empty for the one that the file has
	Site string // address of the old site
	Path string // where the old site had its posts, such as /{year}/{slug}/

	Types []string // of entries of WordPress that are taken besides posts and pages
}

// Opened is an export that was read. Close is owed.
type Opened struct {
	*postsync.Export

	Format string
	Notes  []string // about the whole of it

	file io.Closer
}

// Close lets go of the file.
func (o *Opened) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

const (
	headSize = 64 << 10
	// maxExport is the most bytes of one file inside of an export.
	maxExport = 2 << 30
)

// Recognise says which format a file or folder has, empty where it is a folder of
// texts, with an error that says what it is where nothing here reads it.
func Recognise(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(name, "posts.csv")); err == nil {
			return Substack, nil
		}
		return "", nil
	}
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	head, err := beginning(file)
	if err != nil {
		return "", err
	}
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return recogniseText(head)
	}
	z, err := zip.NewReader(file, info.Size())
	if err != nil {
		return "", fmt.Errorf("the zip cannot be read (%w); download it again", err)
	}
	format, _, err := inZip(z)
	return format, err
}

func beginning(r io.Reader) ([]byte, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// recogniseText tells formats apart by how a file begins.
func recogniseText(head []byte) (string, error) {
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
	lower := strings.ToLower(text)
	switch {
	case text == "":
		return "", errors.New("the file is empty")
	case strings.HasPrefix(text, "{") && ghost.Looks(head):
		return Ghost, nil
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return "", errors.New("this is JSON, and not an export of Ghost (in Ghost: Settings, Import/Export, Export content)")
	case strings.Contains(lower, "wordpress.org/export"):
		return WordPress, nil
	case strings.Contains(lower, "<feed") && strings.Contains(lower, "blogger"):
		return "", errors.New("this is an export of Blogger, which is not read; WordPress imports it, and its export is read")
	case strings.Contains(lower, "<rss"):
		return "", errors.New("this is a feed (RSS), not an export of WordPress (in WordPress: Tools, Export, All content)")
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		return "", errors.New("this is a page of HTML; svcctl post sync reads a folder of them")
	case strings.HasPrefix(text, "post_id,"):
		return "", errors.New("this is the list of Substack's export; give the zip that it is in, or its folder")
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return "", errors.New("this is compressed with gzip; unpack it first (gunzip)")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "", errors.New("this is UTF-16; save it as UTF-8")
	case !utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)]):
		return "", errors.New("this is not text and not a zip")
	}
	return "", errors.New("this is not an export that is read: ghost-json, wordpress-wxr or substack-zip")
}

// inZip tells what is in a zip, and which of its files are the export.
func inZip(z *zip.Reader) (format string, files []*zip.File, err error) {
	var xml, data []*zip.File
	for _, file := range z.File {
		name := path.Base(file.Name)
		if strings.HasPrefix(file.Name, "__MACOSX/") || strings.HasPrefix(name, ".") || !fs.ValidPath(file.Name) {
			continue
		}
		switch {
		case name == "posts.csv":
			return Substack, []*zip.File{file}, nil
		case strings.HasSuffix(name, ".xml") && looksInside(file) == WordPress:
			xml = append(xml, file)
		case strings.HasSuffix(name, ".json") && looksInside(file) == Ghost:
			data = append(data, file)
		}
	}
	switch {
	case len(xml) > 0:
		return WordPress, xml, nil
	case len(data) > 0:
		return Ghost, data, nil
	}
	return "", nil, errors.New("the zip has no export that is read: no posts.csv (Substack), no .json of Ghost, no .xml of WordPress")
}

func looksInside(file *zip.File) string {
	r, err := file.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	head, err := beginning(r)
	if err != nil {
		return ""
	}
	format, _ := recogniseText(head) // what it is instead does not matter
	return format
}

// Open reads an export.
func Open(name string, o Options) (*Opened, error) {
	format, err := Recognise(name)
	switch {
	case err != nil:
		return nil, err
	case format == "":
		return nil, errors.New("this is a folder without the posts.csv of Substack; svcctl post sync reads a folder of Markdown or HTML")
	case o.From != "" && o.From != format:
		return nil, fmt.Errorf("this is %s; use --from %s", names[format], format)
	}
	if o.Site != "" {
		if u, err := url.Parse(o.Site); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, fmt.Errorf("--old-site %q is not an address of a site", o.Site)
		}
	}
	out := &Opened{Format: format}
	if err := out.read(name, o); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	out.State = filepath.Join(filepath.Dir(name), ".svc", "import.json")
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		out.State = filepath.Join(name, ".svc", "import.json")
	}
	passDoubles(out.Entries)
	return out, nil
}

// passDoubles gives entries whose id another has too a key with their name, and
// passes over those that are there twice.
func passDoubles(entries []*postsync.Entry) {
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Key] {
			e.Key += "/" + e.Name
		}
		for seen[e.Key] {
			e.Skip = "is in the export twice"
			e.Key += "+"
		}
		seen[e.Key] = true
	}
}

// input is one of the files to read.
type input struct {
	name string
	open func() (io.ReadCloser, error)
}

func (o *Opened) read(name string, opt Options) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		root, err := os.OpenRoot(name) // links in it lead nowhere else
		if err != nil {
			return err
		}
		o.file = root
		o.Export, o.Notes, err = substack.Read(root.FS(), opt.Site)
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	o.file = file
	info, err := file.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, 4)
	if n, _ := file.ReadAt(head, 0); n < 4 || string(head) != "PK\x03\x04" {
		return o.readAll([]input{{name: filepath.Base(name), open: func() (io.ReadCloser, error) { return io.NopCloser(file), nil }}}, opt)
	}
	z, err := zip.NewReader(file, info.Size())
	if err != nil {
		return err
	}
	_, files, err := inZip(z)
	if err != nil {
		return err
	}
	if o.Format == Substack {
		inner, err := fs.Sub(z, path.Dir(files[0].Name))
		if err != nil {
			return err
		}
		o.Export, o.Notes, err = substack.Read(inner, opt.Site)
		return err
	}
	var all []input
	for _, f := range files {
		all = append(all, input{f.Name, f.Open})
	}
	err = o.readAll(all, opt)
	if err == nil {
		o.Pictures.Zip = z
	}
	return err
}

// readAll reads the files of a format that has its texts in one file, or in some.
func (o *Opened) readAll(all []input, opt Options) error {
	var readers []io.Reader
	var open []io.Closer
	var err error
	for _, in := range all {
		r, failed := in.open()
		if failed != nil {
			err = fmt.Errorf("%s: %w", in.name, failed)
			break
		}
		readers, open = append(readers, limited(r)), append(open, r)
	}
	if err == nil {
		o.Export, o.Notes, err = readOne(o.Format, readers, opt)
	}
	for _, c := range open {
		err = errors.Join(err, c.Close())
	}
	return err
}

func readOne(format string, files []io.Reader, opt Options) (*postsync.Export, []string, error) {
	if format == WordPress {
		return wordpress.Read(files, wordpress.Options{Site: opt.Site, Types: opt.Types})
	}
	return ghost.Read(files[0], ghost.Options{Site: opt.Site, Path: opt.Path})
}

// limited ends a file that is larger than any export with an error.
func limited(r io.Reader) io.Reader { return &limit{r, maxExport} }

type limit struct {
	r    io.Reader
	left int64
}

func (l *limit) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("is larger than %d GiB", maxExport>>30)
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}
