package kv

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

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

// sealValue appends the frame of payload under key to dst. Teams are at most 255
// bytes.
func sealValue[P string | []byte](dst, key []byte, team string, payload P) []byte {
	start := len(dst)
	dst = slices.Grow(dst, valueHeader+len(team)+len(payload))
	dst = append(dst, valueVersion, 0, 0, 0, 0, byte(len(team)))
	dst = append(dst, team...)
	dst = append(dst, payload...)
	v := dst[start:]
	binary.BigEndian.PutUint32(v[1:], checksum(key, v[5:]))
	return dst
}

// openValue checks a framed value and returns its team and payload, which
// alias v, or the reason why it cannot be trusted.
func openValue(key, v []byte) (team, payload []byte, reason string) {
	if len(v) < valueHeader {
		return nil, nil, "value is too short"
	}
	if v[0] != valueVersion {
		return nil, nil, "unknown value version"
	}
	if binary.BigEndian.Uint32(v[1:]) != checksum(key, v[5:]) {
		return nil, nil, "checksum mismatch"
	}
	n := int(v[5])
	if len(v) < valueHeader+n {
		return nil, nil, "team is cut off"
	}
	return v[valueHeader : valueHeader+n], v[valueHeader+n:], ""
}

// CheckValue reports whether v is a whole value of key, as the store's checker
// asks of every pair, and what is wrong if it is not.
func CheckValue(key, v []byte) (reason string, ok bool) {
	_, _, reason = openValue(key, v)
	return reason, reason == ""
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
