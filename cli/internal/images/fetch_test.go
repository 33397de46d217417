package images_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/images"
)

// TestFetch: pictures come from the host that a person named, and from no other
// address of this machine; what is not a picture is refused for good.
func TestFetch(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++; _, _ = w.Write(picture.Bytes()) }))
	defer other.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/a.png", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture.Bytes()) })
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>no picture</p>")) })
	mux.HandleFunc("/large.png", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 11<<20)) })
	mux.HandleFunc("/busy.png", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	mux.Handle("/elsewhere.png", http.RedirectHandler(other.URL+"/b.png", http.StatusFound))
	site := httptest.NewServer(mux)
	defer site.Close()
	u, err := url.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	uploads := 0
	folder, err := images.OpenArchive(nil, func(string, []byte) (string, error) { uploads++; return "/media/med_1.png", nil },
		images.Archive{Fetch: images.NewFetch(t.Context(), []string{images.DialName(u)})})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for range 2 {
		if address, err := folder.Place(".", site.URL+"/a.png"); err != nil || address != "/media/med_1.png" {
			t.Errorf("got %q, %v", address, err)
		}
	}
	if uploads != 1 {
		t.Errorf("the picture was uploaded %d times", uploads)
	}
	for path, why := range map[string]string{
		site.URL + "/page": "is not PNG", site.URL + "/large.png": "larger than 10 MiB", site.URL + "/none.png": "answered 404", site.URL + "/busy.png": "answered 503",
		site.URL + "/elsewhere.png": "not a permitted", other.URL + "/b.png": "not a permitted",
	} {
		_, err := folder.Place(".", path)
		if m := new(images.Missing); !errors.As(err, &m) || !strings.Contains(m.Reason, why) {
			t.Errorf("%s: got %v, want %q", path, err, why)
		}
		sum, _ := folder.Sum(".", path)
		if kept := folder.Address(sum) != ""; kept != strings.Contains("/page /large.png /none.png", strings.TrimPrefix(path, site.URL)) {
			t.Errorf("%s: remembered as gone: %v", path, kept)
		}
	}
	if asked != 0 {
		t.Errorf("an address that nobody named was asked %d times", asked)
	}
}
