package llm

import (
	"slices"
	"strings"
	"sync"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// talk is what a message is that asks nothing of the help centre.
type talk int

const (
	noTalk talk = iota
	greeting
	thanks
	farewell
	areYouBot
	wantsPerson
)

// The longest messages, in words, that are taken for small talk and for the wish
// for a person. Longer ones say more.
const (
	maxTalk = 14
	maxWish = 24
)

// smalltalk says what a message is when it asks nothing of the help centre, and in
// which language. A message is small talk when it has courtesies and fillers alone.
func smalltalk(message string) (talk, *manners) {
	said := spokenWords(message)
	if len(said) == 0 || len(said) > maxWish {
		return noTalk, nil
	}
	for _, m := range everyManners() {
		if slices.ContainsFunc(m.person, func(run []string) bool { return has(said, run) }) || m.namesPerson(said) {
			return wantsPerson, m
		}
	}
	if len(said) > maxTalk {
		return noTalk, nil
	}
	for _, m := range everyManners() {
		if slices.ContainsFunc(m.bot, func(run []string) bool { return has(said, run) }) {
			return areYouBot, m
		}
	}
	best, found := (*manners)(nil), noTalk
	most := 0
	for _, m := range everyManners() {
		if kind, own := m.courtesy(said); kind != noTalk && own > most {
			best, found, most = m, kind, own
		}
	}
	return found, best
}

// spokenWords is the words of a message, folded, without compounds.
func spokenWords(message string) (said []string) {
	words.Each(message, func(t words.Token) {
		if !t.Whole && len(said) <= maxWish {
			said = append(said, t.Word)
		}
	})
	return said
}

// courtesy says which courtesy a message is that has nothing else but fillers, and
// how many of its words are of this language. Others may be English.
func (m *manners) courtesy(said []string) (kind talk, own int) {
	english := everyManners()[0]
	for _, w := range said {
		is := m.courtesies[w]
		if is != noTalk || m.fillers[w] {
			own++
		} else if is = english.courtesies[w]; is == noTalk && !english.fillers[w] {
			return noTalk, 0
		}
		if is != noTalk && (kind == noTalk || is == thanks) {
			kind = is
		}
	}
	return kind, own
}

// namesPerson reports a word for a person with nothing but fillers.
func (m *manners) namesPerson(said []string) bool {
	named := false
	for _, w := range said {
		if !m.people[w] && !m.fillers[w] {
			return false
		}
		named = named || m.people[w]
	}
	return named
}

// has reports whether a run of words is in a message. * is up to three others.
func has(said, run []string) bool {
	for i := range said {
		if begins(said[i:], run) {
			return true
		}
	}
	return false
}

func begins(said, run []string) bool {
	switch {
	case len(run) == 0:
		return true
	case run[0] == "*":
		for n := range min(3, len(said)) + 1 {
			if begins(said[n:], run[1:]) {
				return true
			}
		}
		return false
	}
	return len(said) > 0 && said[0] == run[0] && begins(said[1:], run[1:])
}

// manners is how a language greets, and what the assistant says in it.
type manners struct {
	code       string
	courtesies map[string]talk
	fillers    map[string]bool
	people     map[string]bool
	bot        [][]string
	person     [][]string
	lines      sayings
}

// everyManners are the languages, English first.
var everyManners = sync.OnceValue(func() (all []*manners) {
	for _, s := range speech {
		m := &manners{code: s.code, lines: s.lines, fillers: words.Set(s.fillers), people: words.Set(s.people), bot: runs(s.bot), person: runs(s.person)}
		m.courtesies = map[string]talk{}
		for kind, list := range map[talk]string{greeting: s.greeting, thanks: s.thanks, farewell: s.bye} {
			for w := range words.Set(list) {
				m.courtesies[w] = kind
			}
		}
		all = append(all, m)
	}
	return all
})

func runs(text string) (all [][]string) {
	for part := range strings.SplitSeq(text, "|") {
		all = append(all, strings.Fields(part))
	}
	return all
}

// mannersOf is the language that a question is in, English when it does not tell.
func mannersOf(question string) *manners {
	code := words.DetectShort(question, words.Languages()[0]).Code
	all := everyManners()
	if i := slices.IndexFunc(all, func(m *manners) bool { return m.code == code }); i >= 0 {
		return all[i]
	}
	return all[0]
}
