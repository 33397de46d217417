package kv

import (
	"encoding/json"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// dumpMode decodes any record as maps, whose keys are text or numbers.
var dumpMode = must(cbor.DecOptions{}.DecMode())

// Dump returns the record id of a table and its team as generic values, for a
// person to look at: maps have text keys, and JSON inside a record is shown as
// such.
func Dump(tx Tx, table, id string) (team string, record any, err error) {
	key := Key(table, recordKind, id)
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
	return string(f.team), readable(record), err
}

func readable(v any) any {
	switch v := v.(type) {
	case map[any]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[fmt.Sprint(k)] = readable(e)
		}
		return m
	case []any:
		for i := range v {
			v[i] = readable(v[i])
		}
	case []byte:
		if json.Valid(v) {
			return json.RawMessage(v)
		}
	}
	return v
}
