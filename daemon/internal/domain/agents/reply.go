package agents

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark is a citation as the model wrote it: [[n]] or [[n|"quote"]].
type mark struct {
	section int // from 1
	quote   string
	at      int // in the text that was let through, behind what it is said of
}

// reply takes a model's text as it comes and lets through what the visitor
// sees: without the marks of citations, however they are cut by the stream,
// without images (an exclamation mark never touches a bracket), without control
// characters, and within a limit. Its zero value lets nothing through: left is
// the characters that it has room for.
type reply struct {
	out   []byte
	marks []mark
	left  int
	full  bool // more was written than there is room for

	hold    string // begins a mark, perhaps
	state   int
	space   string // seen and not let through: none is at an end or beside a mark
	marked  bool   // a mark was taken out behind last
	last    rune   // that was let through
	written int    // of out, before this write
}

// The states of hold.
const (
	plain      = iota
	bracket    // [
	brackets   // [[
	number     // [[1
	closing    // [[1]
	quoting    // [[1|…
	quoteClose // [[1|…]
)

// maxMark is the longest mark, in bytes. What goes on for longer was none.
const maxMark = 1200

// maxSpace is the longest white space, in bytes; more is not kept.
const maxSpace = 100

// write takes a piece and returns what of the text is certain now.
func (r *reply) write(piece string) string {
	r.written = len(r.out)
	for _, c := range piece {
		if c != utf8.RuneError && (unicode.IsSpace(c) || !unicode.IsControl(c)) {
			r.take(c)
		}
	}
	return string(r.out[r.written:])
}

// end closes a turn of the model: what was held back to become a mark either is
// text or goes. Text of a further turn is apart.
func (r *reply) end() string {
	r.written = len(r.out)
	if r.state == bracket {
		r.put('[')
	}
	r.hold, r.state, r.marked, r.space = "", plain, false, ""
	if len(r.out) > 0 {
		r.space = "\n\n"
	}
	return string(r.out[r.written:])
}

func (r *reply) take(c rune) {
	switch {
	case r.state == plain && c == '[':
		r.keep(c, bracket)
	case r.state == plain:
		r.put(c)
	case r.state == bracket && c == '[':
		r.keep(c, brackets)
	case r.state == brackets && c == '[':
		r.put('[') // of three, the last two count
	case (r.state == brackets || r.state == number && len(r.hold) < 4) && c >= '0' && c <= '9':
		r.keep(c, number)
	case r.state == number && c == ']':
		r.keep(c, closing)
	case r.state == number && (c == '|' || c == ':'):
		r.keep(c, quoting)
	case (r.state == closing || r.state == quoteClose) && c == ']':
		r.found()
	case r.state == quoting || r.state == quoteClose:
		r.quoted(c)
	default:
		r.release(r.hold)
		r.take(c)
	}
}

func (r *reply) keep(c rune, state int) {
	r.hold += string(c)
	r.state = state
}

func (r *reply) quoted(c rune) {
	next := quoting
	if c == ']' {
		next = quoteClose
	}
	r.keep(c, next)
	if len(r.hold) <= maxMark {
		return
	}
	// It was none: the rest is text after all, in which nothing looks like one.
	rest := strings.ReplaceAll(r.hold[markHead(r.hold)+1:], "[[", "[ [")
	r.marked = true
	r.release(rest)
	r.marked = true
}

// markHead is where the number of a mark ends.
func markHead(hold string) int { return strings.IndexAny(hold, "|:]") }

func (r *reply) found() {
	head := markHead(r.hold)
	m := mark{at: len(r.out)}
	for _, c := range r.hold[len("[["):head] {
		m.section = m.section*10 + int(c-'0')
	}
	if r.hold[head] != ']' {
		m.quote = strings.Trim(strings.TrimSuffix(r.hold[head+1:], "]"), " \t\n\"“”„«»")
	}
	r.marks = append(r.marks, m)
	r.hold, r.state, r.marked = "", plain, true
}

// keepTo ends the text with the beginning that it shares with whole, and what whole
// has beside; marks behind it go.
func (r *reply) keepTo(whole string) {
	r.out = []byte(whole)
	r.marks = slices.DeleteFunc(slices.Clone(r.marks), func(m mark) bool { return m.at > len(whole) })
}

// release lets through what turned out to be no mark.
func (r *reply) release(text string) {
	r.hold, r.state = "", plain
	for _, c := range text {
		r.put(c)
	}
}

// put lets a character through, after the space that is before it.
func (r *reply) put(c rune) {
	if unicode.IsSpace(c) {
		if len(r.space) < maxSpace && (c == '\n' || !strings.HasSuffix(r.space, " ") || !r.marked) {
			r.space += string(c)
		}
		return
	}
	marked, space := r.marked, r.space
	r.marked, r.space = false, ""
	switch {
	case len(r.out) == 0, marked && !strings.Contains(space, "\n") && strings.ContainsRune(".,;:!?)", c):
		space = ""
	case space == "" && (c == '[' && r.last == '!' || marked && ofMarks(c) && ofMarks(r.last)):
		space = " " // neither an image nor a mark comes of two pieces
	}
	if space += string(c); r.left < utf8.RuneCountInString(space) {
		r.left, r.full = 0, true // no space at the end
		return
	}
	r.left -= utf8.RuneCountInString(space)
	r.out = append(r.out, space...)
	r.last = c
}

// ofMarks reports the characters that marks are made of.
func ofMarks(c rune) bool { return strings.ContainsRune("[]|:", c) || c >= '0' && c <= '9' }
