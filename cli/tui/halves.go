package tui

import "strings"

// halves is a screen of a list and what is beside it. Where there is room for
// one of them, front says which.
type halves struct {
	*room
	w, h  int
	front bool // the right one is in front
}

// SetSize gives the screen its room.
func (s *halves) SetSize(w, h int) { s.w, s.h = w, h }

func (s *halves) narrow() bool { return s.w < narrow || s.h < low }

// alone: the right half has all the room.
func (s *halves) alone() bool { return s.zoomed || s.narrow() && s.front }

// split is the widths of both, where the left one would take left columns.
func (s *halves) split(left int) (int, int) {
	switch {
	case s.alone():
		return 0, s.w
	case s.narrow():
		return s.w, 0
	}
	return left, s.w - left
}

// join draws what there is room for.
func (s *halves) join(left int, list, view func(w int) []string) string {
	lw, rw := s.split(left)
	out := blank(0, s.h)
	if lw > 0 {
		out = beside(out, list(lw))
	}
	if rw > 0 {
		out = beside(out, view(rw))
	}
	return strings.Join(out, "\n")
}
