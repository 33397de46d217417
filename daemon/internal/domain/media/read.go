package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"edgesvc.dev/svc/kv"
)

// Content is the bytes of a file, for as many readers at once as there are: they
// share the parts that lie in memory, and a reader that waits holds none. It
// stays valid until the file is deleted, beyond the request that opened it.
type Content struct {
	MIME string
	ETag string // quoted
	Size int64

	s    *Service
	team string
	id   string
}

// Open returns a file of any team by its id, which is all that is needed to see
// it. It returns a *kv.NotFoundError when there is none.
func (s *Service) Open(ctx context.Context, id string) (c *Content, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		o, err := owners.Get(tx, everyone, id)
		if err != nil {
			return err
		}
		r, err := files.Get(tx, o.Team, id)
		if err == nil {
			c = &Content{MIME: r.MIME, ETag: `"` + r.Hash + `"`, Size: int64(r.Size), s: s, team: o.Team, id: id}
		}
		return err
	})
	return c, err
}

// ReadAt implements io.ReaderAt.
func (c *Content) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < c.Size {
		from := int(off % chunkSize)
		part := min(chunkSize-from, int(c.Size-off))
		read, err := c.s.parts.read(p[n:], chunkID(c.id, int(off/chunkSize)), from, part, c.load)
		if err != nil {
			return n, fmt.Errorf("read media %s: %w", c.id, err)
		}
		n, off = n+read, off+int64(read)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// load copies a chunk into buf.
func (c *Content) load(chunk string, buf []byte) (n int, err error) {
	err = c.s.store.View(context.Background(), func(tx kv.Tx) error {
		data, err := chunks.Body(tx, c.team, chunk)
		n = copy(buf, data)
		return err
	})
	return n, err
}

// The parts of files in memory, and how many may be read in at once.
const (
	maxParts   = 64
	maxLoading = 4
)

// parts are the chunks that were asked for last, each in memory once. Readers
// copy out of them what they can send at once: it is the number of chunks, and
// not that of the readers or of the files, that decides what memory they take.
type parts struct {
	loading chan struct{} // as many as load at once

	mu   sync.Mutex // guards what follows
	by   map[string]*part
	turn int64
}

// part is a chunk. Its buffer serves the next when it is dropped.
type part struct {
	data []byte
	used int64 // the turn of its last use
}

func newParts() *parts {
	return &parts{loading: make(chan struct{}, maxLoading), by: map[string]*part{}}
}

var errShort = errors.New("a part of the file is missing")

// read copies from the n bytes of the chunk that begin at from, as many as p
// takes. load is called where the chunk is not in memory.
func (s *parts) read(p []byte, chunk string, from, n int, load func(string, []byte) (int, error)) (int, error) {
	if read, ok := s.copyOut(p, chunk, from, n); ok {
		return read, nil
	}
	s.loading <- struct{}{}
	defer func() { <-s.loading }()
	if read, ok := s.copyOut(p, chunk, from, n); ok { // another reader has loaded it
		return read, nil
	}
	buf := s.room()
	size, err := load(chunk, buf)
	if err == nil && size < from+n {
		err = errShort
	}
	if err != nil {
		return 0, err
	}
	read := copy(p, buf[from:from+n])
	s.put(chunk, buf[:size])
	return read, nil
}

func (s *parts) copyOut(p []byte, chunk string, from, n int) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.by[chunk]
	if c == nil || len(c.data) < from+n {
		return 0, false
	}
	s.turn++
	c.used = s.turn
	return copy(p, c.data[from:from+n]), true
}

// room returns a buffer: that of the chunk that was not used for longest, once
// there are as many as may be.
func (s *parts) room() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.by) < maxParts {
		return make([]byte, chunkSize)
	}
	oldest, at := "", s.turn+1
	for chunk, c := range s.by {
		if c.used < at {
			oldest, at = chunk, c.used
		}
	}
	buf := s.by[oldest].data[:chunkSize]
	delete(s.by, oldest)
	return buf
}

func (s *parts) put(chunk string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	s.by[chunk] = &part{data: data, used: s.turn}
}
