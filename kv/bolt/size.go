package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	bolt "go.etcd.io/bbolt"

	"edgesvc.dev/svc/kv"
)

// sizes are the bytes that each team holds (see kv.Size), kept in a bucket of their own and
// written with the commit that changes them. The zero value knows no team.
type sizes struct {
	bucket  *bolt.Bucket
	changed map[string]int64 // by this commit, with what the functions so far wrote
	pending []change         // by the function that is being admitted
}

// change is what one function adds to a team, less than nothing when it frees.
type change struct {
	team  []byte
	bytes int64
}

func (s *sizes) begin(tx *bolt.Tx) {
	s.bucket = tx.Bucket(sizeBucket)
	clear(s.changed)
}

func (s *sizes) of(team []byte) int64 {
	if n, ok := s.changed[string(team)]; ok {
		return n
	}
	if s.bucket == nil {
		return 0
	}
	if v := s.bucket.Get(team); len(v) == 8 {
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

// note adds bytes to what is pending for a team.
func (s *sizes) note(team []byte, bytesMore int64) {
	if len(team) == 0 || bytesMore == 0 {
		return
	}
	for i := range s.pending {
		if bytes.Equal(s.pending[i].team, team) {
			s.pending[i].bytes += bytesMore
			return
		}
	}
	s.pending = append(s.pending, change{team, bytesMore})
}

// accept makes what is pending part of the commit.
func (s *sizes) accept() {
	if s.changed == nil {
		s.changed = map[string]int64{}
	}
	for _, c := range s.pending {
		s.changed[string(c.team)] = max(s.of(c.team)+c.bytes, 0)
	}
}

// store writes the sizes that changed.
func (s *sizes) store(tx *bolt.Tx) error {
	bucket := tx.Bucket(sizeBucket)
	if bucket == nil {
		return nil
	}
	for team, n := range s.changed {
		var err error
		if n == 0 {
			err = bucket.Delete([]byte(team))
		} else {
			err = bucket.Put([]byte(team), binary.BigEndian.AppendUint64(nil, uint64(n)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// limit is the most bytes that a team may hold after a function.
type limit struct {
	team string
	most int64
}

func (t *updateTx) UseReserve() { t.reserve = true }

func (t *updateTx) Limit(team string, most int64) { t.limits = append(t.limits, limit{team, most}) }

func (t *updateTx) Size(team string) int64 { return t.sizes.of([]byte(team)) }

func (t *viewTx) Size(team string) int64 {
	s := sizes{bucket: t.tx.Bucket(sizeBucket)}
	return s.of([]byte(team))
}

// admit counts what the function wrote, and refuses it when there is no room for
// that.
func (b *batch) admit(tx *updateTx) error {
	b.count(tx)
	if (b.space == tight || b.space == full && !tx.reserve) && b.grows(tx) {
		return kv.ErrFull
	}
	if !tx.reserve {
		for _, l := range tx.limits {
			if err := b.sizes.exceeds(l); err != nil {
				return err
			}
		}
	}
	b.sizes.accept()
	return nil
}

func (s *sizes) exceeds(l limit) error {
	for _, c := range s.pending {
		if string(c.team) != l.team || c.bytes <= 0 {
			continue
		}
		if n := s.of(c.team) + c.bytes; n > l.most {
			return &kv.TeamFullError{Team: l.team, Size: n, Limit: l.most}
		}
	}
	return nil
}

// count notes how many bytes of records and bodies the function adds, and whose
// they are.
func (b *batch) count(tx *updateTx) {
	b.sizes.pending = b.sizes.pending[:0]
	for i := range b.own.entries {
		e := &b.own.entries[i]
		if kv.IsIndexEntry(e.key) {
			continue
		}
		b.sizes.note(kv.TeamOf(e.value), pairSize(e.key, e.value))
		old := tx.before(e.key)
		b.sizes.note(kv.TeamOf(old), -pairSize(e.key, old))
	}
}

// grows reports whether the function leaves more bytes than there were.
func (b *batch) grows(tx *updateTx) bool {
	n := int64(0)
	for i := range b.own.entries {
		e := &b.own.entries[i]
		n += pairSize(e.key, e.value) - pairSize(e.key, tx.before(e.key))
	}
	return n > 0
}

func pairSize(key, value []byte) int64 {
	if len(value) == 0 {
		return 0
	}
	return int64(len(key) + len(value))
}

// countSizes counts once what each team holds, in a file of a program that did
// not count. Neither a full disk nor a damaged page keeps anybody from opening
// the store: the next one to open it tries again.
func (s *Store) countSizes() error {
	var all sizes
	counted := false
	err := s.View(context.Background(), func(tx kv.Tx) error {
		if counted = tx.(*viewTx).tx.Bucket(sizeBucket) != nil; counted {
			return nil
		}
		return tx.Scan(kv.Range{}, func(k, v []byte) error {
			all.pending = append(all.pending[:0], change{kv.TeamOf(v), pairSize(k, v)})
			all.accept()
			return nil
		})
	})
	if _, damaged := errors.AsType[*kv.CorruptError](err); damaged || counted {
		return nil
	}
	if err != nil {
		return err
	}
	delete(all.changed, "")
	err = s.db.Update(func(tx *bolt.Tx) error {
		if _, err := tx.CreateBucket(sizeBucket); err != nil {
			return err
		}
		return all.store(tx)
	})
	if noSpace(err) {
		return nil
	}
	return errors.Join(err, s.prime())
}

// TeamSizes returns the bytes that each team holds.
func (s *Store) TeamSizes() (map[string]int64, error) {
	tx, err := s.snapshot()
	if err != nil {
		return nil, err
	}
	all := map[string]int64{}
	if bucket := tx.Bucket(sizeBucket); bucket != nil {
		err = bucket.ForEach(func(team, v []byte) error {
			all[string(team)] = int64(binary.BigEndian.Uint64(v))
			return nil
		})
	}
	return all, errors.Join(err, tx.Rollback())
}
