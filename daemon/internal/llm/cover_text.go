package llm

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// typesetter writes with the Go fonts, which are part of the program: Latin,
// Greek and Cyrillic.
type typesetter struct {
	bold, medium *opentype.Font
}

func newTypesetter() (typesetter, error) {
	bold, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return typesetter{}, fmt.Errorf("parse bold font: %w", err)
	}
	medium, err := opentype.Parse(gomedium.TTF)
	if err != nil {
		return typesetter{}, fmt.Errorf("parse medium font: %w", err)
	}
	return typesetter{bold: bold, medium: medium}, nil
}

// printable keeps what the fonts can show. Of a text that loses more than a
// fifth of its letters nothing is kept: the rest would be misread.
func (t typesetter) printable(s string) string {
	var b strings.Builder
	var buf sfnt.Buffer
	letters, lost := 0, 0
	for _, r := range norm.NFC.String(s) {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if letter {
			letters++
		}
		if unicode.IsSpace(r) {
			b.WriteByte(' ')
		} else if i, err := t.bold.GlyphIndex(&buf, r); err == nil && i != 0 && unicode.IsPrint(r) {
			b.WriteRune(r)
		} else if letter {
			lost++
		}
	}
	if letters == lost || lost*5 > letters {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// write sets the title as large as it fits, under a bar in the accent colour,
// and the name at the foot.
func (t typesetter) write(img *image.RGBA, box image.Rectangle, title, name string, p palette) error {
	unit := float64(min(img.Bounds().Dx(), img.Bounds().Dy())) / 630
	u := func(n float64) int { return int(math.Round(n * unit)) }
	draw.Draw(img, image.Rect(box.Min.X, box.Min.Y, box.Min.X+u(72), box.Min.Y+u(8)), image.NewUniform(p.accent), image.Point{}, draw.Src)
	top := box.Min.Y + u(44)
	bottom := box.Max.Y
	if name != "" {
		face, err := newFace(t.medium, 27*unit)
		if err != nil {
			return err
		}
		drawLine(img, face, ellipsis(face, name, box.Dx()), box.Min.X, box.Max.Y-u(4), mix(p.accent, color.RGBA{255, 255, 255, 255}, 0.55))
		bottom -= u(78)
	}
	return t.writeTitle(img, image.Rect(box.Min.X, top, box.Max.X, bottom), title, unit)
}

func (t typesetter) writeTitle(img *image.RGBA, box image.Rectangle, title string, unit float64) error {
	for size := 124.0; ; size -= 4 {
		face, err := newFace(t.bold, size*unit)
		if err != nil {
			return err
		}
		leading := int(size * unit * 1.16)
		fits := max(1, box.Dy()/leading)
		lines := wrap(face, title, box.Dx())
		smallest := size <= 36
		if !smallest && (len(lines) > fits || len(lines) > 5 || brokeWord(face, title, box.Dx())) {
			continue
		}
		if len(lines) > fits {
			lines[fits-1] = ellipsis(face, lines[fits-1]+" "+lines[fits], box.Dx())
			lines = lines[:fits]
		} else {
			lines = balance(face, title, box.Dx(), len(lines))
		}
		baseline := box.Min.Y + face.Metrics().Ascent.Round()
		for i, line := range lines {
			drawLine(img, face, line, box.Min.X, baseline+i*leading, color.RGBA{255, 255, 255, 255})
		}
		return nil
	}
}

func newFace(f *opentype.Font, size float64) (font.Face, error) {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("open font face: %w", err)
	}
	return face, nil
}

func drawLine(img *image.RGBA, face font.Face, s string, x, baseline int, c color.RGBA) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, baseline)}
	d.DrawString(s)
}

func width(face font.Face, s string) int { return font.MeasureString(face, s).Ceil() }

// wrap breaks at spaces, and inside a word only when it is wider than a line.
func wrap(face font.Face, s string, limit int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		joined := strings.TrimSpace(line + " " + word)
		if width(face, joined) <= limit {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for width(face, word) > limit {
			head := prefix(face, word, limit)
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// brokeWord says whether a word is too wide for a line.
func brokeWord(face font.Face, s string, limit int) bool {
	for _, word := range strings.Fields(s) {
		if width(face, word) > limit {
			return true
		}
	}
	return false
}

// prefix is the longest start of a word that fits, at least one character.
func prefix(face font.Face, word string, limit int) string {
	end := 0
	for i, r := range word {
		next := i + len(string(r))
		if end > 0 && width(face, word[:next]) > limit {
			break
		}
		end = next
	}
	return word[:end]
}

// balance narrows the column until one more line would be needed, so that the
// last line is not a lone word.
func balance(face font.Face, s string, limit, lines int) []string {
	narrow, wide := 0, limit
	for wide-narrow > 4 {
		middle := (narrow + wide) / 2
		if len(wrap(face, s, middle)) <= lines && !brokeWord(face, s, middle) {
			wide = middle
		} else {
			narrow = middle
		}
	}
	return wrap(face, s, wide)
}

func ellipsis(face font.Face, s string, limit int) string {
	if width(face, s) <= limit {
		return s
	}
	s = prefix(face, s, limit-width(face, "…"))
	return strings.TrimRight(s, " ,;:–—-.") + "…"
}
