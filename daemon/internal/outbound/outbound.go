// Package outbound makes requests to addresses that others name: the targets of
// tasks and of webhooks. It reaches the public internet and nothing else. Every
// connection is checked at its last step, when the name has become an address,
// so that neither a resolver nor a spelling of an address leads around it.
//
// It follows no redirect, uses no proxy, keeps no cookie and no connection, and
// reads no more of an answer than it is told to. It does not know what is sent.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// The bounds that zero Options stand for.
const (
	defaultTimeout = 30 * time.Second
	defaultMaxBody = 1 << 20
	maxHeader      = 64 << 10
	maxConnect     = 10 * time.Second
)

// Options adjust a Client; the zero value of a field is its default.
type Options struct {
	// Allow opens ranges of addresses that are refused otherwise, on any port,
	// for development.
	Allow []netip.Prefix
	// Resolver looks names up.
	Resolver *net.Resolver
	// Timeout bounds a request with its answer: 30 s.
	Timeout time.Duration
	// MaxBody is how many bytes of an answer are read: 1 MiB.
	MaxBody int64
}

// Client makes guarded requests. It is safe for concurrent use and holds
// nothing open between requests.
type Client struct {
	guard   *guard
	http    *http.Client
	timeout time.Duration
	maxBody int64
}

// New returns a client of the options.
func New(o Options) *Client {
	c := &Client{guard: newGuard(o.Allow), timeout: o.Timeout, maxBody: o.MaxBody}
	if c.timeout == 0 {
		c.timeout = defaultTimeout
	}
	if c.maxBody == 0 {
		c.maxBody = defaultMaxBody
	}
	dialer := &net.Dialer{Timeout: maxConnect, KeepAlive: -1, Resolver: o.Resolver, Control: c.guard.control}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would connect where the guard does not look
			DialContext:            dialer.DialContext,
			DisableKeepAlives:      true,
			DisableCompression:     true, // what is counted is what was sent
			MaxResponseHeaderBytes: maxHeader,
			TLSHandshakeTimeout:    maxConnect,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Answer is what an endpoint answered, of any status.
type Answer struct {
	Status    int
	Header    http.Header
	Body      []byte
	Truncated bool // there was more than Body, or not all of it came
}

// Do makes a request and reads its answer. The error is a *RefusedError where
// the address may not be reached, and wraps context.DeadlineExceeded where the
// time was over. Where an answer began and broke off, what came of it is returned
// beside the error: its status may be all that matters. A redirect is an answer
// like any other.
func (c *Client) Do(req *http.Request) (*Answer, error) {
	if err := c.guard.checkURL(req.URL); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(req.Context(), c.timeout)
	defer cancel()
	resp, err := c.http.Do(req.WithContext(ctx))
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	defer resp.Body.Close()
	a := &Answer{Status: resp.StatusCode, Header: resp.Header}
	if a.Body, err = io.ReadAll(io.LimitReader(resp.Body, c.maxBody)); err != nil {
		a.Truncated = true
		return a, c.explain(ctx, err)
	}
	a.Truncated = int64(len(a.Body)) == c.maxBody && resp.ContentLength != c.maxBody
	return a, nil
}

// explain leaves the URL out of an error: its query may hold a key.
func (c *Client) explain(ctx context.Context, err error) error {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused
	}
	if cause := ctx.Err(); cause != nil {
		return fmt.Errorf("request: %w", cause)
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Errorf("request: %w", err)
}
