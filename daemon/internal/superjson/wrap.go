package superjson

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

var errCut = errors.New("annotate answer: the JSON is not whole")

// Wrap appends the envelope of body to dst. Body is the JSON of a value of the
// shape's type as this program's own encoder wrote it: Wrap looks for where it
// ends and does not check it otherwise.
func (s *Shape) Wrap(dst, body []byte) ([]byte, error) {
	w := wrapper{src: body}
	if !w.value(s) {
		return dst, errCut
	}
	dst = append(slices.Grow(dst, len(body)+2*len(w.big)+len(w.notes)+40), `{"json":`...)
	copied := 0
	for _, n := range w.big {
		dst = append(append(dst, body[copied:n.from]...), '"')
		dst = append(append(dst, body[n.from:n.to]...), '"')
		copied = n.to
	}
	dst = append(dst, body[copied:]...)
	if len(w.notes) > 0 {
		dst = append(append(append(dst, `,"meta":{"values":`...), w.notes...), `,"v":1}`...)
	}
	return append(dst, '}'), nil
}

// wrapper reads JSON once and notes what stands where.
type wrapper struct {
	src   []byte
	at    int    // in src
	path  []byte // of the value at hand, as it stands in a JSON text
	notes []byte // meta.values
	big   []span // integers that become text
	depth int    // of the value at hand; 0 is the whole
}

type span struct{ from, to int }

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
	if w.notes == nil {
		w.notes = append(make([]byte, 0, 64+len(w.src)/4), '{')
	} else {
		w.notes[len(w.notes)-1] = ','
	}
	w.notes = append(append(append(w.notes, '"'), w.path...), `":`...)
	w.notes = append(append(w.notes, kind...), '}')
}

// integer makes a number that JavaScript would round a bigint.
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
	w.big = append(w.big, span{start, w.at})
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

// object looks at its members' names only: the values of those without a shape
// are passed by as what stands between.
func (w *wrapper) object(s *Shape) bool {
	src, depth := w.src, 0 // depth inside this object
	for at := w.at + 1; at < len(src); {
		switch src[at] {
		case '"':
			start := at + 1
			if at = pastText(src, at); at < 0 {
				return false
			}
			if depth > 0 || at < len(src) && src[at] == ',' {
				continue
			}
			name := src[start : at-1]
			if w.at = at; w.kind() != ':' {
				continue
			}
			if m := s.of(name); m != nil {
				if !w.member(m) {
					return false
				}
				at = w.at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				w.at = at + 1
				return true
			}
		}
		at++
	}
	return false
}

// member goes past the value of m, from the colon on.
func (w *wrapper) member(m *member) bool {
	w.at++
	mark := w.enter()
	w.path = append(w.path, m.segment...)
	whole := w.value(m.shape)
	w.leave(mark)
	return whole
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

// segment is a member's name, as it stands in JSON, as it stands in a path in
// JSON.
func segment(name []byte) string {
	if bytes.IndexByte(name, '\\') < 0 && bytes.IndexByte(name, '.') < 0 {
		return string(name)
	}
	plain, err := jsontext.AppendUnquote(nil, `"`+string(name)+`"`)
	if err != nil {
		return string(name) // as whoever wrote the JSON had it
	}
	quoted, _ := jsontext.AppendQuote(nil, joinPath(nil, []string{string(plain)})) // valid UTF-8: it has been read
	return string(quoted[1 : len(quoted)-1])
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

// text goes past a string.
func (w *wrapper) text() bool {
	w.at = pastText(w.src, w.at)
	return w.at >= 0
}

// pastText returns where the string that begins at start ends, or -1.
func pastText(src []byte, start int) int {
	n := bytes.IndexByte(src[start+1:], '"')
	end := start + 1 + n
	if n > 0 && src[end-1] == '\\' {
		return pastEscapes(src, start+1, end)
	}
	if n < 0 {
		return -1
	}
	return end + 1
}

// pastEscapes returns where the string ends whose text begins at start. The
// quote at end is part of it when an odd number of backslashes stands before.
func pastEscapes(src []byte, start, end int) int {
	for {
		escape := end
		for escape > start && src[escape-1] == '\\' {
			escape--
		}
		if (end-escape)%2 == 0 {
			return end + 1
		}
		n := bytes.IndexByte(src[end+1:], '"')
		if n < 0 {
			return -1
		}
		end += n + 1
	}
}
