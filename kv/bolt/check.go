package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"

	"edgesvc.dev/svc/kv"
)

// Found is what Check met.
type Found struct {
	Pairs    int // that it read
	Problems int // of any kind
	// Damaged counts the problems of pages and checksums: bytes that are not what
	// was written. The others are records that say what cannot be.
	Damaged int
}

// Check verifies the store at path without changing it: the checksum of every
// pair, then everything the tables can tell, then bbolt's own page structure.
// report is called once for each key and reason; a nil key speaks of pages.
//
// A damaged file can end the process: call Check in a child process and take
// its death for a problem.
func Check(path string, report func(key []byte, reason string), tables ...kv.Checker) (found Found, err error) {
	damage := func(key []byte, reason string) {
		found.Problems++
		found.Damaged++
		report(key, reason)
	}
	if ok, err := inspect(path, damage); !ok || err != nil {
		if err != nil {
			err = fmt.Errorf("check store %s: %w", path, err)
		}
		return found, err
	}
	db, err := openFile(path, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: lockTimeout})
	if err != nil {
		return found, fmt.Errorf("check store %s: %w", path, err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	err = db.View(func(tx *bolt.Tx) error {
		seen := map[string]bool{}
		damage := once(seen, damage)
		rest := once(seen, func(key []byte, reason string) {
			found.Problems++
			report(key, reason)
		})
		view := &viewTx{reader: reader{bucket: tx.Bucket(dataBucket)}, tx: tx}
		if err := damageOf(checkTable(view, &everyPair{&found.Pairs}, damage), damage); err != nil {
			return err
		}
		for _, t := range tables {
			if err := damageOf(checkTable(view, t, rest), damage); err != nil {
				return err
			}
		}
		for err := range tx.Check() {
			damage(nil, err.Error())
		}
		return nil
	})
	return found, errors.Join(err, db.Close())
}

// inspect reports whether the pages of the file can be followed at all. It is an
// error when the file is none of ours, cut off, or in use.
func inspect(path string, report func(key []byte, reason string)) (ok bool, err error) {
	if err := checkSize(path); err != nil {
		return false, err
	}
	db, err := openFile(path, &bolt.Options{ReadOnly: true, Timeout: lockTimeout})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }() // it holds the lock meanwhile
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if err := checkStructure(f, info.Size()); errors.Is(err, errCutOff) {
		return false, err
	} else if err != nil {
		report(nil, err.Error())
		return false, nil
	}
	return true, readFormat(db, path)
}

// everyPair checks and counts all pairs.
type everyPair struct{ n *int }

func (c *everyPair) Check(tx kv.Tx, report func(key []byte, reason string)) error {
	return tx.Scan(kv.Range{}, func(k, v []byte) error {
		*c.n++
		if reason, ok := kv.CheckValue(k, v); !ok {
			report(k, reason)
		}
		return nil
	})
}

func checkTable(tx kv.Tx, t kv.Checker, report func(key []byte, reason string)) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if err = fault(p); err == nil {
				panic(p)
			}
		}
	}()
	return t.Check(tx, report)
}

// damageOf reports an error that speaks of a damaged page and returns others.
func damageOf(err error, report func(key []byte, reason string)) error {
	if damage, ok := errors.AsType[*kv.CorruptError](err); ok {
		report(damage.Key, damage.Reason)
		return nil
	}
	return err
}

// once passes on each key and reason that is not among those seen.
func once(seen map[string]bool, report func(key []byte, reason string)) func(key []byte, reason string) {
	return func(key []byte, reason string) {
		if id := string(key) + "\x00" + reason; !seen[id] {
			seen[id] = true
			report(key, reason)
		}
	}
}
