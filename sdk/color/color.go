// Package color makes a team's colour readable wherever a page shows it: the
// widget on a website and the public pages take any colour and keep to the least
// contrast of text (WCAG 2.2, 1.4.3).
package color

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// RGB is a colour of the sRGB space, each part from 0 to 255.
type RGB [3]float64

// The ends of the scale.
var (
	Black = RGB{0, 0, 0}
	White = RGB{255, 255, 255}
)

// readable is the least contrast of text, and a little more against rounding.
const readable = 4.55

// Parse reads #rrggbb.
func Parse(hex string) (c RGB, ok bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != len("#rrggbb") || hex[0] != '#' {
		return c, false
	}
	return RGB{float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n & 255)}, true
}

// String is the colour as #rrggbb.
func (c RGB) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// Ink is white where that can be read on c, and black otherwise.
func (c RGB) Ink() RGB {
	if contrast(c, White) < readable {
		return Black
	}
	return White
}

// Towards mixes c with other until it can be read on every ground.
func (c RGB) Towards(other RGB, grounds ...RGB) RGB {
	for c != other && !c.readableOn(grounds) {
		for i := range c {
			step := (other[i] - c[i]) * 0.08
			if c[i] += step; math.Abs(step) < 0.2 {
				c[i] = other[i]
			}
		}
	}
	return c
}

func (c RGB) readableOn(grounds []RGB) bool {
	for _, g := range grounds {
		if contrast(c, g) < readable {
			return false
		}
	}
	return true
}

// contrast is the ratio of luminances as WCAG 2.2 defines it.
func contrast(a, b RGB) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func (c RGB) luminance() float64 {
	var linear RGB
	for i, v := range c {
		if v /= 255; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}
