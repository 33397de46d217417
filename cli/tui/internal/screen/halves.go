package screen

import (
	"strings"

	"edgesvc.dev/svc/cli/tui/internal/part"
)

// Below Narrow columns or Low rows there is one pane.
const (
	Narrow = 60
	Low    = 13 // of 15, without head and foot
)

// Halves is a screen of a list and what is beside it. Where there is room for
// one of them, Front says which.
type Halves struct {
	*Room
	W, H  int
	Front bool // the right one is in front
}

// SetSize gives the screen its room.
func (s *Halves) SetSize(w, h int) { s.W, s.H = w, h }

// Narrow reports that there is room for one half.
func (s *Halves) Narrow() bool { return s.W < Narrow || s.H < Low }

// Alone reports that the right half has all the room.
func (s *Halves) Alone() bool { return s.Zoomed || s.Narrow() && s.Front }

// Split is the widths of both, where the left one would take left columns.
func (s *Halves) Split(left int) (int, int) {
	switch {
	case s.Alone():
		return 0, s.W
	case s.Narrow():
		return s.W, 0
	}
	return left, s.W - left
}

// Join draws what there is room for.
func (s *Halves) Join(left int, list, view func(w int) []string) string {
	lw, rw := s.Split(left)
	out := part.Blank(0, s.H)
	if lw > 0 {
		out = part.Beside(out, list(lw))
	}
	if rw > 0 {
		out = part.Beside(out, view(rw))
	}
	return strings.Join(out, "\n")
}
