package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// A backup is slowed down to this many bytes a second and put on disk this many
// bytes at a time, so that commits find the disk free.
const (
	backupRate = 64 << 20
	backupStep = 4 << 20
)

// Backup writes a copy of the store as it is now to w, while reads and writes
// go on, at 64 MiB per second at most. Pages that are replaced meanwhile stay in
// the file, so w should be a file or something as fast, not a client's socket.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	tx, err := s.snapshot()
	if err != nil {
		return err
	}
	defer tx.Rollback() // of a reader: cannot fail
	v := s.views.open()
	defer s.views.done(v)
	if _, err := tx.WriteTo(&paced{ctx: ctx, w: w, start: time.Now()}); err != nil {
		return fmt.Errorf("back up store: %w", errors.Join(ctx.Err(), err))
	}
	return nil
}

// BackupFile is Backup to a new file at path. The file is whole and on disk when
// BackupFile returns, or not there.
func (s *Store) BackupFile(ctx context.Context, path string) error {
	return place(path, func(tmp *os.File) error {
		return s.Backup(ctx, &synced{f: tmp})
	})
}

// Restore makes a new store at path from a backup. It refuses a path where
// there is a file, and puts nothing there unless the backup is whole.
func Restore(backup io.Reader, path string) error {
	_, err := os.Lstat(path)
	if err == nil {
		return fmt.Errorf("restore %s: %w", path, fs.ErrExist)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("restore: %w", err)
	}
	err = place(path, func(tmp *os.File) error {
		if _, err := io.Copy(tmp, backup); err != nil {
			return err
		}
		return checkFormat(tmp.Name())
	})
	if err != nil {
		return fmt.Errorf("restore %s: %w", path, err)
	}
	return nil
}

// paced writes no faster than backupRate.
type paced struct {
	ctx   context.Context // of the one call that the writer lives for
	w     io.Writer
	start time.Time
	n     int64
}

func (p *paced) Write(b []byte) (int, error) {
	due := p.start.Add(time.Duration(float64(p.n) / backupRate * float64(time.Second)))
	if wait := time.Until(due); wait > time.Millisecond {
		select {
		case <-time.After(wait):
		case <-p.ctx.Done():
		}
	}
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.w.Write(b)
	p.n += int64(n)
	return n, err
}

// synced puts a file on disk as it is written, not all of it at the end.
type synced struct {
	f *os.File
	n int
}

func (s *synced) Write(b []byte) (int, error) {
	n, err := s.f.Write(b)
	if s.n += n; err == nil && s.n >= backupStep {
		s.n, err = 0, s.f.Sync()
	}
	return n, err
}
