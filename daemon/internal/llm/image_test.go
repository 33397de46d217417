package llm_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
)

func cover(t *testing.T, req llm.ImageRequest) (llm.Image, image.Image) {
	t.Helper()
	got, err := llm.Open(llm.Config{HTTP: noNetwork(t)}).Image(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(got.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	if got.MIME != "image/png" || got.Provider != "offline" || img.Bounds() != image.Rect(0, 0, got.Width, got.Height) {
		t.Errorf("%s %s, said %d×%d, is %v", got.Provider, got.MIME, got.Width, got.Height, img.Bounds())
	}
	return got, img
}

// lettering counts pure white pixels, in which nothing but the title is drawn.
func lettering(img image.Image, area image.Rectangle) int {
	rgba := img.(*image.RGBA)
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := rgba.Pix[rgba.PixOffset(area.Min.X, y):rgba.PixOffset(area.Max.X, y)]
		for p := range slices.Chunk(row, 4) {
			if p[0] == 255 && p[1] == 255 && p[2] == 255 {
				n++
			}
		}
	}
	return n
}

func TestCoverFollowsFromTheTitle(t *testing.T) {
	first, img := cover(t, llm.ImageRequest{Title: "Why Go", Subtitle: "Northwind"})
	again, _ := cover(t, llm.ImageRequest{Title: "Why Go", Subtitle: "Northwind"})
	other, _ := cover(t, llm.ImageRequest{Title: "Why not", Subtitle: "Northwind"})
	if !bytes.Equal(first.Bytes, again.Bytes) || bytes.Equal(first.Bytes, other.Bytes) {
		t.Error("the same title should give the same cover, another title another one")
	}
	if first.Width != 1200 || first.Height != 630 || first.Alt != "Cover: Why Go" {
		t.Errorf("%d×%d, alt %q", first.Width, first.Height, first.Alt)
	}
	if lettering(img, img.Bounds()) < 2000 {
		t.Error("no title is to be seen")
	}
	// The pixels, not the file, which may be compressed otherwise some day.
	golden(t, "cover.sha256", fmt.Sprintf("%x\n", sha256.Sum256(img.(*image.RGBA).Pix)))
}

func TestCoverKeepsTheTitleInItsColumn(t *testing.T) {
	for _, title := range []string{
		"Why Go",
		strings.Repeat("A title that does not end ", 40),
		strings.Repeat("Donaudampfschifffahrt", 40),
		"Grüße — naïve façade, Ελληνικά и русский",
	} {
		_, img := cover(t, llm.ImageRequest{Title: title, Subtitle: strings.Repeat("Long name ", 30), Width: 600, Height: 315})
		column := image.Rect(35, 35, 390, 280)
		if lettering(img, column) < 250 {
			t.Errorf("%.20q: no title", title)
		}
		for _, margin := range []image.Rectangle{image.Rect(0, 0, 390, 35), image.Rect(0, 35, 35, 315), image.Rect(0, 285, 390, 315)} {
			if n := lettering(img, margin); n > 0 {
				t.Errorf("%.20q: %d pixels of lettering in the margin %v", title, n, margin)
			}
		}
	}
}

func TestCoverWithoutGlyphs(t *testing.T) {
	for _, title := range []string{"深い仕事のために", "🚀🚀🚀", "", "   ", "שלום עולם", "Go 言語で深い仕事をする"} {
		_, named := cover(t, llm.ImageRequest{Title: title, Subtitle: "Northwind", Width: 600, Height: 315})
		if lettering(named, named.Bounds()) < 250 {
			t.Errorf("%q: the team's name should stand in", title)
		}
		got, bare := cover(t, llm.ImageRequest{Title: title, Width: 320, Height: 168})
		if lettering(bare, bare.Bounds()) > 0 {
			t.Errorf("%q: boxes instead of letters", title)
		}
		if want := strings.TrimSpace(title); want != "" && !strings.Contains(got.Alt, want) {
			t.Errorf("alt %q lacks the title", got.Alt)
		}
	}
	_, mixed := cover(t, llm.ImageRequest{Title: "Launch 🚀 day", Width: 600, Height: 315})
	_, plain := cover(t, llm.ImageRequest{Title: "Launch day", Width: 600, Height: 315})
	column := image.Rect(0, 0, 390, 315)
	if lettering(mixed, column) != lettering(plain, column) {
		t.Error("an emoji should be left out of a title that has words")
	}
}

func TestCoverSizes(t *testing.T) {
	for _, c := range [][4]int{{1080, 1080, 1080, 1080}, {1, 1, 320, 168}, {90000, 400, 1600, 400}, {320, 90000, 320, 1600}} {
		got, _ := cover(t, llm.ImageRequest{Title: "How to publish a folder", Subtitle: "Northwind", Width: c[0], Height: c[1]})
		if got.Width != c[2] || got.Height != c[3] {
			t.Errorf("asked %d×%d, got %d×%d", c[0], c[1], got.Width, got.Height)
		}
	}
}

func photo(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 96, 50)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestVendorDraws(t *testing.T) {
	raw := photo(t)
	server := llmtest.OpenAI(t, llmtest.RateLimit("1"), llmtest.Picture(raw))
	got, err := llm.Open(server.OpenAIConfig()).Image(t.Context(), llm.ImageRequest{Title: "Why Go"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes, raw) || got.MIME != "image/jpeg" || got.Width != 96 || got.Height != 50 || got.Provider != "openai" || got.Model == "" {
		t.Errorf("%d bytes, %s, %d×%d, %s %s", len(got.Bytes), got.MIME, got.Width, got.Height, got.Provider, got.Model)
	}
	body := server.Requests()[1].Body
	if !strings.Contains(body["prompt"].(string), "Why Go") || body["size"] != "1536x800" {
		t.Errorf("asked for %v", body)
	}
}

func TestVendorsImageFailures(t *testing.T) {
	for _, c := range []struct {
		step llmtest.Step
		kind llm.Kind
	}{
		{llmtest.Picture([]byte("<svg onload=alert(1)>")), llm.KindProvider},
		{llmtest.Picture([]byte{}), llm.KindProvider},
		{llmtest.Fail(400, "safety system"), llm.KindInvalidRequest},
	} {
		server := llmtest.OpenAI(t, c.step, c.step, c.step)
		_, err := llm.Open(server.OpenAIConfig()).Image(t.Context(), llm.ImageRequest{Title: "Why Go"})
		if e := kindOf(t, err); e.Kind != c.kind {
			t.Errorf("error = %v, want %s", e, c.kind)
		}
	}
}

func TestCompatibleServerDrawsOnlyWithAModelNamed(t *testing.T) {
	server := llmtest.OpenAI(t, llmtest.Picture(photo(t)))
	config := llm.Config{OpenAI: llm.Endpoint{Key: llmtest.OpenAIKey, BaseURL: server.URL}}
	got, err := llm.Open(config).Image(t.Context(), llm.ImageRequest{Title: "Why Go"})
	if err != nil || got.Provider != "offline" {
		t.Errorf("got %s, %v", got.Provider, err)
	}
	config.ImageModel = "flux-schnell"
	got, err = llm.Open(config).Image(t.Context(), llm.ImageRequest{Title: "Why Go"})
	if err != nil || got.Provider != "compatible" || got.Model != "flux-schnell" {
		t.Errorf("got %s %s, %v", got.Provider, got.Model, err)
	}
}

func TestImageOfACallerWhoLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, config := range []llm.Config{{}, llmtest.OpenAI(t).OpenAIConfig()} {
		if _, err := llm.Open(config).Image(ctx, llm.ImageRequest{Title: "Why Go"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v", err)
		}
	}
}
