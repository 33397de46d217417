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
	if ok, err := inspect(path, report); !ok || err != nil {
		if err != nil {
			err = fmt.Errorf("check store %s: %w", path, err)
		}
		return 0, err
	}
	db, err := openFile(path, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: lockTimeout})
	if err != nil {
		return 0, fmt.Errorf("check store %s: %w", path, err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
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

// inspect reports whether the pages of the file can be followed at all. It is an
// error when the file is none of ours, cut off, or in use.
func inspect(path string, report func(key []byte, reason string)) (ok bool, err error) {
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

func reportOnce(report func(key []byte, reason string)) func(key []byte, reason string) {
	seen := map[string]bool{}
	return func(key []byte, reason string) {
		if id := string(key) + "\x00" + reason; !seen[id] {
			seen[id] = true
			report(key, reason)
		}
	}
}
