package llm

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"golang.org/x/image/webp"
)

// The size of a cover when none is asked for: what link previews show.
const (
	coverWidth  = 1200
	coverHeight = 630
)

// ImageRequest asks for the cover of a post.
type ImageRequest struct {
	Prompt        string // for the vendor's model; empty: made from the title
	Title         string
	Subtitle      string // the team's name, small on a cover drawn offline
	Width, Height int    // in pixels, 1200 × 630 when zero; a vendor's may differ
}

// Image is a drawn cover. Width and Height are those of Bytes.
type Image struct {
	Bytes         []byte
	MIME          string // image/png, image/jpeg or image/webp
	Width, Height int
	Provider      string
	Model         string // the vendor's image model; empty offline
	Alt           string
}

// Image draws with the vendor's image model where one is configured, and
// otherwise a typographic cover in this process.
func (r *Router) Image(ctx context.Context, req ImageRequest) (Image, error) {
	if req.Width <= 0 || req.Height <= 0 {
		req.Width, req.Height = coverWidth, coverHeight
	}
	if r.imageModel == "" {
		return drawOffline(ctx, req)
	}
	once := func() bool { return true }
	to := target{provider: r.openai.provider, id: r.imageModel, model: r.imageModel, lane: r.openai.lane}
	return attempts(ctx, r, to, once, func(ctx context.Context) (Image, error) {
		return r.openai.image(ctx, r.imageModel, req)
	})
}

// ImageModel is the vendor's model that draws; empty where images are drawn in
// this process.
func (r *Router) ImageModel() string { return r.imageModel }

func altText(req ImageRequest, kind string) string {
	if title := strings.TrimSpace(req.Title); title != "" {
		return fmt.Sprintf("%s: %s", kind, title)
	}
	return kind
}

func drawOffline(ctx context.Context, req ImageRequest) (Image, error) {
	if err := ctx.Err(); err != nil {
		return Image{}, fmt.Errorf("draw cover: %w", err)
	}
	req.Width, req.Height = clampSize(req.Width, req.Height)
	img, err := drawCover(req)
	if err != nil {
		return Image{}, fmt.Errorf("draw cover: %w", err)
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return Image{}, fmt.Errorf("encode cover: %w", err)
	}
	return Image{Bytes: buf.Bytes(), MIME: "image/png", Width: req.Width, Height: req.Height,
		Provider: ProviderOffline, Alt: altText(req, "Cover")}, nil
}

// clampSize keeps a cover drawable: large enough to read, small enough for
// memory.
func clampSize(w, h int) (int, int) {
	return min(max(w, 320), 1600), min(max(h, 168), 1600)
}

func (o *openAI) image(ctx context.Context, model string, req ImageRequest) (Image, error) {
	p := sdk.ImageGenerateParams{Prompt: imagePrompt(req), Model: model, Size: sdk.ImageGenerateParamsSize(vendorSize(req.Width, req.Height))}
	if o.provider == ProviderOpenAI {
		p.OutputFormat = sdk.ImageGenerateParamsOutputFormatJPEG
	} else {
		p.ResponseFormat = sdk.ImageGenerateParamsResponseFormatB64JSON
	}
	resp, err := o.images.Generate(ctx, p)
	if err != nil {
		return Image{}, o.failure(err)
	}
	if len(resp.Data) == 0 {
		return Image{}, brokenAnswer(o.provider, "the answer holds no image")
	}
	raw, err := base64.StdEncoding.DecodeString(resp.Data[0].B64JSON)
	if err != nil {
		return Image{}, brokenAnswer(o.provider, "the image is not base64")
	}
	mime, conf, err := sniffImage(raw)
	if err != nil {
		return Image{}, brokenAnswer(o.provider, "the image is of no format that browsers show")
	}
	return Image{Bytes: raw, MIME: mime, Width: conf.Width, Height: conf.Height,
		Provider: o.provider, Model: model, Alt: altText(req, "Illustration")}, nil
}

func imagePrompt(req ImageRequest) string {
	if req.Prompt != "" {
		return req.Prompt
	}
	return fmt.Sprintf("An editorial cover illustration for an article titled %q. Calm composition, a few strong shapes, no words or letters.", req.Title)
}

// vendorSize keeps the proportions as far as the image models allow: sides
// divisible by 16, no more than three times as long as the other.
func vendorSize(w, h int) string {
	const long = 1536
	short := func(a, b int) int { return max(long*b/a/16, long/3/16) * 16 }
	if w >= h {
		return fmt.Sprintf("%dx%d", long, short(w, h))
	}
	return fmt.Sprintf("%dx%d", short(h, w), long)
}

func sniffImage(raw []byte) (string, image.Config, error) {
	mime := http.DetectContentType(raw)
	var conf image.Config
	var err error
	switch mime {
	case "image/png":
		conf, err = png.DecodeConfig(bytes.NewReader(raw))
	case "image/jpeg":
		conf, err = jpeg.DecodeConfig(bytes.NewReader(raw))
	case "image/webp":
		conf, err = webp.DecodeConfig(bytes.NewReader(raw))
	default:
		err = fmt.Errorf("unexpected type %s", mime)
	}
	return mime, conf, err
}
