package terminal

// Style wraps text in a colour, or leaves it alone.
type Style struct{ on bool }

// OutStyle is for data, ErrStyle for what is said.
func (t *IO) OutStyle() Style { return Style{t.colour} }

// ErrStyle is for what is said on standard error.
func (t *IO) ErrStyle() Style { return Style{t.errColour} }

func (s Style) wrap(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold makes text bold.
func (s Style) Bold(text string) string { return s.wrap("1", text) }

// Dim makes text faint.
func (s Style) Dim(text string) string { return s.wrap("2", text) }

// Red makes text red.
func (s Style) Red(text string) string { return s.wrap("31", text) }

// Green makes text green.
func (s Style) Green(text string) string { return s.wrap("32", text) }

// Yellow makes text yellow.
func (s Style) Yellow(text string) string { return s.wrap("33", text) }

// Cyan makes text cyan.
func (s Style) Cyan(text string) string { return s.wrap("36", text) }
