package kv

import (
	"reflect"

	"github.com/fxamacker/cbor/v2"
)

// dumpMode decodes any record as maps with text keys.
var dumpMode = must(cbor.DecOptions{DefaultMapType: reflect.TypeFor[map[string]any]()}.DecMode())

// Dump returns the record id of a table and its team as generic values, for a
// person to look at.
func Dump(tx Tx, table, id string) (team string, record any, err error) {
	key := Key(table, "r", id)
	raw, err := tx.Get(key)
	if err != nil {
		return "", nil, err
	}
	if len(raw) == 0 {
		return "", nil, &NotFoundError{Table: table, ID: id}
	}
	f, reason := openValue(key, raw)
	if reason != "" {
		return "", nil, &CorruptError{Key: key, Reason: reason}
	}
	err = dumpMode.Unmarshal(f.payload, &record)
	return string(f.team), record, err
}
