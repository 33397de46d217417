package color

import (
	"testing"

	"pgregory.net/rapid"
)

// Every colour can be read on every ground once it is mixed, and a colour that
// could be read is left as it is.
func TestReadable(t *testing.T) {
	part := rapid.Float64Range(0, 255)
	rapid.Check(t, func(t *rapid.T) {
		c := RGB{part.Draw(t, "r"), part.Draw(t, "g"), part.Draw(t, "b")}
		light, dark := []RGB{{253, 252, 250}, {244, 240, 233}}, []RGB{{23, 21, 19}, {34, 31, 27}}
		for _, row := range []struct {
			other   RGB
			grounds []RGB
		}{{Black, light}, {White, dark}} {
			got := c.Towards(row.other, row.grounds...)
			for _, g := range row.grounds {
				if contrast(got, g) < 4.5 {
					t.Fatalf("%s on %s has a contrast of %.2f", got, g, contrast(got, g))
				}
			}
			if c.readableOn(row.grounds) && got != c {
				t.Fatalf("%s became %s and could be read before", c, got)
			}
		}
		if ink := c.Ink(); contrast(ink, c) < 4.5 {
			t.Fatalf("%s on %s", ink, c)
		}
	})
}

func TestParse(t *testing.T) {
	for _, hex := range []string{"#8f3d14", "#000000", "#ffffff"} {
		if c, ok := Parse(hex); !ok || c.String() != hex {
			t.Errorf("%s is read as %s, %v", hex, c, ok)
		}
	}
	for _, hex := range []string{"", "8f3d14", "#8f3d1", "#8f3d1g", "#8f3d144", "#+8f3d1", "red"} {
		if c, ok := Parse(hex); ok {
			t.Errorf("%q is read as %s", hex, c)
		}
	}
}
