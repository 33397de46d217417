package search

import (
	"slices"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// Keywords are the stems of the words of a text that say something about a subject,
// each once, in order: at most as many as a search looks for.
func Keywords(text string) (stems []string) {
	lang := words.DetectShort(text, words.Languages()[0])
	words.Each(text, func(t words.Token) {
		if t.Whole || lang.Stop(t.Word) || len(stems) == maxAsked {
			return
		}
		if stem := lang.Stem(t.Word); !slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
	})
	return stems
}

// Same reports whether two stems are of one word, perhaps with a slip of the pen in
// one of them.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	if min(len(a), len(b)) < minRepaired || a[0] != b[0] {
		return false
	}
	const minReplaced = 6 // one letter in place of another makes short words other words
	if len(a) == len(b) && len(a) < minReplaced && !swapped(a, b) {
		return false
	}
	return distance(a, b, 1) == 1
}

// swapped reports that two words of one length have the same letters.
func swapped(a, b string) bool {
	left, right := []byte(a), []byte(b)
	slices.Sort(left)
	slices.Sort(right)
	return slices.Equal(left, right)
}
