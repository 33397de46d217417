// Package kv is an ordered, transactional key-value store and the typed tables
// on top of it. It knows no domain: teams are opaque strings that partition a
// table, records are whatever the table's type says.
//
// Backends live in kv/bolt (embedded, one file) and are held to one contract by
// kv/kvtest.
package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// Store runs transactions. It is safe for concurrent use.
type Store interface {
	// View runs fn over a consistent snapshot. Keep it short: an open snapshot
	// keeps old pages alive. Never write to a socket inside it.
	View(ctx context.Context, fn func(Tx) error) error

	// Update runs fn and makes its writes durable, all or none, before it
	// returns nil. fn may run more than once and may run beside other
	// functions of the same commit, so it changes nothing outside the
	// transaction. When fn returns an error nothing is written and that error
	// is returned as it is.
	Update(ctx context.Context, fn func(Tx) error) error

	Close() error
}

// Versioned is a store that can tell cheaply that nothing has changed: what a
// View saw that began after Version returned n holds as long as it returns n.
type Versioned interface {
	// Version has grown when an Update returns that wrote to one of these tables,
	// or, without any, anything. A table is the first part of a key. ok is false
	// once the store cannot be read.
	Version(tables ...string) (n int64, ok bool)
}

// What a store takes. Reads and deletes of longer keys, which older data may have,
// still work.
const (
	MaxKey   = 1024     // bytes
	MaxValue = 16 << 20 // bytes
)

// Tx is one transaction, valid only inside the function that it is given to.
// An empty value equals an absent key.
type Tx interface {
	// Get returns the value of key, or nil. The bytes are valid only during
	// the transaction and must not be changed.
	Get(key []byte) ([]byte, error)

	// Put and Delete fail with ErrReadOnly inside View. They keep no reference
	// to their arguments. Put refuses keys longer than MaxKey and values longer
	// than MaxValue.
	Put(key, value []byte) error
	Delete(key []byte) error

	// Scan calls fn for each pair of r in key order (descending when
	// r.Reverse). fn ends the scan early, without error, by returning Stop.
	// The slices are valid only during the call; fn must not write.
	Scan(r Range, fn func(key, value []byte) error) error

	// OnCommit registers fn to run once, in its own turn, after the
	// transaction is durable. It never runs when the transaction fails. It
	// must not block: it is the place to wake those who follow a change.
	OnCommit(fn func())
}

// Range is the half-open interval [From, To). A nil To is the end of the store.
type Range struct {
	From, To []byte
	Reverse  bool
}

// Prefix is the range of all keys that start with p.
func Prefix(p []byte) Range {
	return Range{From: p, To: prefixEnd(p)}
}

// prefixEnd is the smallest key after all keys that start with p, or nil.
func prefixEnd(p []byte) []byte {
	end := bytes.Clone(p)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}

var (
	// Stop ends a Scan early.
	Stop = errors.New("kv: stop") //nolint:staticcheck // no failure: a word like fs.SkipAll
	// ErrReadOnly is returned by writes inside View.
	ErrReadOnly = errors.New("kv: read-only transaction")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("kv: store is closed")
	// ErrFull is returned by Update when the store has reached its configured
	// size or the disk has no space left. Reads go on.
	ErrFull = errors.New("kv: store is full")
)

// NotFoundError says that a table has no such record for this team.
type NotFoundError struct {
	Table string
	ID    string
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("%s %s not found", e.Table, e.ID) }

// ConflictError says that a unique index already holds the key for another
// record, ID.
type ConflictError struct {
	Table, Index, Key string
	ID                string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s %s %q is used by %s", e.Table, e.Index, e.Key, e.ID)
}

// UnreadableError says that a record was refused because it could not be read
// again: it holds text that is not valid UTF-8, say. Nothing was stored.
type UnreadableError struct {
	Table, ID string
	Reason    string
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%s %s could not be read again: %s", e.Table, e.ID, e.Reason)
}

// CorruptError says that stored bytes fail their checksum or contradict an
// index. The record is never handed out.
type CorruptError struct {
	Key    []byte
	Reason string
}

func (e *CorruptError) Error() string { return Describe(e.Key) + " cannot be read: " + e.Reason }

// Describe names what is kept under a key, for people: a table's record, body or
// index entry, or the key itself.
func Describe(key []byte) string {
	table, kind, rest := splitKey(key)
	id, rest, ok := SplitPart(rest)
	switch {
	case ok && kind == recordKind && len(rest) == 0:
		return table + " " + id
	case ok && kind == bodyKind && len(rest) == 0:
		return "the body of " + table + " " + id
	case ok && kind == indexKind:
		return fmt.Sprintf("an entry of the index %s of %s (%q)", id, table, rest)
	}
	return fmt.Sprintf("the key %q", key)
}

// The kinds of keys that a table has, behind its name.
const (
	recordKind = "r"
	bodyKind   = "b"
	indexKind  = "i"
)

func splitKey(key []byte) (table, kind string, rest []byte) {
	table, rest, _ = SplitPart(key)
	kind, rest, _ = SplitPart(rest)
	return table, kind, rest
}
