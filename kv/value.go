package kv

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/fxamacker/cbor/v2"
)

// A stored value is one version byte, a CRC-32C of everything else and the key,
// the team (one length byte and its bytes), then the payload. The checksum
// covers the key, so a value that was copied to a wrong place is caught too.
const (
	valueVersion = 1
	valueHeader  = 1 + 4 + 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(key, rest []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, rest)
}

// sealValue frames payload for key. Teams are at most 255 bytes.
func sealValue(key []byte, team string, payload []byte) []byte {
	b := make([]byte, 5, valueHeader+len(team)+len(payload))
	b[0] = valueVersion
	b = append(b, byte(len(team)))
	b = append(b, team...)
	b = append(b, payload...)
	binary.BigEndian.PutUint32(b[1:], checksum(key, b[5:]))
	return b
}

// openValue checks a framed value and returns its team and payload, which
// aliases v. When ok is false, team is the reason.
func openValue(key, v []byte) (team string, payload []byte, ok bool) {
	if len(v) < valueHeader {
		return "value is too short", nil, false
	}
	if v[0] != valueVersion {
		return "unknown value version", nil, false
	}
	if binary.BigEndian.Uint32(v[1:]) != checksum(key, v[5:]) {
		return "checksum mismatch", nil, false
	}
	n := int(v[5])
	if len(v) < valueHeader+n {
		return "team is cut off", nil, false
	}
	return string(v[valueHeader : valueHeader+n]), v[valueHeader+n:], true
}

// CheckValue reports whether v is a whole value of key, as the store's checker
// asks of every pair, and what is wrong if it is not.
func CheckValue(key, v []byte) (reason string, ok bool) {
	reason, _, ok = openValue(key, v)
	if ok {
		reason = ""
	}
	return reason, ok
}

var (
	encMode = must(cbor.EncOptions{Time: cbor.TimeRFC3339Nano, NilContainers: cbor.NilContainerAsNull}.EncMode())
	decMode = must(cbor.DecOptions{MaxArrayElements: 1 << 20, MaxMapPairs: 1 << 20}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
