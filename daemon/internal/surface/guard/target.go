package guard

import (
	"bytes"
	"unicode/utf8"
)

// checkTarget accepts one spelling of each path. fasthttp decodes %2f and
// resolves dot segments before routing, so a proxy that guards "/admin" by
// prefix and this server would otherwise disagree about "/x/..%2fadmin".
func checkTarget(target []byte) *refusal {
	path, query, _ := bytes.Cut(target, []byte("?"))
	if len(path) == 0 || path[0] != '/' {
		return malformed("The request target must be a path.")
	}
	if !onlyOf(path, &pathByte) || !onlyOf(query, &queryByte) {
		return malformed("The request target holds a character that must be percent-encoded.")
	}
	if bytes.Contains(path, []byte("//")) || hasDotSegment(path) {
		return malformed("The path has an empty or a dot segment.")
	}
	if bytes.IndexByte(path, '%') >= 0 && !plainlyEncoded(path) {
		return malformed("The path encodes a character that must not be encoded there.")
	}
	return nil
}

func hasDotSegment(path []byte) bool {
	for segment := range bytes.SplitSeq(path, []byte("/")) {
		if string(segment) == "." || string(segment) == ".." {
			return true
		}
	}
	return false
}

// plainlyEncoded refuses an encoded slash, backslash, dot, percent sign,
// control character, letter or digit, and what does not decode to UTF-8
// (overlong forms of those characters among it).
func plainlyEncoded(path []byte) bool {
	decoded := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' {
			if i+2 >= len(path) || !hexByte[path[i+1]] || !hexByte[path[i+2]] {
				return false
			}
			c = unhex(path[i+1])<<4 | unhex(path[i+2])
			if !encodableByte[c] {
				return false
			}
			i += 2
		}
		decoded = append(decoded, c)
	}
	return utf8.Valid(decoded)
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	default:
		return c - 'a' + 10
	}
}
