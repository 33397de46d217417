package search

import (
	"slices"
	"strings"
	"sync"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// alike are the words of the lexicon that mean the same as a word of a question in
// a language, in the order in which they are to be tried.
func alike(lang *words.Language, word string) []string {
	all := lexicon()
	found := all[lang.Stem(word)]
	if english := words.Languages()[0]; lang != english {
		found = slices.Concat(found, all[english.Stem(word)])
	}
	return found
}

// lexicon has the words that may stand for one, by its stems in all languages.
var lexicon = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(groups) {
		group := members(line)
		for i, w := range group {
			for _, key := range keys(w) {
				for j, other := range group {
					if i != j && !slices.Contains(all[key], other) {
						all[key] = append(all[key], other)
					}
				}
			}
		}
	}
	return all
})

// members are the words of a line, each as an index has it: two-factor as
// twofactor.
func members(line string) (group []string) {
	for w := range strings.FieldsSeq(line) {
		last := ""
		words.Each(w, func(t words.Token) { last = t.Word })
		group = append(group, last)
	}
	return group
}

func keys(word string) []string {
	all := []string{word}
	for _, l := range words.Languages() {
		if stem := l.Stem(word); !slices.Contains(all, stem) {
			all = append(all, stem)
		}
	}
	return all
}
