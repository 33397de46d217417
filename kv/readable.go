package kv

import (
	"encoding/binary"
	"unicode/utf8"
)

// The decoder's own limits, set here so that unreadable and it cannot differ.
const (
	maxNesting  = 32
	maxElements = 1 << 20
)

// The major types of CBOR that matter here (RFC 8949, 3.1).
const (
	cborBytes = 2
	cborText  = 3
	cborArray = 4
	cborMap   = 5
	cborTag   = 6

	cborSimple = 7<<5 | 24 // a simple value in a byte of its own
)

// unreadable returns why the decoder would refuse an encoded record, "" when it
// would not. It looks at what depends on data: text, nesting and lengths. sure is
// false for what the encoder makes of no plain record: only the decoder can tell.
func unreadable(payload []byte) (reason string, sure bool) {
	s := cborScan{rest: payload}
	reason = s.item(0)
	return reason, reason != "" || !s.unusual && len(s.rest) == 0
}

type cborScan struct {
	rest    []byte
	unusual bool
}

// item passes over one data item.
func (s *cborScan) item(depth int) (reason string) {
	major, n, ok := s.head()
	if !ok {
		return ""
	}
	switch major {
	case cborBytes, cborText:
		if n > uint64(len(s.rest)) {
			s.unusual = true
			return ""
		}
		text := s.rest[:n]
		s.rest = s.rest[n:]
		if major == cborText && !utf8.Valid(text) {
			return "text is not valid UTF-8"
		}
	case cborArray, cborMap:
		if depth++; depth > maxNesting {
			return "values are nested too deeply"
		}
		if n > maxElements {
			return "a list or map is too long"
		}
		if major == cborMap {
			n *= 2
		}
		for ; n > 0 && !s.unusual; n-- {
			if reason := s.item(depth); reason != "" {
				return reason
			}
		}
	case cborTag:
		s.unusual = true
	}
	return ""
}

// head reads the type of an item and its argument: a number, or a length.
func (s *cborScan) head() (major byte, n uint64, ok bool) {
	if len(s.rest) == 0 {
		s.unusual = true
		return 0, 0, false
	}
	first := s.rest[0]
	major, n = first>>5, uint64(first&31)
	s.rest = s.rest[1:]
	if n < 24 {
		return major, n, true
	}
	size := 1 << (n - 24)
	if n > 27 || first == cborSimple || size > len(s.rest) { // reserved, or of no length said beforehand
		s.unusual = true
		return 0, 0, false
	}
	var b [8]byte
	copy(b[8-size:], s.rest)
	s.rest = s.rest[size:]
	return major, binary.BigEndian.Uint64(b[:]), true
}
