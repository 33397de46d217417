package media_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/media"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

// world is media on a store of their own.
type world struct {
	*optest.World
	media *media.Service
}

func newWorld(t *testing.T, quota int64) *world {
	w := &world{World: optest.New(t, media.Events())}
	w.media = media.New(w.Store, w.Log, quota)
	w.Join(w.media.Ops())
	w.Checked(media.Tables())
	return w
}

var alice = optest.Key("team_a")

func (w *world) upload(f media.File) api.Media {
	w.T.Helper()
	m, err := w.media.Upload(w.T.Context(), alice, f)
	if err != nil {
		w.T.Fatal(err)
	}
	return m.Media
}

func pngOf(t testing.TB, width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noise is a picture that does not compress.
func noise(t testing.TB, side int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	r := rand.NewChaCha8([32]byte{})
	if _, err := r.Read(img.Pix); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const webpPixel = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA="

func TestUpload(t *testing.T) {
	w := newWorld(t, 0)
	img := image.NewPaletted(image.Rect(0, 0, 3, 2), palette.Plan9)
	var asJPEG, asGIF bytes.Buffer
	if err := jpeg.Encode(&asJPEG, img, nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&asGIF, img, nil); err != nil {
		t.Fatal(err)
	}
	webp, err := base64.StdEncoding.DecodeString(webpPixel)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		mime, ext     string
		width, height int
		data          []byte
	}{
		{"image/png", ".png", 3, 2, pngOf(t, 3, 2)},
		{"image/jpeg", ".jpg", 3, 2, asJPEG.Bytes()},
		{"image/gif", ".gif", 3, 2, asGIF.Bytes()},
		{"image/webp", ".webp", 1, 1, webp},
		{"image/png", ".png", 700, 700, noise(t, 700)}, // many chunks
	} {
		m := w.upload(media.File{Name: `C:\pics\a` + "\u0007.exe", Alt: " An alt ", Source: "forged", Data: row.data})
		if m.MIME != row.mime || m.URL != "/media/"+m.ID+row.ext || m.Width != row.width || m.Height != row.height ||
			m.Size != len(row.data) || m.Name != "a.exe" || m.Alt != "An alt" || m.Source != "uploaded" || m.CreatedAt == 0 {
			t.Errorf("%+v", m)
		}
		c, err := w.media.Open(t.Context(), m.ID)
		if err != nil || c.MIME != row.mime || c.Size != int64(len(row.data)) || len(c.ETag) < 10 || c.ETag[0] != '"' {
			t.Errorf("%s: %+v %v", row.mime, c, err)
		}
		if data, err := io.ReadAll(io.NewSectionReader(c, 0, c.Size)); err != nil || !bytes.Equal(data, row.data) {
			t.Errorf("%s: %d bytes of %d, %v", row.mime, len(data), c.Size, err)
		}
		got, refusal := optest.Call[api.Media](w, alice, "media.get", `{"id":"`+m.ID+`"}`)
		if refusal != nil || got != m {
			t.Errorf("%+v %+v", got, refusal)
		}
	}
	if page := optest.Must[api.Page[api.Media]](w, "media.list", `{"limit":2}`); len(page.Data) != 2 || page.Data[0].Width != 700 || !page.HasMore {
		t.Errorf("%+v", page)
	}
	if page := optest.Must[api.Page[api.Event]](w, "events.list", `{}`); len(page.Data) != 5 || page.Data[0].Type != "media.uploaded" {
		t.Errorf("%+v", page)
	}
}

// bomb is a PNG that announces more pixels than it holds.
func bomb(t testing.TB, width, height uint32) []byte {
	b := pngOf(t, 1, 1)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func TestRefusedFiles(t *testing.T) {
	w := newWorld(t, 0)
	for _, row := range []struct {
		name   string
		f      media.File
		status int
	}{
		{"nothing", media.File{}, 415},
		{"text", media.File{Name: "a.png", Data: []byte("hello")}, 415},
		{"HTML called PNG", media.File{Name: "a.png", Data: []byte("<html><script>alert(1)</script>")}, 415},
		{"SVG without a namespace", media.File{Name: "a.svg", Data: []byte(`<svg/>`)}, 415},
		{"SVG in another namespace", media.File{Name: "a.svg", Data: []byte(`<x:svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xhtml"/>`)}, 415},
		{"SVG with entities", media.File{Name: "a.svg", Data: []byte(`<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>`)}, 415},
		{"SVG after text", media.File{Name: "a.svg", Data: []byte(`x<svg xmlns="http://www.w3.org/2000/svg"/>`)}, 415},
		{"PNG cut off", media.File{Data: pngOf(t, 3, 3)[:20]}, 415},
		{"too wide", media.File{Data: bomb(t, 20_000, 1)}, 422},
		{"too many pixels", media.File{Data: bomb(t, 16_000, 16_000)}, 422},
		{"more than fits a number", media.File{Data: bomb(t, 1<<31-1, 1<<31-1)}, 415},
		{"too large", media.File{Data: append(pngOf(t, 1, 1), make([]byte, media.MaxSize)...)}, 413},
		{"line break in alt", media.File{Alt: "a\nb", Data: pngOf(t, 1, 1)}, 422},
		{"long alt", media.File{Alt: strings.Repeat("a", 501), Data: pngOf(t, 1, 1)}, 422},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := w.media.Upload(t.Context(), alice, row.f)
			if e := op.Refusal(err); err == nil || e.Status != row.status {
				t.Error(err)
			}
		})
	}
	readOnly := alice
	readOnly.Scopes = op.PostsRead
	if _, err := w.media.Upload(t.Context(), readOnly, media.File{Data: pngOf(t, 1, 1)}); err == nil || op.Refusal(err).Status != 403 {
		t.Error(err)
	}
	if got := optest.Must[api.Page[api.Media]](w, "media.list", `{}`); len(got.Data) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAnotherTeamsFile(t *testing.T) {
	w := newWorld(t, 0)
	m := w.upload(media.File{Data: pngOf(t, 2, 2)})
	bob := alice
	bob.Team = "team_b"
	for _, name := range []string{"media.get", "media.delete"} {
		if _, refusal := optest.Call[any](w, bob, name, `{"id":"`+m.ID+`"}`); refusal == nil || refusal.Code != api.CodeNotFound {
			t.Errorf("%s: %+v", name, refusal)
		}
	}
	if c, err := w.media.Open(t.Context(), m.ID); err != nil || c.Size == 0 {
		t.Error("gone", err)
	}
}

// TestManyReaders reads more files than are kept in memory, many at a time, each
// from another place.
func TestManyReaders(t *testing.T) {
	w := newWorld(t, 0)
	var all []*media.Content
	var data [][]byte
	var ids []string
	for range 5 {
		picture := append(noise(t, 700), make([]byte, 6<<20)...) // 29 chunks each, 64 are kept
		m := w.upload(media.File{Data: picture})
		c, err := w.media.Open(t.Context(), m.ID)
		if err != nil {
			t.Fatal(err)
		}
		all, data, ids = append(all, c), append(data, picture), append(ids, m.ID)
	}
	var reading sync.WaitGroup
	for i := range 20 {
		reading.Go(func() {
			c, want := all[i%len(all)], data[i%len(all)]
			buf := make([]byte, 100_000)
			for off := i * 1000; off < len(want); off += len(buf) {
				n, err := c.ReadAt(buf, int64(off))
				if end := min(off+len(buf), len(want)); !bytes.Equal(buf[:n], want[off:end]) || (n < len(buf)) != (err == io.EOF) {
					t.Errorf("%d bytes at %d of %d: %v", n, off, len(want), err)
					return
				}
			}
		})
	}
	reading.Wait()
	// A reader of a file that was deleted meanwhile gets an error, not a part of another.
	if _, refusal := optest.Call[api.Deleted](w, alice, "media.delete", `{"id":"`+ids[0]+`"}`); refusal != nil {
		t.Fatal(refusal)
	}
	for _, c := range all[1:] {
		if _, err := io.Copy(io.Discard, io.NewSectionReader(c, 0, c.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := all[0].ReadAt(make([]byte, 10), 0); err == nil {
		t.Errorf("%d bytes of a deleted file", n)
	}
}

func TestDelete(t *testing.T) {
	w := newWorld(t, 0)
	m := w.upload(media.File{Data: pngOf(t, 2, 2)})
	if got, refusal := optest.Call[api.Deleted](w, alice, "media.delete", `{"id":"`+m.ID+`"}`); refusal != nil || got != (api.Deleted{ID: m.ID, Deleted: true}) {
		t.Error(got, refusal)
	}
	if _, err := w.media.Open(t.Context(), m.ID); err == nil || op.Refusal(err).Code != api.CodeNotFound {
		t.Error(err)
	}
	if _, refusal := optest.Call[api.Deleted](w, alice, "media.delete", `{"id":"`+m.ID+`"}`); refusal == nil || refusal.Code != api.CodeNotFound {
		t.Errorf("%+v", refusal)
	}
}

func TestQuota(t *testing.T) {
	data := pngOf(t, 50, 50)
	w := newWorld(t, int64(2*len(data)))
	first := w.upload(media.File{Data: data})
	w.upload(media.File{Data: data})
	_, err := w.media.Upload(t.Context(), alice, media.File{Data: data})
	if err == nil || op.Refusal(err).Code != api.CodeQuotaExceeded {
		t.Fatal(err)
	}
	if _, refusal := optest.Call[api.Deleted](w, alice, "media.delete", `{"id":"`+first.ID+`"}`); refusal != nil {
		t.Fatal(refusal)
	}
	w.upload(media.File{Data: data})
	bob := alice
	bob.Team = "team_b"
	if _, err := w.media.Upload(t.Context(), bob, media.File{Data: data}); err != nil {
		t.Error("another team's files count:", err)
	}
}

// Whatever the bytes, the type is one of four and nothing panics.
func FuzzUpload(f *testing.F) {
	f.Add(pngOf(f, 2, 2))
	f.Add(bomb(f, 1<<31-1, 7))
	f.Add([]byte("GIF89a"))
	f.Add([]byte("\xff\xd8\xff"))
	webp, _ := base64.StdEncoding.DecodeString(webpPixel)
	f.Add(webp)
	f.Fuzz(func(t *testing.T, data []byte) {
		mime, size, err := media.Sniff(data)
		if err == nil && (!strings.HasPrefix(mime, "image/") || size.X < 1 || size.Y < 1 || size.X*size.Y > 50_000_000) {
			t.Error(mime, size)
		}
	})
}

func TestDrawings(t *testing.T) {
	w := newWorld(t, 0)
	for src, size := range map[string]string{
		`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`: "0x0",
		"\ufeff<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\">\n<svg xmlns='http://www.w3.org/2000/svg' width='40px' height=\"30.4\"><path/></svg>": "40x30",
		`<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 24,12" width="100%"></s:svg>`:                                                                                                                 "24x12",
	} {
		m := w.upload(media.File{Name: "a.svg", Data: []byte(src)})
		if got := fmt.Sprintf("%dx%d", m.Width, m.Height); m.MIME != "image/svg+xml" || !strings.HasSuffix(m.URL, ".svg") || got != size {
			t.Errorf("%q: %s %s %s, want %s", src, m.MIME, m.URL, got, size)
		}
	}
}
