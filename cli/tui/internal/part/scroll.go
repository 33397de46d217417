package part

// Scroller is text that is longer than the room for it. With Follow it stays at
// the end, until the person scrolls up.
type Scroller struct {
	text   []string
	top, h int
	Follow bool
	away   bool // scrolled up from the end
}

// Set replaces the text, of which h lines are seen.
func (s *Scroller) Set(text []string, h int) {
	s.text, s.h = text, max(h, 0)
	if s.Follow && !s.away {
		s.top = len(text)
	}
	s.top = max(0, min(s.top, len(text)-s.h))
}

// Lines is what is seen.
func (s *Scroller) Lines() []string {
	return s.text[min(s.top, len(s.text)):min(s.top+s.h, len(s.text))]
}

// Home goes to the beginning.
func (s *Scroller) Home() { s.top, s.away = 0, false }

// Resume goes on at the end, where the text grows.
func (s *Scroller) Resume() { s.away = false }

// Move scrolls by lines.
func (s *Scroller) Move(by int) {
	end := max(0, len(s.text)-s.h)
	s.top = max(0, min(s.top+by, end))
	s.away = s.top < end
}

// Key scrolls; false is a key that is not about scrolling.
func (s *Scroller) Key(name string) bool {
	switch name {
	case "up", "k":
		s.Move(-1)
	case "down", "j":
		s.Move(1)
	case "pgup", "ctrl+u":
		s.Move(-max(s.h-1, 1))
	case "pgdown", "ctrl+d", " ":
		s.Move(max(s.h-1, 1))
	case "home":
		s.Move(-len(s.text))
	case "end", "G":
		s.Move(len(s.text))
	default:
		return false
	}
	return true
}
