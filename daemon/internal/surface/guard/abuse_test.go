package guard_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/surface/guard"
)

const secret = "svc_0123456789abcdefghijklmnopqrstuvABCDEF"

// abuseCase is one row of testdata/abuse.json: what to send and what must
// come of it. Rows of the drivers slowloris and flood are played by
// TestSlowBodies and TestIdleFlood.
type abuseCase struct {
	ID, Title, Driver string
	Raw               json.RawMessage
	Method, Path      string
	Headers           map[string]string
	Body              struct {
		Gen string
		MB  int
	}
	Expect struct {
		Status         []int
		ResponsesMax   int      `json:"responses_max"`
		Closed         bool     `json:"closed"`
		LogNotContains []string `json:"log_not_contains"`
	}
}

func abuseCases(t *testing.T) []abuseCase {
	t.Helper()
	b, err := os.ReadFile("testdata/abuse.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []abuseCase
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAbuse(t *testing.T) {
	played := 0
	for _, c := range abuseCases(t) {
		if c.Driver != "raw" && c.Driver != "http" {
			continue
		}
		played++
		t.Run(c.ID+" "+c.Title, func(t *testing.T) {
			log, logged := debugLog()
			addr := start(t, guard.Options{Log: log})
			a := exchange(t, addr, c.bytes(t, addr))
			got := a.statuses()
			if len(got) == 0 || !slices.Contains(c.Expect.Status, got[0]) {
				t.Errorf("statuses %v, want one of %v", got, c.Expect.Status)
			}
			if len(got) > max(1, c.Expect.ResponsesMax) {
				t.Errorf("%d responses", len(got))
			}
			if !a.closed {
				t.Error("the connection stayed open")
			}
			if strings.Contains(logged.String(), secret) {
				t.Errorf("the log holds the key:\n%s", logged)
			}
			if logged.String() == "" {
				t.Error("a refusal left no trace in the debug log")
			}
		})
	}
	if played != 10 {
		t.Errorf("played %d cases, the file should hold 10 for these drivers", played)
	}
}

// bytes builds the request of a case.
func (c abuseCase) bytes(t *testing.T, addr string) []byte {
	t.Helper()
	fill := strings.NewReplacer("{{HOST}}", addr, "{{KEY_A}}", secret)
	if c.Driver == "http" {
		body := gzipZeros(t, c.Body.MB)
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n", c.Method, c.Path, addr, len(body))
		for k, v := range c.Headers {
			head += k + ": " + fill.Replace(v) + "\r\n"
		}
		return append([]byte(head+"\r\n"), body...)
	}
	var text string
	if json.Unmarshal(c.Raw, &text) == nil {
		return []byte(fill.Replace(text))
	}
	var long struct {
		Prefix, Repeat, Suffix string
		N                      int
	}
	if err := json.Unmarshal(c.Raw, &long); err != nil {
		t.Fatal(err)
	}
	return []byte(fill.Replace(long.Prefix + strings.Repeat(long.Repeat, long.N) + long.Suffix))
}

// gzipZeros is a bomb of mb MiB: the same member again and again, which
// decoders read as one (RFC 1952 section 2.2).
func gzipZeros(t *testing.T, mb int) []byte {
	t.Helper()
	const member = 16
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(make([]byte, member<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(b.Bytes(), mb/member)
}
