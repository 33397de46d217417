package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// answering is a client behind a guard whose every answer has this body.
func answering(firstByte time.Duration, body func(r *http.Request) io.ReadCloser) *http.Client {
	return guarded(&http.Client{Transport: bodies(body)}, firstByte)
}

type bodies func(r *http.Request) io.ReadCloser

func (b bodies) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: b(r), Request: r}, nil
}

// spoken is a body that waits before each of its words.
func spoken(r *http.Request, pause time.Duration, words ...string) io.ReadCloser {
	pr, pw := io.Pipe()
	go func() {
		for _, w := range words {
			select {
			case <-time.After(pause):
				_, _ = io.WriteString(pw, w) // the reader may have left
			case <-r.Context().Done():
				_ = pw.CloseWithError(r.Context().Err())
			}
		}
		_ = pw.Close()
	}()
	return pr
}

func get(t *testing.T, client *http.Client) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://vendor.test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return client.Do(req)
}

func TestFirstByteLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			limit time.Duration
			want  error
			text  string
		}{
			{limit: 11 * time.Second, text: "one two three"}, // later words may take as long
			{limit: 9 * time.Second, want: errSlow},
			{limit: 0, text: "one two three"},
		} {
			client := answering(c.limit, func(r *http.Request) io.ReadCloser {
				return spoken(r, 10*time.Second, "one ", "two ", "three")
			})
			resp, err := get(t, client)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if !errors.Is(err, c.want) || string(text) != c.text {
				t.Errorf("limit %v: %q, %v", c.limit, text, err)
			}
		}
	})
}

func TestAnswerIsBounded(t *testing.T) {
	for extra, want := range map[int]error{0: nil, 1: errLarge} {
		client := answering(time.Minute, func(*http.Request) io.ReadCloser {
			return io.NopCloser(bytes.NewReader(make([]byte, maxAnswer+extra)))
		})
		resp, err := get(t, client)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if !errors.Is(err, want) || n > maxAnswer {
			t.Errorf("%d bytes over: read %d, %v", extra, n, err)
		}
	}
}
