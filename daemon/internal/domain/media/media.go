// Package media keeps a team's files: uploaded pictures and generated covers.
// They lie in the store in chunks beside a record each.
//
// It accepts pictures only, tells their type from their bytes and looks at no
// more of them than the header. It does not know what a file is used for.
package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	// MaxSize is the most bytes of one file.
	MaxSize = 10 << 20
	// DefaultQuota is the most bytes of all files of a team.
	DefaultQuota = 1 << 30

	chunkSize = 256 << 10
	maxName   = 200
	maxAlt    = 500
)

// Service is the files of all teams. It is safe for concurrent use.
type Service struct {
	// Now is the clock; set it before first use only.
	Now func() time.Time

	store kv.Store
	log   *event.Log
	quota int64
	parts *parts
}

// New returns the files kept in store. quota is the bytes that a team may
// store; 0 is DefaultQuota.
func New(store kv.Store, log *event.Log, quota int64) *Service {
	if quota == 0 {
		quota = DefaultQuota
	}
	return &Service{store: store, log: log, quota: quota, parts: newParts(), Now: time.Now}
}

// Ops are the operations on files but the upload, which is no JSON.
func (s *Service) Ops() []op.Op {
	return []op.Op{
		{Name: "media.list", Method: "GET", Path: "/media", Scope: op.PostsRead, Do: op.Func(s.List),
			Doc: "Lists files, newest first."},
		{Name: "media.get", Method: "GET", Path: "/media/{id}", Scope: op.PostsRead, Do: op.Func(s.Get),
			Doc: "Describes one file; its bytes are at the url."},
		{Name: "media.delete", Frees: true, Method: "DELETE", Path: "/media/{id}", Scope: op.PostsWrite, Hints: op.Hints{Destructive: true}, Do: op.Func(s.Delete),
			Doc: "Deletes a file. Posts that show it keep its address."},
	}
}

// record is one stored file. Its bytes are in chunks.
type record struct {
	Name   string   `json:"n,omitempty"`
	MIME   string   `json:"m"`
	Size   int      `json:"s"`
	Width  int      `json:"w"`
	Height int      `json:"h"`
	Alt    string   `json:"a,omitempty"`
	Source string   `json:"o"`
	Hash   string   `json:"x"` // of the bytes: the ETag
	At     api.Time `json:"at"`
}

var files = kv.NewTable("media", kv.Index[record]{
	Name: "all",
	Keys: func(_ *record, add func([]byte)) { add(nil) },
})

// chunk is a part of a file: its bytes are the record's body, and its id is the
// file's id and the number.
type chunk struct{}

var chunks = kv.NewTable[chunk]("mediachunk")

// owner says whose file an id is, for the public address, which names no team.
type owner struct {
	Team string `json:"t"`
}

var owners = kv.NewTable[owner]("mediaowner")

const everyone = "" // the owner of the owners

func chunkID(id string, n int) string { return fmt.Sprintf("%s.%04d", id, n) }

func (r *record) show(id string) api.Media {
	return api.Media{
		ID: id, URL: "/media/" + id + "." + extensions[r.MIME], Name: r.Name, MIME: r.MIME, Size: r.Size,
		Width: r.Width, Height: r.Height, Alt: r.Alt, Source: r.Source, CreatedAt: r.At, UpdatedAt: r.At, Version: 1,
	}
}

// File is a file to be stored.
type File struct {
	Name   string // as the client calls it; its folders are dropped
	Alt    string
	Source string // uploaded, or the provider that made it
	Data   []byte
}

// Uploaded is a file that was stored just now.
type Uploaded struct{ api.Media }

// Location says where the file is described.
func (m Uploaded) Location() string { return "/media/" + m.ID }

// Upload stores a file that a client sent. The surface has authenticated the
// caller; Upload asks for the scope.
func (s *Service) Upload(ctx context.Context, who op.Caller, f File) (Uploaded, error) {
	if err := who.Require(op.PostsWrite); err != nil {
		return Uploaded{}, err
	}
	f.Source = "uploaded"
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (Uploaded, error) {
		m, err := s.Put(tx, who, f)
		return Uploaded{m}, err
	})
}

