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
func answering(silence time.Duration, body func(r *http.Request) io.ReadCloser) *http.Client {
	return guarded(&http.Client{Transport: bodies(body)}, silence)
}

type bodies func(r *http.Request) io.ReadCloser

func (b bodies) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: b(r), Request: r}, nil
}

// spoken is a body that waits so many seconds before each of its words.
func spoken(r *http.Request, pauses []int, words ...string) io.ReadCloser {
	pr, pw := io.Pipe()
	go func() {
		for i, w := range words {
			select {
			case <-time.After(time.Duration(pauses[i]) * time.Second):
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

// A vendor may be silent for as long as the limit, before each of its words.
func TestSilenceLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			limit  time.Duration
			pauses []int
			want   error
			text   string
		}{
			{limit: 11 * time.Second, pauses: []int{10, 10, 10}, text: "one two three "},
			{limit: 9 * time.Second, pauses: []int{10, 1, 1}, want: errSlow},
			{limit: 9 * time.Second, pauses: []int{1, 1, 10}, want: errSlow, text: "one two "},
			{limit: 0, pauses: []int{10, 1000, 10}, text: "one two three "},
		} {
			client := answering(c.limit, func(r *http.Request) io.ReadCloser { return spoken(r, c.pauses, "one ", "two ", "three ") })
			resp, err := get(t, client)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if !errors.Is(err, c.want) || string(text) != c.text {
				t.Errorf("limit %v, pauses %v: %q, %v", c.limit, c.pauses, text, err)
			}
		}
	})
}

// What the reader takes its time for is not the vendor's silence.
func TestSlowReaderIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := answering(9*time.Second, func(r *http.Request) io.ReadCloser { return spoken(r, []int{1, 1}, "one ", "two ") })
		resp, err := get(t, client)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != "two " {
			t.Errorf("%q, %v", rest, err)
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
