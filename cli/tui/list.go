package tui

import "slices"

// list is rows under a cursor, with marks. The cursor stays on its row when the
// rows change.
type list[T any] struct {
	id     func(*T) string
	rows   []T
	cursor int
	top    int
	h      int
	marked map[string]bool
	at     []int // which row each drawn line shows
}

func newList[T any](id func(*T) string) list[T] {
	return list[T]{id: id, marked: map[string]bool{}}
}

// set replaces the rows.
func (l *list[T]) set(rows []T) {
	at := ""
	if cur := l.current(); cur != nil {
		at = l.id(cur)
	}
	l.rows = rows
	if i := l.index(at); i >= 0 {
		l.cursor = i
	}
	l.move(0)
	for id := range l.marked {
		if l.index(id) < 0 {
			delete(l.marked, id)
		}
	}
}

func (l *list[T]) index(id string) int {
	return slices.IndexFunc(l.rows, func(row T) bool { return l.id(&row) == id })
}

// current is the row under the cursor, nil without rows.
func (l *list[T]) current() *T {
	if l.cursor < 0 || l.cursor >= len(l.rows) {
		return nil
	}
	return &l.rows[l.cursor]
}

// replace changes the row of the same id, or reports that there is none.
func (l *list[T]) replace(row T) bool {
	i := l.index(l.id(&row))
	if i >= 0 {
		l.rows[i] = row
	}
	return i >= 0
}

func (l *list[T]) move(by int) {
	l.cursor = max(0, min(l.cursor+by, len(l.rows)-1))
	l.top = max(0, min(l.top, l.cursor))
}

// key moves the cursor; false is a key that is not about moving.
func (l *list[T]) key(name string) bool {
	switch name {
	case "up", "k":
		l.move(-1)
	case "down", "j":
		l.move(1)
	case "pgup", "ctrl+u":
		l.move(-max(l.h-1, 1))
	case "pgdown", "ctrl+d":
		l.move(max(l.h-1, 1))
	case "home":
		l.move(-len(l.rows))
	case "end", "G":
		l.move(len(l.rows))
	case " ":
		l.mark()
	default:
		return false
	}
	return true
}

func (l *list[T]) mark() {
	cur := l.current()
	if cur == nil {
		return
	}
	if id := l.id(cur); l.marked[id] {
		delete(l.marked, id)
	} else {
		l.marked[id] = true
	}
	l.move(1)
}

// chosen is the marked rows, or the one under the cursor.
func (l *list[T]) chosen() []T {
	if len(l.marked) == 0 {
		if cur := l.current(); cur != nil {
			return []T{*cur}
		}
		return nil
	}
	var out []T
	for i := range l.rows {
		if l.marked[l.id(&l.rows[i])] {
			out = append(out, l.rows[i])
		}
	}
	return out
}

func (l *list[T]) unmark() { clear(l.marked) }

// click puts the cursor onto the row that a drawn line shows.
func (l *list[T]) click(y int) bool {
	if y < 0 || y >= len(l.at) {
		return false
	}
	l.cursor = l.at[y]
	return true
}

// draw renders the rows that fit h lines so that the cursor is among them. A
// row may have several lines.
func (l *list[T]) draw(t theme, w, h int, row func(item *T, picked, marked bool, w int) []string) []string {
	l.h = h
	if h <= 0 || len(l.rows) == 0 {
		l.at = nil
		return nil
	}
	for {
		lines, at, whole := l.window(t, w, h, row)
		if whole || l.top >= l.cursor {
			l.at = at
			return lines
		}
		l.top++
	}
}

// window draws from the top row on; whole says that the cursor's row is shown
// completely.
func (l *list[T]) window(t theme, w, h int, row func(*T, bool, bool, int) []string) (lines []string, at []int, whole bool) {
	for i := l.top; i < len(l.rows) && len(lines) < h; i++ {
		picked := i == l.cursor
		drawn := row(&l.rows[i], picked, l.marked[l.id(&l.rows[i])], w)
		whole = whole || picked && len(lines)+len(drawn) <= h
		for n, text := range drawn {
			if picked && n == 0 {
				text = t.pick.Render(fit(text, w))
			}
			lines, at = append(lines, text), append(at, i)
		}
	}
	return lines[:min(len(lines), h)], at[:min(len(at), h)], whole
}

// cursorMark begins a row: the cursor, a mark, or nothing.
func cursorMark(picked, marked bool) string {
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
