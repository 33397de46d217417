package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// What fetching pictures may cost.
const (
	maxFetched    = 5000
	fetchTime     = 30 * time.Second
	maxRedirects  = 3
	maxFetchBytes = 2 << 30
)

// NewFetch fetches pictures from public addresses, so many and so large ones as
// an import may. Hosts that the person named may have any address: the old site
// may be on this machine.
func NewFetch(ctx context.Context, named []string) Fetch {
	guard := ssrf.New(ssrf.WithAnyPort())
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		MaxIdleConnsPerHost: 4, ResponseHeaderTimeout: fetchTime,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			d := *dialer
			if !slices.Contains(named, address) {
				d.Control = func(network, address string, c syscall.RawConn) error { return guard.Safe(network, address, c) }
			}
			return d.DialContext(ctx, network, address)
		},
	}
	client := &http.Client{Transport: transport, Timeout: fetchTime, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return nil
	}}
	var count, bytes atomic.Int64
	return func(address string) (string, []byte, error) {
		if count.Add(1) > maxFetched {
			return "", nil, fmt.Errorf("more than %d pictures; run it again for the others", maxFetched)
		}
		if bytes.Load() > maxFetchBytes {
			return "", nil, fmt.Errorf("more than %d GiB of pictures; run it again for the others", maxFetchBytes>>30)
		}
		name, body, err := get(ctx, client, address)
		bytes.Add(int64(len(body)))
		return name, body, err
	}
}

// DialName is the host and port of an address, as a dialer has it.
func DialName(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func get(ctx context.Context, client *http.Client, address string) (string, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", nil, &Gone{"is not an address"}
	}
	req.Header.Set("Accept", "image/*")
	resp, err := client.Do(req)
	if err != nil {
		if e := new(url.Error); errors.As(err, &e) {
			err = e.Err // the address is named already
		}
		return "", nil, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return "", nil, fmt.Errorf("the site answered %d", resp.StatusCode)
	case resp.StatusCode != http.StatusOK:
		return "", nil, &Gone{fmt.Sprintf("the site answered %d", resp.StatusCode)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxSize+1))
	if err != nil {
		return "", nil, err
	}
	if len(body) > maxSize {
		return "", nil, &Gone{fmt.Sprintf("is larger than %d MiB", maxSize>>20)}
	}
	name := path.Base(resp.Request.URL.Path)
	return name, body, nil
}
