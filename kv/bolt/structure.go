package bolt

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
)

// The parts of bbolt's file format (version 2) that say which page leads to
// which: https://pkg.go.dev/go.etcd.io/bbolt, internal/common. A flipped bit
// there can send a reader in circles, or make it believe in billions of pages,
// so Check looks at them before it lets bbolt follow them.
const (
	metaMagic   = 0xED0CDAED
	pageHeader  = 16 // id, flags, count, overflow
	elementSize = 16
	metaSum     = 56 // offset of a meta's checksum
	branchPage  = 0x01
	leafPage    = 0x02
	bucketLeaf  = 0x01
	maxDepth    = 64
)

// errCutOff says that the end of the file is missing.
var errCutOff = fmt.Errorf("%w: the end is cut off", ErrDamaged)

// pageWalk follows all pages from the root of a store.
type pageWalk struct {
	file  io.ReaderAt
	limit uint64 // pages there are
	seen  []bool // by page
}

// checkStructure reports the first page that leads astray. Everything that it
// passes is a tree of pages inside the file.
func checkStructure(file io.ReaderAt, size int64) error {
	root, limit, err := rootOf(file)
	if err != nil {
		return err
	}
	if limit > uint64(size)/pageSize {
		return fmt.Errorf("%w: %d of %d pages are there", errCutOff, size/pageSize, limit)
	}
	w := &pageWalk{file: file, limit: limit, seen: make([]bool, limit)}
	return w.page(root, 0)
}

// rootOf reads the newer of the two meta pages that are whole.
func rootOf(file io.ReaderAt) (root, limit uint64, err error) {
	err = fmt.Errorf("both meta pages are damaged")
	var newest uint64
	for n := range int64(2) {
		b := make([]byte, pageHeader+metaSum+8)
		if _, readErr := file.ReadAt(b, n*pageSize); readErr != nil {
			return 0, 0, fmt.Errorf("read meta page: %w", readErr)
		}
		m := b[pageHeader:]
		sum := fnv.New64a()
		sum.Write(m[:metaSum])
		txid := binary.LittleEndian.Uint64(m[48:])
		if binary.LittleEndian.Uint32(m) != metaMagic || binary.LittleEndian.Uint64(m[metaSum:]) != sum.Sum64() || err == nil && txid < newest {
			continue
		}
		newest, root, limit, err = txid, binary.LittleEndian.Uint64(m[16:]), binary.LittleEndian.Uint64(m[40:]), nil
	}
	return root, limit, err
}

func (w *pageWalk) page(id uint64, depth int) error {
	if id < 2 || id >= w.limit || depth > maxDepth {
		return fmt.Errorf("page %d is out of bounds", id)
	}
	if w.seen[id] {
		return fmt.Errorf("page %d is reached twice", id)
	}
	head := make([]byte, pageHeader)
	if _, err := w.file.ReadAt(head, int64(id)*pageSize); err != nil {
		return fmt.Errorf("read page %d: %w", id, err)
	}
	flags, count := binary.LittleEndian.Uint16(head[8:]), int(binary.LittleEndian.Uint16(head[10:]))
	pages := uint64(binary.LittleEndian.Uint32(head[12:])) + 1
	if binary.LittleEndian.Uint64(head) != id || flags != branchPage && flags != leafPage {
		return fmt.Errorf("page %d has a wrong header", id)
	}
	if id+pages > w.limit || uint64(pageHeader+count*elementSize) > pages*pageSize {
		return fmt.Errorf("page %d is larger than can be", id)
	}
	for i := range pages {
		w.seen[id+i] = true
	}
	b := make([]byte, pageHeader+count*elementSize)
	if _, err := w.file.ReadAt(b, int64(id)*pageSize); err != nil {
		return fmt.Errorf("read page %d: %w", id, err)
	}
	for i := range count {
		at := pageHeader + i*elementSize
		if err := w.element(id, pages, flags, at, b[at:at+elementSize], depth); err != nil {
			return err
		}
	}
	return nil
}

// element follows one entry of a page: to a lower page, or into a bucket.
func (w *pageWalk) element(id, pages uint64, flags uint16, at int, e []byte, depth int) error {
	if flags == branchPage {
		return w.page(binary.LittleEndian.Uint64(e[8:]), depth+1)
	}
	pos, key, value := binary.LittleEndian.Uint32(e[4:]), binary.LittleEndian.Uint32(e[8:]), binary.LittleEndian.Uint32(e[12:])
	start := uint64(at) + uint64(pos) + uint64(key)
	if start+uint64(value) > pages*pageSize {
		return fmt.Errorf("an entry of page %d ends beyond it", id)
	}
	if binary.LittleEndian.Uint32(e)&bucketLeaf == 0 {
		return nil
	}
	b := make([]byte, 8)
	if _, err := w.file.ReadAt(b, int64(id*pageSize+start)); err != nil {
		return fmt.Errorf("read a bucket of page %d: %w", id, err)
	}
	if root := binary.LittleEndian.Uint64(b); root != 0 { // 0: the bucket is in the value itself
		return w.page(root, depth+1)
	}
	return nil
}
