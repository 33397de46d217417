package widget

import (
	"embed"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

//go:embed lang/*.json
var languageFiles embed.FS

// languages are the words of the widget by language tag.
type languages map[string]jsontext.Value

func readLanguages() languages {
	files, err := languageFiles.ReadDir("lang")
	if err != nil {
		panic(err) // they are part of the program
	}
	all := languages{}
	for _, f := range files {
		b, err := languageFiles.ReadFile(path.Join("lang", f.Name()))
		if err != nil {
			panic(err)
		}
		words := jsontext.Value(b)
		if err := words.Compact(); err != nil {
			panic(f.Name() + ": " + err.Error())
		}
		all[strings.TrimSuffix(f.Name(), ".json")] = words
	}
	return all
}

// speak returns the first of the wanted languages (RFC 5646) that there is, and
// English otherwise.
func (l languages) speak(wanted ...string) (tag string, words jsontext.Value) {
	for _, w := range wanted {
		if w == "" {
			continue
		}
		tag, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(w, "_", "-")), "-")
		if words, ok := l[tag]; ok {
			return tag, words
		}
	}
	return "en", l["en"]
}

type rgb [3]float64

// The grounds that links stand on, by day and by night, as in style.css.
var (
	black       = rgb{0, 0, 0}
	white       = rgb{255, 255, 255}
	lightGround = rgb{0xf4, 0xf5, 0xf7}
	darkGround  = rgb{0x26, 0x28, 0x2e}
)

// readable is the least contrast of text (WCAG 2.2, 1.4.3), and a little more
// against rounding.
const readable = 4.55

// palette makes a site's colour readable: the colour of surfaces, of the text on
// them, of links by day and of links by night.
func palette(hex string) [4]string {
	c := parseColor(hex)
	ink := white
	if contrast(c, white) < readable {
		ink = black
	}
	return [4]string{c.String(), ink.String(), c.towards(black, lightGround).String(), c.towards(white, darkGround).String()}
}

func parseColor(hex string) rgb {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != len("#rrggbb") {
		n = 0x2563eb
	}
	return rgb{float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n & 255)}
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// towards mixes c with other until it can be read on ground.
func (c rgb) towards(other, ground rgb) rgb {
	for contrast(c, ground) < readable && c != other {
		for i := range c {
			step := (other[i] - c[i]) * 0.08
			if c[i] += step; math.Abs(step) < 0.2 {
				c[i] = other[i]
			}
		}
	}
	return c
}

// contrast is the ratio of luminances as WCAG 2.2 defines it.
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func (c rgb) luminance() float64 {
	var linear rgb
	for i, v := range c {
		if v /= 255; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}
