package part

import "slices"

// List is rows under a cursor, with marks. The cursor stays on its row when the
// rows change.
type List[T any] struct {
	id     func(*T) string
	Rows   []T
	Cursor int
	Top    int
	h      int
	Marked map[string]bool
	at     []int // which row each drawn line shows
}

// NewList returns an empty list.
func NewList[T any](id func(*T) string) List[T] {
	return List[T]{id: id, Marked: map[string]bool{}}
}

// Set replaces the rows.
func (l *List[T]) Set(rows []T) {
	at := ""
	if cur := l.Current(); cur != nil {
		at = l.id(cur)
	}
	l.Rows = rows
	if i := l.Index(at); i >= 0 {
		l.Cursor = i
	}
	l.Move(0)
	for id := range l.Marked {
		if l.Index(id) < 0 {
			delete(l.Marked, id)
		}
	}
}

// Index is where the row with an id is, -1 without one.
func (l *List[T]) Index(id string) int {
	return slices.IndexFunc(l.Rows, func(row T) bool { return l.id(&row) == id })
}

// Current is the row under the cursor, nil without rows.
func (l *List[T]) Current() *T {
	if l.Cursor < 0 || l.Cursor >= len(l.Rows) {
		return nil
	}
	return &l.Rows[l.Cursor]
}

// Replace changes the row of the same id, or reports that there is none.
func (l *List[T]) Replace(row T) bool {
	i := l.Index(l.id(&row))
	if i >= 0 {
		l.Rows[i] = row
	}
	return i >= 0
}

// Move puts the cursor by rows further, and no further than the ends.
func (l *List[T]) Move(by int) {
	l.Cursor = max(0, min(l.Cursor+by, len(l.Rows)-1))
	l.Top = max(0, min(l.Top, l.Cursor))
}

// Key moves the cursor; false is a key that is not about moving.
func (l *List[T]) Key(name string) bool {
	switch name {
	case "up", "k":
		l.Move(-1)
	case "down", "j":
		l.Move(1)
	case "pgup", "ctrl+u":
		l.Move(-max(l.h-1, 1))
	case "pgdown", "ctrl+d":
		l.Move(max(l.h-1, 1))
	case "home":
		l.Move(-len(l.Rows))
	case "end", "G":
		l.Move(len(l.Rows))
	case " ":
		l.mark()
	default:
		return false
	}
	return true
}

func (l *List[T]) mark() {
	cur := l.Current()
	if cur == nil {
		return
	}
	if id := l.id(cur); l.Marked[id] {
		delete(l.Marked, id)
	} else {
		l.Marked[id] = true
	}
	l.Move(1)
}

// Chosen is the marked rows, or the one under the cursor.
func (l *List[T]) Chosen() []T {
	if len(l.Marked) == 0 {
		if cur := l.Current(); cur != nil {
			return []T{*cur}
		}
		return nil
	}
	var out []T
	for i := range l.Rows {
		if l.Marked[l.id(&l.Rows[i])] {
			out = append(out, l.Rows[i])
		}
	}
	return out
}

// Unmark takes all marks away.
func (l *List[T]) Unmark() { clear(l.Marked) }

// Click puts the cursor onto the row that a drawn line shows.
func (l *List[T]) Click(y int) bool {
	if y < 0 || y >= len(l.at) {
		return false
	}
	l.Cursor = l.at[y]
	return true
}

// Draw renders the rows that fit h lines so that the cursor is among them. A
// row may have several lines.
func (l *List[T]) Draw(t Theme, w, h int, row func(item *T, picked, marked bool, w int) []string) []string {
	l.h = h
	if h <= 0 || len(l.Rows) == 0 {
		l.at = nil
		return nil
	}
	for {
		lines, at, whole := l.window(t, w, h, row)
		if whole || l.Top >= l.Cursor {
			l.at = at
			return lines
		}
		l.Top++
	}
}

// window draws from the top row on; whole says that the cursor's row is shown
// completely.
func (l *List[T]) window(t Theme, w, h int, row func(*T, bool, bool, int) []string) (lines []string, at []int, whole bool) {
	for i := l.Top; i < len(l.Rows) && len(lines) < h; i++ {
		picked := i == l.Cursor
		drawn := row(&l.Rows[i], picked, l.Marked[l.id(&l.Rows[i])], w)
		whole = whole || picked && len(lines)+len(drawn) <= h
		for n, text := range drawn {
			if picked && n == 0 {
				text = t.Pick.Render(Fit(text, w))
			}
			lines, at = append(lines, text), append(at, i)
		}
	}
	return lines[:min(len(lines), h)], at[:min(len(at), h)], whole
}

// CursorMark begins a row: the cursor, a mark, or nothing.
func CursorMark(picked, marked bool) string {
	switch {
	case picked && marked:
		return "»"
	case picked:
		return "▸"
	case marked:
		return "*"
	}
	return " "
}
