package search

import (
	"math"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// What bounds a question.
const (
	maxAsked = 24 // words; at most the bits of a mask
	maxAlts  = 6  // words of the index for each of them
)

// leastDocuments is of how many documents a word is taken to be rare: fewer say
// little about how common it is.
const leastDocuments = 20

// What a word of the index is worth that stands for one of the question. See rank
// for the other constants.
const (
	otherWord = 0.8 // of the lexicon
	repaired  = 0.8 // for one with a slip of the pen
	halved    = 0.56
	weakWord  = 0.6 // of the idf
)

// alt is a word of the index that stands for one of the question.
type alt struct {
	term   string
	weight float64
}

// asked is a word of the question.
type asked struct {
	word string
	alts []alt // none when nothing in the index is like it
	idf  float64
}

// question is a text that is searched for, in the words of an index.
type question struct {
	asked []asked
	lang  *words.Language
	sum   float64 // of idf
}

// parse reads a question with the words that the index knows.
func parse(v *view, text string) *question {
	q := &question{lang: words.DetectShort(text, v.mainLanguage())}
	var all []words.Token
	words.Each(text, func(t words.Token) { all = append(all, t) })
	q.read(v, all, false)
	if len(q.asked) == 0 { // stop words alone
		q.read(v, all, true)
	}
	n := float64(max(v.documents(), leastDocuments))
	for i := range q.asked {
		a := &q.asked[i]
		df := 0
		for j, x := range a.alts {
			if j == 0 || x.weight == 1 {
				df = max(df, v.df(x.term))
			}
		}
		a.idf = idf(n, float64(df))
		if q.lang.Weak(a.word) {
			a.idf *= weakWord
		}
		q.sum += a.idf
	}
	return q
}

func idf(n, df float64) float64 { return math.Log(1 + max(0, n-df+0.5)/(df+0.5)) }

// mainLanguage is that of most documents.
func (v *view) mainLanguage() *words.Language {
	best := words.Languages()[0]
	for _, l := range words.Languages() {
		if v.langs[l] > v.langs[best] {
			best = l
		}
	}
	if other := words.Other(); v.langs[other] > v.langs[best] {
		return other
	}
	return best
}

func (q *question) read(v *view, all []words.Token, stops bool) {
	seen := map[string]bool{}
	for _, t := range all {
		if len(q.asked) == maxAsked {
			return
		}
		if seen[t.Word] || !stops && q.lang.Stop(t.Word) {
			continue
		}
		seen[t.Word] = true
		a := asked{word: t.Word, alts: q.alternatives(v, t)}
		if len(a.alts) == 0 {
			if t.Whole {
				continue // its parts are asked for
			}
		} else if form := "=" + a.alts[0].term; seen[form] {
			continue // another form of a word before
		} else {
			seen[form] = true
		}
		q.asked = append(q.asked, a)
	}
}

// alternatives are a word's stems in the languages of the documents, and those of
// the words that the lexicon has for it; for a word that nobody knows, what it may
// be meant for.
func (q *question) alternatives(v *view, t words.Token) (found []alt) {
	add := func(word string, weight float64) {
		for _, l := range v.stemmers {
			if len(found) == maxAlts {
				return
			}
			if term := l.Stem(word); !contains(found, term) && v.df(term) > 0 {
				found = append(found, alt{term, weight})
			}
		}
	}
	add(t.Word, 1)
	for _, like := range alike(q.lang, t.Word) {
		add(like, otherWord)
	}
	if len(found) == 0 && !t.Whole {
		found = q.repair(v, t.Word)
	}
	return found
}

func contains(alts []alt, term string) bool {
	for _, a := range alts {
		if a.term == term {
			return true
		}
	}
	return false
}

// share is what part of the question some of its words are.
func (q *question) share(mask uint32) (w float64) {
	for i := range q.asked {
		if mask&(1<<i) != 0 {
			w += q.asked[i].idf
		}
	}
	return w / max(q.sum, 1e-9)
}
