package llm

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

const (
	maxTags = 6
	minTags = 3
)

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
	said := vocabularyOf(t.Title + "\n" + t.Content)
	terms := map[string]*term{}
	for range titleWeight {
		said.count(terms, t.Title)
	}
	for _, blk := range blocks(t.Content) {
		if !blk.heading {
			said.count(terms, blk.text)
		}
	}
	documents := make([]map[string]bool, len(t.Related))
	for i, s := range t.Related {
		documents[i] = said.stems(s.Title + " " + s.Text)
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
		return said.titleWords(t.Title)
	}
	slices.SortFunc(ranked, func(a, b *term) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.count, a.count), cmp.Compare(a.stem, b.stem))
	})
	return pick(ranked)
}

// titleWords are the tags of a post that has no keyword: in a title such as
// "Why Go" a word that is weak elsewhere is the subject.
func (v vocabulary) titleWords(title string) []string {
	var out []string
	for _, w := range wordsOf(title) {
		w = strings.Trim(w, "-'’")
		if w != "" && !v.lang.Function(words.Fold(w)) && !slices.Contains(out, w) && len(out) < maxTags {
			out = append(out, w)
		}
	}
	return out
}

func (v vocabulary) count(terms map[string]*term, text string) {
	for _, w := range wordsOf(text) {
		s := v.stem(w)
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
