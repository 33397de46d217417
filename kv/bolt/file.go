package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// format is the layout of the file: the buckets below, and values as package
// kv frames them. A program opens its own format and older ones.
const format = 1

const (
	pageSize    = 4096
	lockTimeout = 2 * time.Second
)

var (
	dataBucket = []byte("kv")
	metaBucket = []byte("meta")
	sizeBucket = []byte("size") // bytes by team
	formatKey  = []byte("format")
)

var errLocked = errors.New("another process has the file open")

// ErrDamaged says that the file at the path is not a whole store: it is empty,
// its end is missing, or its pages make no sense. Only a backup helps.
var ErrDamaged = errors.New("the file is damaged")

func (o Options) bolt(path string) *bolt.Options {
	return &bolt.Options{
		Timeout:         lockTimeout,
		PageSize:        pageSize,
		MaxSize:         int(min(o.MaxSize, math.MaxInt)),
		InitialMmapSize: mapSize(path),
		NoSync:          o.noSync,
		NoGrowSync:      o.noSync,
	}
}

// mapSize is how much to map at once. bbolt can map more only when no reader is
// open, and everyone waits for that: so it maps twice the file, from 1 GiB on.
func mapSize(path string) int {
	if runtime.GOOS == "windows" || strconv.IntSize == 32 { // Windows makes the file as large as the map
		return 64 << 20
	}
	size := int64(0)
	if st, err := os.Stat(path); err == nil {
		size = st.Size()
	}
	return int(max(1<<30, 2*size))
}

// openFile is bolt.Open that returns an error where bbolt panics over a damaged
// file, and gives its lock back.
func openFile(path string, o *bolt.Options) (db *bolt.DB, err error) {
	var file *os.File
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag&^os.O_CREATE, mode)
		file = f
		return f, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = errors.Join(fmt.Errorf("%w: %v", ErrDamaged, p), file.Close())
		}
	}()
	db, err = bolt.Open(path, 0o600, o)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		err = errLocked
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch):
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return db, err
}

// minPages are the pages of a store that holds nothing.
const minPages = 4

// checkSize refuses a file that is too small to be any store. bbolt takes an
// empty one for new.
func checkSize(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case st.Size() == 0:
		return fmt.Errorf("%w: it is empty (0 bytes), so everything in it is lost", ErrDamaged)
	case st.Size() < minPages*pageSize:
		return fmt.Errorf("%w: it is cut off after %d bytes", ErrDamaged, st.Size())
	}
	return nil
}

// create makes an empty store at path unless there is a file.
func create(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := place(path, func(tmp *os.File) error {
		return initialize(tmp.Name())
	})
	if errors.Is(err, fs.ErrExist) { // another process was faster
		return nil
	}
	return err
}

// place fills a new file and puts it at path, all or nothing also when the
// machine stops, and without replacing a file that is there already.
func place(path string, fill func(tmp *os.File) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // a second name by then, or unfinished
	if err := errors.Join(fill(tmp), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	// Link, unlike Rename, refuses an existing path. Not every file system has it.
	err = os.Link(tmp.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // has no such call
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func initialize(path string) error {
	db, err := openFile(path, &bolt.Options{PageSize: pageSize, Timeout: lockTimeout})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket(dataBucket)
		if err != nil {
			return err
		}
		if _, err = tx.CreateBucket(sizeBucket); err != nil {
			return err
		}
		meta, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		return meta.Put(formatKey, []byte(strconv.Itoa(format)))
	})
	return errors.Join(err, db.Close())
}

// checkFormat reads the file without a chance to change it.
func checkFormat(path string) error {
	if err := checkSize(path); err != nil {
		return err
	}
	db, err := openFile(path, &bolt.Options{ReadOnly: true, Timeout: lockTimeout})
	if err != nil {
		return err
	}
	return errors.Join(readFormat(db, path), db.Close())
}

func readFormat(db *bolt.DB, path string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	return db.View(func(tx *bolt.Tx) error {
		if st.Size() < tx.Size() {
			return fmt.Errorf("%w: the end is cut off, %d of %d bytes are left", ErrDamaged, st.Size(), tx.Size())
		}
		meta := tx.Bucket(metaBucket)
		if meta == nil || tx.Bucket(dataBucket) == nil {
			return errors.New("not a svc store")
		}
		n, err := strconv.Atoi(string(meta.Get(formatKey)))
		if err != nil {
			return fmt.Errorf("format of the file: %w", err)
		}
		if n > format {
			return fmt.Errorf("the file has format %d, this program knows up to %d: use a newer program", n, format)
		}
		return nil
	})
}
