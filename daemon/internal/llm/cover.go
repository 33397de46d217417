package llm

import (
	"cmp"
	"hash/fnv"
	"image"
	"math/rand/v2"
)

// drawCover draws a typographic cover: the title on the left over a deep
// ground, a panel of simple shapes on the right (below, when the picture is
// taller than wide). Colours and shapes follow from the title alone, so that a
// post keeps its cover and two posts rarely share one. A title that the font
// has no glyphs for gives way to the team's name, and without one the shapes
// take the whole picture.
func drawCover(req ImageRequest) (image.Image, error) {
	img := image.NewRGBA(image.Rect(0, 0, req.Width, req.Height))
	rnd := seeded(cmp.Or(req.Title, req.Subtitle))
	p := newPalette(rnd)
	fillGradient(img, p.ground, p.horizon)

	text, err := newTypesetter()
	if err != nil {
		return nil, err
	}
	title, name := shorten(text.printable(req.Title), maxTitle), shorten(text.printable(req.Subtitle), maxTitle)
	if title == "" {
		title, name = name, ""
	}
	art, words := layout(img.Bounds(), title != "")
	drawArt(img, art, p, rnd)
	if words.Empty() {
		return img, nil
	}
	return img, text.write(img, words, title, name, p)
}

// maxTitle is more than fits at the smallest size; measuring the rest would
// only take time.
const maxTitle = 240

func seeded(title string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(title))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// layout divides the picture. Without words the art takes all of it.
func layout(b image.Rectangle, words bool) (art, text image.Rectangle) {
	if !words {
		return b, image.Rectangle{}
	}
	margin := min(b.Dx(), b.Dy()) / 8
	art, text = b, b
	if b.Dx()*4 >= b.Dy()*5 {
		art.Min.X = b.Max.X - b.Dx()*35/100
		text.Max.X = art.Min.X
	} else {
		art.Min.Y = b.Max.Y - b.Dy()*35/100
		text.Max.Y = art.Min.Y
	}
	text = text.Inset(margin)
	text.Max.X += margin / 3 // ragged lines rarely reach it
	return art, text
}
