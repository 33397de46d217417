package search

import (
	"math/bits"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

const (
	minRepaired        = 4 // letters of a word that may have a slip
	minRepairedForeign = 6 // of one in a language that no document is in
	minTwoSlips        = 8
	minOtherLetter     = 6 // of one that may become a word of fewer than minRepaired
	minBeginning       = 5
	minHalf            = 3
)

// repair finds what a word that the index does not know may be meant for: a known
// word with one letter more, less, other or in its neighbour's place (two in long
// words), the more frequent of two; else the longest known word that it begins
// with; else two known words that were written as one.
func (q *question) repair(v *view, word string) []alt {
	home := v.langs[q.lang] > 0
	if len(word) < minRepaired || word[0] >= 0x80 || !home && len(word) < minRepairedForeign {
		return nil
	}
	if term := q.nearest(v, word, home); term != "" {
		return []alt{{term, repaired}}
	}
	for n := len(word) - 1; n >= max(minBeginning, len(word)*2/3); n-- { // a slip in the ending spoils the stem
		if v.df(word[:n]) > 0 {
			return []alt{{word[:n], repaired}}
		}
	}
	for i := minHalf; i <= len(word)-minHalf; i++ {
		left, right := q.lang.Stem(word[:i]), q.lang.Stem(word[i:])
		if v.df(left) > 0 && v.df(right) > 0 {
			return []alt{{left, halved}, {right, halved}}
		}
	}
	return nil
}

// nearest is the known word that is most like an unknown one, "" for none.
func (q *question) nearest(v *view, word string, home bool) (term string) {
	forms := []string{word}
	if stem := q.lang.Stem(word); stem != word {
		forms = append(forms, stem)
	}
	best, most := 3, 0
	for _, w := range forms {
		limit := 1
		if len(w) >= minTwoSlips && home {
			limit = 2
		}
		own := letters(w)
		v.eachLike(w, limit, func(t string, df int) {
			if bits.OnesCount32(own^letters(t)) > 2*limit || len(w) < minOtherLetter && len(t) < minRepaired {
				return
			}
			if d := distance(w, t, limit); d <= limit && (d < best || d == best && df > most) {
				best, most, term = d, df, t
			}
		})
	}
	return term
}

// eachLike calls f for the terms of about the same length with the same first
// letter.
func (v *view) eachLike(word string, limit int, f func(term string, df int)) {
	for _, g := range v.segments() {
		for i := g.from(word[:1]); i < len(g.ends); i++ {
			t := g.term(i)
			if t[0] != word[0] {
				break
			}
			if len(t)-len(word) <= limit && len(word)-len(t) <= limit {
				f(t, int(g.df[i]))
			}
		}
	}
}

// letters are those that a word has, a bit each: a slip changes two of them at most,
// so that most words are told apart before they are compared.
func letters(word string) (set uint32) {
	for i := range len(word) {
		set |= 1 << (word[i] & 31)
	}
	return set
}

// distance is how many letters were added, left out, replaced or changed with
// their neighbour between two words; more than limit when there are more. Only
// places that are within limit of each other are compared.
func distance(a, b string, limit int) int {
	if len(a) > words.MaxLength || len(b) > words.MaxLength || max(len(a)-len(b), len(b)-len(a)) > limit {
		return limit + 1
	}
	var rows [3][words.MaxLength + 2]int8
	far := int8(limit + 1)
	before, last, this := &rows[0], &rows[1], &rows[2]
	for j := range min(len(b), limit+1) + 1 {
		last[j] = int8(j)
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		this[from-1] = far
		if from == 1 {
			this[0] = int8(i)
		}
		least := this[from-1]
		for j := from; j <= to; j++ {
			d := min(last[j]+1, this[j-1]+1, last[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			this[j] = d
			least = min(least, d)
		}
		this[to+1] = far
		if least > far-1 {
			return limit + 1
		}
		before, last, this = last, this, before
	}
	return int(last[len(b)])
}

func differ(a, b byte) int8 {
	if a == b {
		return 0
	}
	return 1
}
