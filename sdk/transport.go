package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	v1         = "/svc-api/v1"
	procedures = "/svc-api/trpc/"
	userAgent  = "svc-go/1"

	maxErrorBody = 1 << 20
	maxBody      = 32 << 20
)

// ErrAddress refuses an address that can be none of a daemon.
var ErrAddress = errors.New("the daemon's address")

// ErrInsecure refuses plain HTTP to a host that is not loopback.
var ErrInsecure = errors.New("plain http:// to another machine would send the credential readable; use https://")

// transport is the one way from a call to the wire.
type transport struct {
	base       *url.URL
	fault      error // why nothing can be sent; reported by every call
	credential secret
	member     bool // the credential is a session, and the way tRPC
	http       http.Client
	userAgent  string
	retries    int
	timeout    time.Duration
	insecure   bool
	sleep      func(context.Context, time.Duration) error
	paused     func(wait time.Duration, status int) // nil is nobody
}

func newTransport(baseURL string, options []Option) *transport {
	t := &transport{
		credential: newSecret(""), userAgent: userAgent,
		retries: 3, timeout: time.Minute, sleep: sleep,
	}
	for _, option := range options {
		option(t)
	}
	t.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.base, t.fault = parseBase(baseURL, t.insecure)
	return t
}

func parseBase(baseURL string, insecure bool) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(baseURL, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &url.URL{}, fmt.Errorf("%w must be like https://svc.example, not %q", ErrAddress, baseURL)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return &url.URL{}, fmt.Errorf("%w must have no user, query or fragment", ErrAddress)
	}
	if u.Scheme == "http" && !insecure && !loopback(u.Hostname()) {
		return u, fmt.Errorf("%s: %w", u, ErrInsecure)
	}
	return u, nil
}

func loopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// String is the address and the masked credential.
func (t *transport) String() string {
	return strings.TrimSpace(t.base.String() + " " + t.credential.String())
}

// request is one call ready for the wire; it can be sent any number of times.
type request struct {
	method string
	path   string // below the base address, with the query
	header http.Header
	body   []byte
	// replay: sending it again is harmless even if the first one arrived.
	replay bool
}

// Response is a whole answer.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// send sends r until an answer comes that is worth returning, whatever its
// status.
func (t *transport) send(ctx context.Context, r request) (*Response, error) {
	for attempt := 0; ; attempt++ {
		resp, err := t.once(ctx, r)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if attempt == t.retries || !again(r, resp, err) {
			return resp, err
		}
		wait, ok := pause(attempt, resp)
		if !ok {
			return resp, err
		}
		if t.paused != nil {
			status := 0
			if resp != nil {
				status = resp.Status
			}
			t.paused(wait, status)
		}
		if err := t.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// once makes one attempt and reads the whole answer, a refusal's first MiB.
func (t *transport) once(ctx context.Context, r request) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	resp, err := t.open(ctx, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return read(resp)
}

func read(resp *http.Response) (*Response, error) {
	limit := int64(maxBody)
	if resp.StatusCode >= 300 {
		limit = maxErrorBody
	}
	body, err := readAll(resp.Body, limit+1)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if int64(len(body)) > limit {
		if resp.StatusCode < 300 {
			return nil, unexpected(resp.StatusCode, resp.Header, "the answer is larger than %d MiB", maxBody>>20)
		}
		body = body[:limit]
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: body}, nil
}

// readAll reads at most so many bytes, in pieces: a buffer that grows leaves several
// times its size behind.
func readAll(r io.Reader, most int64) ([]byte, error) {
	const least, largest = 16 << 10, 1 << 20
	var pieces [][]byte
	for size := int64(least); most > 0; size = min(2*size, largest) {
		piece := make([]byte, min(size, most))
		n, err := io.ReadFull(r, piece)
		pieces = append(pieces, piece[:n])
		most -= int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if len(pieces) == 1 {
		return pieces[0], nil
	}
	return slices.Concat(pieces...), nil
}

// open makes one attempt and leaves the answer's body to the caller.
func (t *transport) open(ctx context.Context, r request) (*http.Response, error) {
	if t.fault != nil {
		return nil, t.fault
	}
	req, err := http.NewRequestWithContext(ctx, r.method, t.base.String()+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", t.userAgent)
	if key := t.credential.reveal(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return t.http.Do(req)
}
