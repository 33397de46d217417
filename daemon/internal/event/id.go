package event

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strconv"

	"edgesvc.dev/svc/sdk/api"
)

// recordID is the table's id of the event at this position: hex of fixed width,
// which sorts by value. No event has the position 0, so recordID(0) stands before
// all.
func recordID(seq uint64) string { return fmt.Sprintf("%016x", seq) }

func parseRecordID(id string) (uint64, error) {
	seq, err := strconv.ParseUint(id, 16, 64)
	if err != nil {
		return 0, fmt.Errorf("event is stored under %q: %w", id, err)
	}
	return seq, nil
}

const idPrefix = "evt_"

// typeID is the alphabet of TypeIDs.
var typeID = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// pad makes 16 bytes a whole number of 5-byte groups on the left, as TypeIDs are
// aligned; it encodes as six zeros.
const pad = 4

// eventID is the TypeID of an event: a UUIDv7 (RFC 9562, 5.7) of the event's time
// whose random part is the sequence number, which is unique in the team.
func eventID(at api.Time, seq uint64) string {
	var b [pad + 16]byte
	binary.BigEndian.PutUint64(b[pad:], uint64(max(at, 0))<<16|0x7000)
	binary.BigEndian.PutUint64(b[pad+8:], 1<<63|seq&(1<<62-1))
	return idPrefix + typeID.EncodeToString(b[:])[6:]
}

// parseEventID returns what eventID was given. Only a record tells whether there
// is such an event.
func parseEventID(id string) (at api.Time, seq uint64, ok bool) {
	if len(id) != len(idPrefix)+26 || id[:len(idPrefix)] != idPrefix {
		return 0, 0, false
	}
	b, err := typeID.DecodeString("000000" + id[len(idPrefix):])
	if err != nil || len(b) != pad+16 { // the decoder skips line ends
		return 0, 0, false
	}
	return api.Time(binary.BigEndian.Uint64(b[pad:]) >> 16), binary.BigEndian.Uint64(b[pad+8:]) & (1<<62 - 1), true
}
