package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"

	"edgesvc.dev/svc/kv"
)

// Check verifies the store at path without changing it: the checksum of every
// pair, then everything the tables can tell, then bbolt's own page structure.
// report is called once for each key and reason; a nil key speaks of pages.
// Check returns how many pairs it read.
//
// A damaged file can end the process: call Check in a child process and take
// its death for a problem.
func Check(path string, report func(key []byte, reason string), tables ...kv.Checker) (pairs int, err error) {
	db, err := openFile(path, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: lockTimeout})
	if err != nil {
		return 0, fmt.Errorf("check store %s: %w", path, err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if err := structureOf(path); err != nil {
		report(nil, err.Error())
		return 0, db.Close()
	}
	if err := readFormat(db, path); err != nil {
		return 0, errors.Join(fmt.Errorf("check store %s: %w", path, err), db.Close())
	}
	err = db.View(func(tx *bolt.Tx) error {
		once := reportOnce(report)
		view := &viewTx{reader: reader{bucket: tx.Bucket(dataBucket)}}
		for _, t := range append([]kv.Checker{&everyPair{&pairs}}, tables...) {
			if err := damageOf(checkTable(view, t, once), once); err != nil {
				return err
			}
		}
		for err := range tx.Check() {
			once(nil, err.Error())
		}
		return nil
	})
	return pairs, errors.Join(err, db.Close())
}

// structureOf checks the pages of the file at path. Nobody writes to it: bbolt
// holds its lock.
func structureOf(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return checkStructure(f, info.Size())
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

func reportOnce(report func(key []byte, reason string)) func(key []byte, reason string) {
	seen := map[string]bool{}
	return func(key []byte, reason string) {
		if id := string(key) + "\x00" + reason; !seen[id] {
			seen[id] = true
			report(key, reason)
		}
	}
}
