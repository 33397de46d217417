package search

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// Snippet is a piece of plain text around the words that were searched for.
type Snippet struct {
	Text string
	// Marks are where these words are: begin and end of each, in UTF-16 units.
	Marks [][2]int
}

// highlighter finds the words of a question in a text. It is for one goroutine.
type highlighter struct {
	stemmers []*words.Language
	terms    map[string]uint32 // words of the index, with the words of the question that they stand for
	weight   []float64         // of the words of the question
	begins   [256]bool         // first bytes of the terms
	seen     map[string]uint32 // of words as they are written
}

func newHighlighter(v *view, q *question) *highlighter {
	h := &highlighter{stemmers: v.stemmers, terms: map[string]uint32{}, seen: map[string]uint32{}}
	for i, a := range q.asked {
		h.weight = append(h.weight, a.idf)
		for _, x := range a.alts {
			h.terms[x.term] |= 1 << i
			h.begins[x.term[0]] = true
		}
	}
	return h
}

// in says which words of the question a word is. Only one that begins as one of
// them is stemmed: that changes no first letter.
func (h *highlighter) in(word string) (mask uint32) {
	if !h.begins[word[0]] {
		return 0
	}
	mask, ok := h.seen[word]
	if !ok {
		for _, l := range h.stemmers {
			mask |= h.terms[l.Stem(word)]
		}
		h.seen[word] = mask
	}
	return mask
}

func (h *highlighter) worth(mask uint32) (w float64) {
	for ; mask != 0; mask &= mask - 1 {
		w += h.weight[bits.TrailingZeros32(mask)]
	}
	return w
}

// maxPassage is the most bytes of a passage, where sentences allow it.
const maxPassage = 320

// Passage is the part of a text that has most of the words that were searched for,
// word for word: some of its sentences, on one line. Of equals it is the first; of
// a text without the words the first that is more than a label.
func (f *Found) Passage(text string) string {
	const label = 20 // bytes
	best, most := "", -1.0
	eachPassage(text, func(part string) {
		var mask uint32
		words.Each(part, func(t words.Token) { mask |= f.words.in(t.Word) })
		if w := f.words.worth(mask); w > most || most == 0 && w == 0 && len(best) < label && len(part) >= label {
			best, most = part, w
		}
	})
	return best
}

// eachPassage calls f for the lines of a text, and for the parts of long ones.
func eachPassage(text string, f func(part string)) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for len(line) > maxPassage {
			cut := endOfPassage(line)
			f(strings.TrimSpace(line[:cut]))
			line = strings.TrimSpace(line[cut:])
		}
		if line != "" {
			f(line)
		}
	}
}

// endOfPassage is where the last sentence of a passage at the start of a long line
// ends, or its last word, or its last character.
func endOfPassage(line string) int {
	text := line[:maxPassage]
	if end := lastSentence(text); end > 0 {
		return end
	}
	if end := strings.LastIndexByte(text, ' ') + 1; end > 0 {
		return end
	}
	cut := maxPassage
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return cut
}

// lastSentence is where the last sentence that ends in a text does, 0 when none
// ends.
func lastSentence(text string) int {
	for i := len(text) - 1; i >= 0; i-- {
		switch rest := text[i:]; text[i] {
		case '.', '!', '?':
			if len(rest) > 1 && rest[1] == ' ' {
				return i + 2
			}
		case "。"[0], "！"[0]:
			if strings.HasPrefix(rest, "。") || strings.HasPrefix(rest, "！") || strings.HasPrefix(rest, "？") {
				return i + len("。")
			}
		}
	}
	return 0
}

// maxSnippet is the most characters of a snippet.
const maxSnippet = 200

// Snippet is the passage of a text, cut around most of the words if it is long.
func (f *Found) Snippet(text string) Snippet { return f.snippet(f.Passage(text)) }

func (f *Found) snippet(passage string) Snippet {
	s := f.mark(strings.Join(strings.Fields(passage), " "))
	from, to := s.window()
	return s.cut(from, to)
}

// marked is a text with where the words are in it, in bytes.
type marked struct {
	text  string
	at    [][2]int
	masks []uint32
	worth func(mask uint32) float64
}

func (f *Found) mark(text string) marked {
	m := marked{text: text, worth: f.words.worth}
	words.Each(text, func(t words.Token) {
		mask := f.words.in(t.Word)
		if mask == 0 {
			return
		}
		if n := len(m.at); n > 0 && t.Start < m.at[n-1][1] { // a compound of the words before, or the next pair
			m.at[n-1][0], m.at[n-1][1] = min(m.at[n-1][0], t.Start), max(m.at[n-1][1], t.End)
			m.masks[n-1] |= mask
			return
		}
		m.at, m.masks = append(m.at, [2]int{t.Start, t.End}), append(m.masks, mask)
	})
	return m
}

// window is the part of a long text that has most of the words, in bytes.
func (m *marked) window() (from, to int) {
	const room = maxSnippet - 2 // an ellipsis on either side
	if utf8.RuneCountInString(m.text) <= maxSnippet {
		return 0, len(m.text)
	}
	most := -1.0
	for i := range m.at {
		end := forward(m.text, m.at[i][0], room)
		var mask uint32
		last := i
		for j := i; j < len(m.at) && m.at[j][1] <= end; j++ {
			mask |= m.masks[j]
			last = j
		}
		if w := m.worth(mask); w > most {
			most = w
			free := room - utf8.RuneCountInString(m.text[m.at[i][0]:max(m.at[last][1], m.at[i][0])])
			from = backward(m.text, m.at[i][0], max(0, free/3))
		}
	}
	from = wordStart(m.text, from)
	return from, wordEnd(m.text, from, forward(m.text, from, room))
}

// forward and backward go so many characters from a place in a text.
func forward(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

func backward(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// wordStart is where the next word begins, unless that is far.
func wordStart(text string, at int) int {
	if at == 0 || text[at-1] == ' ' {
		return at
	}
	if i := strings.IndexByte(text[at:min(len(text), at+30)], ' '); i >= 0 {
		return at + i + 1
	}
	return at
}

// wordEnd is where the last whole word before at ends, unless that is far.
func wordEnd(text string, from, at int) int {
	if at == len(text) || text[at] == ' ' {
		return at
	}
	if i := strings.LastIndexByte(text[max(from, at-30):at], ' '); i >= 0 {
		return max(from, at-30) + i
	}
	return at
}

// cut is a part of the text, with its marks in UTF-16 units.
func (m *marked) cut(from, to int) Snippet {
	var b strings.Builder
	if from > 0 {
		b.WriteString("…")
	}
	shift := b.Len() - from
	b.WriteString(m.text[from:to])
	if to < len(m.text) {
		b.WriteString("…")
	}
	s := Snippet{Text: b.String(), Marks: [][2]int{}}
	units, at := 0, 0
	unit := func(place int) int {
		for at < place {
			r, size := utf8.DecodeRuneInString(s.Text[at:])
			units += max(1, utf16.RuneLen(r))
			at += size
		}
		return units
	}
	for _, word := range m.at {
		if word[0] >= from && word[1] <= to {
			s.Marks = append(s.Marks, [2]int{unit(word[0] + shift), unit(word[1] + shift)})
		}
	}
	return s
}
