package llm

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"

	"golang.org/x/image/vector"
)

// palette is a cover's colours, chosen in OKLCH so that every hue has the same
// contrast with the white title.
type palette struct {
	ground, horizon color.RGBA
	accent          color.RGBA
	shapes          []color.RGBA
}

func newPalette(rnd *rand.Rand) palette {
	hue := rnd.Float64() * 360
	// A neighbour and a near-complement: calm together, never muddy.
	near, far := hue+35, hue+150+rnd.Float64()*60
	return palette{
		ground:  oklch(0.21, 0.045, hue),
		horizon: oklch(0.31, 0.095, hue+18),
		accent:  oklch(0.80, 0.135, far),
		shapes: []color.RGBA{
			oklch(0.80, 0.135, far),
			oklch(0.64, 0.150, near),
			oklch(0.47, 0.125, hue),
			oklch(0.93, 0.035, far),
			oklch(0.38, 0.095, hue+10),
		},
	}
}

// oklch converts to sRGB (Björn Ottosson, "A perceptual color space for image
// processing"); what lies outside is clipped.
func oklch(l, c, hue float64) color.RGBA {
	sin, cos := math.Sincos(hue * math.Pi / 180)
	a, b := c*cos, c*sin
	lm := cube(l + 0.3963377774*a + 0.2158037573*b)
	mm := cube(l - 0.1055613458*a - 0.0638541728*b)
	sm := cube(l - 0.0894841775*a - 1.2914855480*b)
	return color.RGBA{
		R: srgb(4.0767416621*lm - 3.3077115913*mm + 0.2309699292*sm),
		G: srgb(-1.2684380046*lm + 2.6097574011*mm - 0.3413193965*sm),
		B: srgb(-0.0041960863*lm - 0.7034186147*mm + 1.7076147010*sm),
		A: 255,
	}
}

func cube(x float64) float64 { return x * x * x }

func srgb(linear float64) uint8 {
	v := 12.92 * linear
	if linear > 0.0031308 {
		v = 1.055*math.Pow(linear, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * min(max(v, 0), 1)))
}

// fillGradient runs from the top left to the bottom right, so that every row is
// the one above it moved by a pixel.
func fillGradient(img *image.RGBA, from, to color.RGBA) {
	b := img.Bounds()
	span := b.Dx() + b.Dy()
	ramp := make([]uint8, 0, 4*span)
	for i := range span {
		c := mix(from, to, float64(i)/float64(span))
		ramp = append(ramp, c.R, c.G, c.B, c.A)
	}
	for y := range b.Dy() {
		copy(img.Pix[y*img.Stride:], ramp[4*y:4*(y+b.Dx())])
	}
}

func mix(a, b color.RGBA, t float64) color.RGBA {
	at := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t + 0.5) }
	return color.RGBA{at(a.R, b.R), at(a.G, b.G), at(a.B, b.B), 255}
}

// drawArt fills the panel with square tiles, each a quarter or half disc, a
// ring, a leaf or a disc in two colours that differ.
func drawArt(img *image.RGBA, panel image.Rectangle, p palette, rnd *rand.Rand) {
	cell := tileSize(panel)
	for y := panel.Min.Y; y < panel.Max.Y; y += cell {
		// From the right edge, so that a cut tile is at the inner side.
		for x := panel.Max.X - cell; x > panel.Min.X-cell; x -= cell {
			back := rnd.IntN(len(p.shapes))
			front := (back + 1 + rnd.IntN(len(p.shapes)-1)) % len(p.shapes)
			t := tile{img: img, at: image.Rect(x, y, x+cell, y+cell), clip: panel}
			t.fill(p.shapes[back], func(r *pen) { r.box(0, 0, 1, 1) })
			motif(rnd.IntN(6), rnd.IntN(4))(t, p.shapes[front], p.shapes[back])
		}
	}
}

// tileSize divides the panel's height evenly: six rows, fewer where it is wide.
func tileSize(panel image.Rectangle) int {
	rows := 6
	if panel.Dx() > panel.Dy() {
		rows = max(3, 6*panel.Dy()/panel.Dx())
	}
	return (panel.Dy() + rows - 1) / rows
}