// Put stores a file in a transaction of the caller's.
func (s *Service) Put(tx kv.Tx, who op.Caller, f File) (api.Media, error) {
	r, err := s.examine(f)
	if err != nil {
		return api.Media{}, err
	}
	if err := s.charge(tx, who.Team, int64(r.Size)); err != nil {
		return api.Media{}, err
	}
	id := kv.IDAt("med", s.Now())
	if err := files.Insert(tx, who.Team, id, r); err != nil {
		return api.Media{}, err
	}
	if err := owners.Insert(tx, everyone, id, &owner{Team: who.Team}); err != nil {
		return api.Media{}, err
	}
	for n := 0; n*chunkSize < len(f.Data); n++ {
		part := f.Data[n*chunkSize : min((n+1)*chunkSize, len(f.Data))]
		if err := chunks.Insert(tx, who.Team, chunkID(id, n), &chunk{}); err != nil {
			return api.Media{}, err
		}
		if err := chunks.PutBody(tx, who.Team, chunkID(id, n), part); err != nil {
			return api.Media{}, err
		}
	}
	m := r.show(id)
	return m, event.Append(s.log, tx, who, uploaded, &m, nil)
}

func (s *Service) examine(f File) (*record, error) {
	if len(f.Data) > MaxSize {
		return nil, api.NewError(http.StatusRequestEntityTooLarge, api.CodePayloadTooLarge,
			"A file may have at most %d bytes, this has %d.", MaxSize, len(f.Data))
	}
	mime, size, err := sniff(f.Data)
	if err != nil {
		return nil, err
	}
	name, alt := fileName(f.Name), strings.TrimSpace(f.Alt)
	if !utf8.ValidString(alt) || strings.ContainsFunc(alt, isControl) || utf8.RuneCountInString(alt) > maxAlt {
		return nil, api.Invalid("/alt", "format", "alt must be one line of at most %d characters", maxAlt)
	}
	sum := sha256.Sum256(f.Data)
	return &record{
		Name: name, MIME: mime, Size: len(f.Data), Width: size.X, Height: size.Y, Alt: alt, Source: f.Source,
		Hash: hex.EncodeToString(sum[:16]), At: api.TimeOf(s.Now()),
	}, nil
}

// fileName keeps the last element of what a client called the file, and of that
// what can be shown.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if isControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, path.Base(strings.ReplaceAll(s, "\\", "/")))
	if s == "." || s == "/" {
		return ""
	}
	if r := []rune(s); len(r) > maxName {
		s = string(r[:maxName])
	}
	return s
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// Get describes a file.
func (s *Service) Get(ctx context.Context, who op.Caller, in api.MediaRef) (m api.Media, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := files.Get(tx, who.Team, in.ID)
		if err == nil {
			m = r.show(in.ID)
		}
		return err
	})
	return m, err
}

// List lists files in the order in which they were stored.
func (s *Service) List(ctx context.Context, who op.Caller, in api.MediaQuery) (page api.Page[api.Media], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, files, who.Team, "", in.PageQuery, kv.Page[record]{Index: "all"},
			func(id string, r *record) (api.Media, error) { return r.show(id), nil })
		return err
	})
	return page, err
}

// Delete removes a file.
func (s *Service) Delete(ctx context.Context, who op.Caller, in api.MediaRef) (api.Deleted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Deleted, error) {
		r, err := files.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Deleted{}, err
		}
		for n := 0; n*chunkSize < r.Size; n++ {
			if err := chunks.Delete(tx, who.Team, chunkID(in.ID, n)); err != nil {
				return api.Deleted{}, err
			}
		}
		if err := files.Delete(tx, who.Team, in.ID); err != nil {
			return api.Deleted{}, err
		}
		if err := owners.Delete(tx, everyone, in.ID); err != nil {
			return api.Deleted{}, err
		}
		return api.Deleted{ID: in.ID, Deleted: true}, s.charge(tx, who.Team, -int64(r.Size))
	})
}
