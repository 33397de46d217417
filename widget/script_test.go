package widget_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/widget/internal/bundle/script"
)

// budget is the most bytes that the script may take, compressed as servers do.
const budget = 8000

func TestBundleIsFresh(t *testing.T) {
	code, panel, err := script.Bundle("src")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"widget.js": code, "panel.css": panel} {
		if got, err := os.ReadFile(filepath.Join("dist", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("dist/%s is not what the sources make, %v: run go generate ./widget", name, err)
		}
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(code)
	_ = w.Close()
	if packed.Len() > budget {
		t.Errorf("the script takes %d bytes, %d more than it may", packed.Len(), packed.Len()-budget)
	}
}

// Nothing in the script makes markup or code of text, or writes style attributes.
func TestSourcesAreInert(t *testing.T) {
	sources, err := filepath.Glob("src/*.ts")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	banned := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function|createContextualFragment|setAttribute\('style|cssText|document\.cookie`)
	for _, name := range sources {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := banned.FindAll(b, -1); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
	}
}

// Every language says everything that the sources ask for, and no more.
func TestLanguages(t *testing.T) {
	files, err := filepath.Glob("lang/*.json")
	if err != nil || len(files) < 12 {
		t.Fatal(files, err)
	}
	var sources []byte
	for _, name := range []string{"view", "chat", "message"} {
		b, err := os.ReadFile("src/" + name + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, b...)
	}
	var used []string
	for _, m := range regexp.MustCompile(`\bwords\.(\w+)`).FindAllSubmatch(sources, -1) {
		used = append(used, string(m[1]))
	}
	slices.Sort(used)
	used = slices.Compact(used)
	for _, name := range files {
		b, err := os.ReadFile(name)
		var words map[string]string
		if err != nil || json.Unmarshal(b, &words) != nil {
			t.Fatal(name, err)
		}
		var keys []string
		for k, v := range words {
			keys = append(keys, k)
			if v == "" || strings.Contains(v, "{n}") != (k == "unread" || k == "saved") {
				t.Errorf("%s: %s is %q", name, k, v)
			}
		}
		slices.Sort(keys)
		if !slices.Equal(keys, used) {
			t.Errorf("%s has %v, the sources use %v", name, keys, used)
		}
	}
}

func (w *world) get(path string, header ...string) (*http.Response, string) {
	return w.request(http.MethodGet, path, "", header...)
}

func (w *world) request(method, path, body string, header ...string) (*http.Response, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp, string(b)
}

func TestScript(t *testing.T) {
	w := newWorld(t)
	resp, code := w.get("/widget.js", "Accept-Encoding", "identity")
	etag := resp.Header.Get("ETag")
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Cache-Control"), "public, max-age=300") || etag == "" ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/javascript") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
	if resp, body := w.get("/widget.js", "If-None-Match", etag); resp.StatusCode != 304 || body != "" {
		t.Errorf("with its ETag: %d", resp.StatusCode)
	}
	if resp, body := w.get("/widget.js", "Accept-Encoding", "gzip"); resp.Header.Get("Content-Encoding") != "gzip" || len(body) > budget {
		t.Errorf("compressed: %v, %d bytes", resp.Header, len(body))
	}
	path, integrity := w.handler.Pinned()
	resp, pinned := w.get(path, "Accept-Encoding", "identity", "Origin", "https://shop.example")
	sum := sha512.Sum384([]byte(pinned))
	if pinned != code || integrity != "sha384-"+base64.StdEncoding.EncodeToString(sum[:]) ||
		!strings.Contains(resp.Header.Get("Cache-Control"), "immutable") || resp.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s: %v", path, resp.Header)
	}
	if resp, _ := w.get("/widget/" + strings.Repeat("0", 20) + ".js"); resp.StatusCode != 404 {
		t.Errorf("another version: %d", resp.StatusCode)
	}
	if resp, _ := w.request(http.MethodPost, "/widget.js", "x"); resp.StatusCode != 405 {
		t.Errorf("POST: %d", resp.StatusCode)
	}
	if resp, page := w.get("/widget/demo?site=%22%3E%3Cscript%3Ealert(1)%3C/script%3E"); strings.Contains(page, "<script>alert") ||
		!strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';") {
		t.Error("the demo page repeats what it is given, or lacks its policy")
	}
}
