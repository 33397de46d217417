package tui

// scroller is text that is longer than the room for it. With follow it stays at
// the end, until the person scrolls up.
type scroller struct {
	text   []string
	top, h int
	follow bool
	away   bool // scrolled up from the end
}

func (s *scroller) set(text []string, h int) {
	s.text, s.h = text, max(h, 0)
	if s.follow && !s.away {
		s.top = len(text)
	}
	s.top = max(0, min(s.top, len(text)-s.h))
}

func (s *scroller) lines() []string {
	return s.text[min(s.top, len(s.text)):min(s.top+s.h, len(s.text))]
}

func (s *scroller) home() { s.top, s.away = 0, false }

func (s *scroller) move(by int) {
	end := max(0, len(s.text)-s.h)
	s.top = max(0, min(s.top+by, end))
	s.away = s.top < end
}

// key scrolls; false is a key that is not about scrolling.
func (s *scroller) key(name string) bool {
	switch name {
	case "up", "k":
		s.move(-1)
	case "down", "j":
		s.move(1)
	case "pgup", "ctrl+u":
		s.move(-max(s.h-1, 1))
	case "pgdown", "ctrl+d", " ":
		s.move(max(s.h-1, 1))
	case "home":
		s.move(-len(s.text))
	case "end", "G":
		s.move(len(s.text))
	default:
		return false
	}
	return true
}