// motif returns a shape turned by quarter turns.
func motif(kind, turn int) func(t tile, front, back color.RGBA) {
	corner := [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}[turn]
	opposite := [4][2]float64{{1, 1}, {0, 1}, {0, 0}, {1, 0}}[turn]
	side := [4][2]float64{{0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}}[turn]
	switch kind {
	case 0: // quarter disc
		return func(t tile, front, _ color.RGBA) { t.disc(front, corner, 1) }
	case 1: // half disc
		return func(t tile, front, _ color.RGBA) { t.disc(front, side, 0.5) }
	case 2: // disc with a hole
		return func(t tile, front, back color.RGBA) {
			t.disc(front, [2]float64{0.5, 0.5}, 0.38)
			t.disc(back, [2]float64{0.5, 0.5}, 0.15)
		}
	case 3: // quarter rings
		return func(t tile, front, back color.RGBA) {
			for i, r := range []float64{1, 0.75, 0.5, 0.25} {
				t.disc([]color.RGBA{front, back}[i%2], corner, r)
			}
		}
	case 4: // leaf: where two quarter discs meet
		return func(t tile, front, _ color.RGBA) {
			t.fill(front, func(p *pen) { p.leaf(corner, opposite) })
		}
	default: // triangle
		return func(t tile, front, _ color.RGBA) {
			t.fill(front, func(p *pen) { p.triangle(turn) })
		}
	}
}

// tile draws in the unit square at its place; nothing leaves it or the panel.
type tile struct {
	img  *image.RGBA
	at   image.Rectangle
	clip image.Rectangle
}

func (t tile) fill(c color.RGBA, path func(*pen)) {
	size := t.at.Dx()
	p := &pen{z: vector.NewRasterizer(size, size), size: float32(size)}
	path(p)
	p.z.ClosePath()
	mask := image.NewAlpha(image.Rect(0, 0, size, size))
	p.z.Draw(mask, mask.Bounds(), image.Opaque, image.Point{})
	visible := t.at.Intersect(t.clip)
	draw.DrawMask(t.img, visible, image.NewUniform(c), image.Point{}, mask, visible.Min.Sub(t.at.Min), draw.Over)
}

func (t tile) disc(c color.RGBA, center [2]float64, radius float64) {
	t.fill(c, func(p *pen) { p.circle(center[0], center[1], radius) })
}

// pen draws paths in units of a tile's side.
type pen struct {
	z    *vector.Rasterizer
	size float32
}

func (p *pen) move(x, y float64) { p.z.MoveTo(float32(x)*p.size, float32(y)*p.size) }
func (p *pen) line(x, y float64) { p.z.LineTo(float32(x)*p.size, float32(y)*p.size) }
func (p *pen) curve(ax, ay, bx, by, x, y float64) {
	s := p.size
	p.z.CubeTo(float32(ax)*s, float32(ay)*s, float32(bx)*s, float32(by)*s, float32(x)*s, float32(y)*s)
}

func (p *pen) box(x0, y0, x1, y1 float64) {
	p.move(x0, y0)
	p.line(x1, y0)
	p.line(x1, y1)
	p.line(x0, y1)
}

// arc is the length of the handles of a Bézier curve that follows a quarter of
// the unit circle.
const arc = 0.5522847498

func (p *pen) circle(x, y, r float64) {
	k := arc * r
	p.move(x+r, y)
	p.curve(x+r, y+k, x+k, y+r, x, y+r)
	p.curve(x-k, y+r, x-r, y+k, x-r, y)
	p.curve(x-r, y-k, x-k, y-r, x, y-r)
	p.curve(x+k, y-r, x+r, y-k, x+r, y)
}

// leaf spans from one corner to the opposite one.
func (p *pen) leaf(from, to [2]float64) {
	dx, dy := to[0]-from[0], to[1]-from[1]
	p.move(from[0], from[1])
	p.curve(from[0]+arc*dx, from[1], to[0], to[1]-arc*dy, to[0], to[1])
	p.curve(to[0]-arc*dx, to[1], from[0], from[1]+arc*dy, from[0], from[1])
}

func (p *pen) triangle(turn int) {
	corners := [4][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	for i := range 3 {
		c := corners[(turn+i)%4]
		if i == 0 {
			p.move(c[0], c[1])
		} else {
			p.line(c[0], c[1])
		}
	}
}
