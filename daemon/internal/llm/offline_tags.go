package llm

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

const (
	maxTags = 6
	minTags = 3
)

// weak words say nothing as a tag, though they are no stop words.
const weak = " also use used using uses make makes made making get gets new one two three way ways thing things like just " +
	"need needs want wants can't don't many much really every still even well back first last next day days year years " +
	"time times good best better great part lot say says said see go goes going come comes take takes let post article read reader "

// stem is the key under which forms of a word are the same; empty for a word
// that is no keyword.
func stem(word string) string {
	word = strings.Trim(word, "-'’")
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	n := utf8.RuneCountInString(word)
	if n < 2 || n > 30 || english.IsStopWord(word) || strings.Contains(weak, " "+word+" ") {
		return ""
	}
	if !strings.ContainsFunc(word, unicode.IsLetter) {
		return ""
	}
	return english.Stem(word, false)
}

func stems(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(text) {
		if s := stem(w); s != "" {
			out[s] = true
		}
	}
	return out
}

// overlap counts the keywords of text, each once, that are wanted.
func overlap(wanted map[string]bool, text string) int {
	n := 0
	for s := range stems(text) {
		if wanted[s] {
			n++
		}
	}
	return n
}

// term is one stem of a document with what tags need to know about it.
type term struct {
	stem  string
	forms map[string]int // as written, to show the most frequent form
	count float64
	score float64
}

// titleWeight makes a word of the title count as this many in the text.
const titleWeight = 3

// tags ranks the words of a post by TF-IDF against the related documents: a
// word that the team writes in every post tells nothing about this one.
// Headings do not count, since those of an outline are the same in every post.
func tags(t OfflineTask) []string {
	terms := map[string]*term{}
	for range titleWeight {
		count(terms, t.Title)
	}
	for _, blk := range blocks(t.Content) {
		if !blk.heading {
			count(terms, blk.text)
		}
	}
	documents := make([]map[string]bool, len(t.Related))
	for i, s := range t.Related {
		documents[i] = stems(s.Title + " " + s.Text)
	}
	ranked := make([]*term, 0, len(terms))
	for _, tm := range terms {
		in := 0
		for _, d := range documents {
			if d[tm.stem] {
				in++
			}
		}
		tm.score = (1 + math.Log(tm.count)) * (1 + math.Log(float64(1+len(documents))/float64(1+in)))
		ranked = append(ranked, tm)
	}
	if len(ranked) == 0 {
		return titleWords(t.Title)
	}
	slices.SortFunc(ranked, func(a, b *term) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.count, a.count), cmp.Compare(a.stem, b.stem))
	})
	return pick(ranked)
}

// titleWords are the tags of a post that has no keyword: in a title such as
// "Why Go" a word that is weak elsewhere is the subject.
func titleWords(title string) []string {
	var out []string
	for _, w := range words(title) {
		w = strings.Trim(w, "-'’")
		if w != "" && !english.IsStopWord(w) && !slices.Contains(out, w) && len(out) < maxTags {
			out = append(out, w)
		}
	}
	return out
}

func count(terms map[string]*term, text string) {
	for _, w := range words(text) {
		s := stem(w)
		if s == "" {
			continue
		}
		if terms[s] == nil {
			terms[s] = &term{stem: s, forms: map[string]int{}}
		}
		terms[s].count++
		terms[s].forms[strings.Trim(w, "-'’")]++
	}
}

// pick takes the best terms: at least three where there are so many, further
// ones only while they are worth half of the best.
func pick(ranked []*term) []string {
	var out []string
	for i, tm := range ranked {
		if i == maxTags || (i >= minTags && tm.score < ranked[0].score/2) {
			break
		}
		out = append(out, commonForm(tm.forms))
	}
	return out
}

func commonForm(forms map[string]int) string {
	best := ""
	for f, n := range forms {
		if best == "" || n > forms[best] || n == forms[best] && (len(f) < len(best) || len(f) == len(best) && f < best) {
			best = f
		}
	}
	return best
}
