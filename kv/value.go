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
// The highest bit of the version says that a body stands beside the record, so
// that a lost one is noticed.
const (
	valueVersion = 1
	bodyBit      = 0x80
	valueHeader  = 1 + 4 + 1
	maxTeam      = 255 // bytes, for its length takes one
)

// frame is an opened value. Its slices alias the value.
type frame struct {
	team, payload []byte
	body          bool
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(key, v []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, v[5:]) ^ uint32(v[0])
}

// sealValue appends the frame of payload under key to dst. Teams have at most
// maxTeam bytes.
func sealValue[P string | []byte](dst, key []byte, team string, payload P, body bool) []byte {
	version := byte(valueVersion)
	if body {
		version |= bodyBit
	}
	start := len(dst)
	dst = slices.Grow(dst, valueHeader+len(team)+len(payload))
	dst = append(dst, version, 0, 0, 0, 0, byte(len(team)))
	dst = append(dst, team...)
	dst = append(dst, payload...)
	v := dst[start:]
	binary.BigEndian.PutUint32(v[1:], checksum(key, v))
	return dst
}

// openValue checks a framed value. A reason says why it cannot be trusted.
func openValue(key, v []byte) (f frame, reason string) {
	if len(v) < valueHeader {
		return f, "value is too short"
	}
	if v[0]&^bodyBit != valueVersion {
		return f, "unknown value version"
	}
	if binary.BigEndian.Uint32(v[1:]) != checksum(key, v) {
		return f, "checksum mismatch"
	}
	n := int(v[5])
	if len(v) < valueHeader+n {
		return f, "team is cut off"
	}
	return frame{v[valueHeader : valueHeader+n], v[valueHeader+n:], v[0]&bodyBit != 0}, ""
}

// CheckValue reports whether v is a whole value of key, as the store's checker
// asks of every pair, and what is wrong if it is not.
func CheckValue(key, v []byte) (reason string, ok bool) {
	_, reason = openValue(key, v)
	return reason, reason == ""
}

var (
	encMode = must(cbor.EncOptions{Time: cbor.TimeRFC3339Nano, NilContainers: cbor.NilContainerAsNull}.EncMode())
	decMode = must(cbor.DecOptions{MaxNestedLevels: maxNesting, MaxArrayElements: maxElements, MaxMapPairs: maxElements}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
