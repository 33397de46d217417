// Package merge joins what two people did to one text, line by line.
package merge

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Texts is a text that two sides changed.
type Texts struct{ parts []part }

// part is a stretch of the text: the same on both sides, or in conflict.
type part struct {
	mine, theirs string
	conflict     bool
	added        string // what mine only adds there
}

// Of joins the changes of base into mine with those into theirs. They are in
// conflict where both change the same lines, or insert at the same place, and not
// to the same.
func Of(base, mine, theirs string) Texts {
	a, b := udiff.Lines(base, mine), udiff.Lines(base, theirs)
	var t Texts
	at := 0
	for len(a) > 0 || len(b) > 0 {
		r := span{start: first(a, b)}
		r.end = r.start
		var fromA, fromB []udiff.Edit
		for {
			moreA, moreB := r.take(&a), r.take(&b)
			fromA, fromB = append(fromA, moreA...), append(fromB, moreB...)
			if len(moreA)+len(moreB) == 0 {
				break
			}
		}
		t.same(base[at:r.start])
		old := base[r.start:r.end]
		left, right := changed(old, r.start, fromA), changed(old, r.start, fromB)
		switch {
		case len(fromB) == 0 || left == right:
			t.same(left)
		case len(fromA) == 0:
			t.same(right)
		default:
			t.parts = append(t.parts, part{mine: left, theirs: right, conflict: true, added: additions(fromA)})
		}
		at = r.end
	}
	t.same(base[at:])
	return t
}

func additions(edits []udiff.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		if e.Start == e.End {
			b.WriteString(e.New)
		}
	}
	return b.String()
}

func (t *Texts) same(text string) {
	if text != "" {
		t.parts = append(t.parts, part{mine: text})
	}
}

// span is a stretch of the base.
type span struct {
	start, end int
	began      bool
}

// take moves the edits that overlap the span out of the list, and widens the span.
func (s *span) take(edits *[]udiff.Edit) []udiff.Edit {
	n := 0
	for _, e := range *edits {
		inside := e.Start < s.end && e.End > s.start
		here := e.Start == s.start && (s.start == s.end || e.End == e.Start && !s.began)
		if !inside && !here {
			break
		}
		s.end = max(s.end, e.End)
		s.began = true
		n++
		if e.Start == e.End && s.start == s.end { // an insertion: with it goes only one of the other side
			break
		}
	}
	out := (*edits)[:n]
	*edits = (*edits)[n:]
	return out
}

func first(a, b []udiff.Edit) int {
	switch {
	case len(a) == 0:
		return b[0].Start
	case len(b) == 0:
		return a[0].Start
	}
	return min(a[0].Start, b[0].Start)
}

func changed(old string, start int, edits []udiff.Edit) string {
	moved := make([]udiff.Edit, len(edits))
	for i, e := range edits {
		moved[i] = udiff.Edit{Start: e.Start - start, End: e.End - start, New: e.New}
	}
	text, err := udiff.Apply(old, moved)
	if err != nil {
		return old // edits of udiff fit
	}
	return text
}

// Clean reports that there is no conflict.
func (t Texts) Clean() bool {
	for _, p := range t.parts {
		if p.conflict {
			return false
		}
	}
	return true
}

// Theirs is the joined text, with the lines of theirs where there is a conflict,
// below those that mine only added.
func (t Texts) Theirs() string {
	var b strings.Builder
	for _, p := range t.parts {
		if p.conflict {
			b.WriteString(p.added + p.theirs)
			continue
		}
		b.WriteString(p.mine)
	}
	return b.String()
}

// Marks of a conflict, as git writes them.
const (
	markMine   = "<<<<<<< "
	markMiddle = "======="
	markTheirs = ">>>>>>> "
)

// Marked is the joined text, with both sides between marks where there is a
// conflict.
func (t Texts) Marked(mine, theirs string) string {
	var b strings.Builder
	for _, p := range t.parts {
		if !p.conflict {
			b.WriteString(p.mine)
			continue
		}
		b.WriteString(markMine + mine + "\n" + ended(p.mine) + markMiddle + "\n" + ended(p.theirs) + markTheirs + theirs + "\n")
	}
	return b.String()
}

func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Unsolved is the line of the first mark that Marked left in a text with that name
// for mine, from 1; 0 for none.
func Unsolved(text, mine string) int {
	begin, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		switch {
		case begin == 0 && strings.TrimRight(line, "\r\n") == markMine+mine:
			begin = n
		case begin > 0 && strings.HasPrefix(line, markTheirs):
			return begin
		}
	}
	return 0
}
