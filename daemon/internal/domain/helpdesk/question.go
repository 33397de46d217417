package helpdesk

import "math/bits"

// maxTerms bounds what a long message costs. It is at most the bits of marks.
const maxTerms = 24

// question is what is asked, and what it has seen of the words of articles. It
// is for one goroutine.
type question struct {
	terms  []string
	stem   func(string) string
	begins [256]bool        // first bytes of the terms
	seen   map[string]marks // by words as they are written
}

func newQuestion(text string, stem func(string) string) *question {
	all := distinct(terms(text))
	return questionOf(all[:min(len(all), maxTerms)], stem)
}

func questionOf(terms []string, stem func(string) string) *question {
	q := &question{terms: terms, stem: stem, seen: map[string]marks{}}
	for _, t := range terms {
		q.begins[t[0]] = true
	}
	return q
}

// marks are terms of a question, by their place in it.
type marks uint32

func (m marks) count() int { return bits.OnesCount32(uint32(m)) }

// in says which of the terms a text has. Only words that begin as one of them
// are stemmed, and each once: that changes no first letter.
func (q *question) in(text string) (found marks) {
	eachFolded(text, func(pair string) {
		if q.begins[pair[0]] {
			found |= q.match(pair)
		}
	}, func(word string) {
		if !q.begins[word[0]] {
			return
		}
		m, ok := q.seen[word]
		if !ok {
			if root := root(word); root != "" {
				m = q.match(q.stem(root))
			}
			q.seen[word] = m
		}
		found |= m
	})
	return found
}

func (q *question) match(term string) (found marks) {
	for i, asked := range q.terms {
		if same(asked, term) {
			found |= 1 << i
		}
	}
	return found
}
