package superjson

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var errCut = errors.New("annotate answer: the JSON is not whole")

// Wrap appends the envelope of body to dst. Body is the JSON of a value of the
// shape's type as this program's own encoder wrote it: Wrap looks for where it
// ends and does not check it otherwise.
func (s *Shape) Wrap(dst, body []byte) ([]byte, error) {
	w := wrapper{src: body, dst: append(slices.Grow(dst, len(body)+len(body)/4+64), `{"json":`...)}
	if !w.value(s) {
		return dst, errCut
	}
	w.dst = append(w.dst, body[w.copied:]...)
	if len(w.notes) > 0 {
		w.dst = append(append(append(w.dst, `,"meta":{"values":`...), w.notes...), `,"v":1}`...)
	}
	return append(w.dst, '}'), nil
}

// wrapper copies JSON and notes what stands where.
type wrapper struct {
	src    []byte
	at     int // in src
	copied int // of src
	dst    []byte
	path   []byte // of the value at hand
	notes  []byte // meta.values
	depth  int    // of the value at hand; 0 is the whole
}

// kind skips spaces and returns the byte that a value or mark begins with, 0
// at the end.
func (w *wrapper) kind() byte {
	for w.at < len(w.src) {
		switch c := w.src[w.at]; c {
		case ' ', '\n', '\t', '\r':
			w.at++
		default:
			return c
		}
	}
	return 0
}

// value goes past one value; false says that the JSON ended before.
func (w *wrapper) value(s *Shape) bool {
	kind := w.kind()
	switch {
	case s == nil:
	case s.leaf == date && kind == '"':
		w.note(`["Date"]`)
	case s.leaf == integer && kind != 'n':
		return w.integer()
	case s.each != nil && kind == '[':
		return w.list(s.each)
	case (s.each != nil || s.members != nil) && kind == '{':
		return w.object(s)
	}
	return w.skip()
}

func (w *wrapper) note(kind string) {
	if w.depth == 0 {
		w.notes = append(w.notes, kind...)
		return
	}
	if len(w.notes) == 0 {
		w.notes = append(w.notes, '{', '}')
	} else {
		w.notes = append(w.notes[:len(w.notes)-1], ',', '}')
	}
	w.notes, _ = jsontext.AppendQuote(w.notes[:len(w.notes)-1], w.path) // names are valid UTF-8: they have been written
	w.notes = append(append(append(w.notes, ':'), kind...), '}')
}

// integer turns a number that JavaScript would round into a bigint.
func (w *wrapper) integer() bool {
	start := w.at
	if !w.skip() {
		return false
	}
	if w.at-start < len("9007199254740991") {
		return true
	}
	lit := w.src[start:w.at]
	if n, err := strconv.ParseInt(string(lit), 10, 64); err == nil && n <= maxSafe && n >= -maxSafe {
		return true
	}
	w.dst = append(append(append(append(w.dst, w.src[w.copied:start]...), '"'), lit...), '"')
	w.copied = w.at
	w.note(`["bigint"]`)
	return true
}

func (w *wrapper) list(each *Shape) bool {
	w.at++
	for i := 0; ; i++ {
		switch w.kind() {
		case ']':
			w.at++
			return true
		case 0:
			return false
		case ',':
			w.at++
		}
		mark := w.enter()
		w.path = strconv.AppendInt(w.path, int64(i), 10)
		if !w.value(each) {
			return false
		}
		w.leave(mark)
	}
}

func (w *wrapper) object(s *Shape) bool {
	w.at++
	for {
		switch w.kind() {
		case '}':
			w.at++
			return true
		case ',':
			w.at++
			w.kind()
		}
		start := w.at
		if w.kind() != '"' || !w.skip() {
			return false
		}
		name := w.src[start+1 : w.at-1]
		if w.kind() != ':' {
			return false
		}
		w.at++
		member := s.each
		if s.members != nil {
			member = s.members[string(name)]
		}
		if member == nil {
			if w.kind(); !w.skip() {
				return false
			}
			continue
		}
		mark := w.enter()
		w.segment(name)
		if !w.value(member) {
			return false
		}
		w.leave(mark)
	}
}

// enter begins a segment of the path; leave takes it away again.
func (w *wrapper) enter() (mark int) {
	mark = len(w.path)
	if w.depth++; w.depth > 1 {
		w.path = append(w.path, '.')
	}
	return mark
}

func (w *wrapper) leave(mark int) {
	w.path, w.depth = w.path[:mark], w.depth-1
}

var segmentEscapes = strings.NewReplacer(`\`, `\\`, `.`, `\.`)

// segment appends a member's name as it stands in JSON.
func (w *wrapper) segment(name []byte) {
	plain := string(name)
	if strings.IndexByte(plain, '\\') >= 0 {
		if b, err := jsontext.AppendUnquote(nil, `"`+plain+`"`); err == nil {
			plain = string(b)
		}
	}
	w.path = append(w.path, segmentEscapes.Replace(plain)...)
}

// skip goes past the value at hand.
func (w *wrapper) skip() bool {
	depth, start := 0, w.at
	for w.at < len(w.src) {
		switch w.src[w.at] {
		case '"':
			if !w.text() {
				return false
			}
			if depth == 0 {
				return true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return w.at > start // of what holds a number
			}
			if depth == 0 {
				w.at++
				return true
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return true
			}
		}
		w.at++
	}
	return depth == 0
}

// text goes past a string: to the next quote that no odd number of backslashes
// stands before.
func (w *wrapper) text() bool {
	for i := w.at + 1; ; {
		n := bytes.IndexByte(w.src[i:], '"')
		if n < 0 {
			return false
		}
		end := i + n
		escape := end
		for escape > i && w.src[escape-1] == '\\' {
			escape--
		}
		if i = end + 1; (end-escape)%2 == 0 {
			w.at = i
			return true
		}
	}
}
