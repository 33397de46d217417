package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

const (
	keptCalls = 200
	keptBody  = 4 << 10
)

// call is one request that was made.
type call struct {
	method, path string
	body         string // what was sent, where it is short JSON
	live         bool   // the answer is a stream
	status       int    // 0 where no answer came
	took         time.Duration
	at           time.Time
}

// Calls remembers what was asked of the daemon and whether it answers. It
// stands between the SDK and the network.
type Calls struct {
	next    http.RoundTripper
	changed chan struct{} // says that there is something new

	mu    sync.Mutex // guards all below
	calls []call
	fault error // why the last request got no answer
}

// NewCalls remembers the requests that go through next.
func NewCalls(next http.RoundTripper) *Calls {
	return &Calls{next: next, changed: make(chan struct{}, 1)}
}

// RoundTrip implements http.RoundTripper.
func (c *Calls) RoundTrip(req *http.Request) (*http.Response, error) {
	made := call{method: req.Method, path: req.URL.RequestURI(), at: time.Now(), body: sent(req),
		live: req.Header.Get("Accept") == "text/event-stream"}
	resp, err := c.next.RoundTrip(req)
	made.took = time.Since(made.at)
	if err == nil {
		made.status = resp.StatusCode
	}
	if !errors.Is(err, context.Canceled) {
		c.note(made, err)
	}
	return resp, err
}

// sent is the body of a request, where it can be read twice. Passwords and
// keys are not kept.
func sent(req *http.Request) string {
	if req.GetBody == nil || req.ContentLength > keptBody || strings.Contains(req.URL.Path, "auth.") || strings.Contains(req.URL.Path, "setApiKey") {
		return ""
	}
	body, err := req.GetBody()
	if err != nil {
		return ""
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, keptBody))
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

func (c *Calls) note(made call, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) == keptCalls {
		c.calls = c.calls[1:]
	}
	c.calls = append(c.calls, made)
	c.fault = err
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// called says what is new: the calls, oldest first, and why the daemon does
// not answer.
type called struct {
	calls []call
	fault error
}

// watch waits for the next change.
func (c *Calls) watch(e *screen.Errands) tea.Cmd {
	return e.Do(func(ctx context.Context) tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-c.changed:
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		return called{calls: append([]call(nil), c.calls...), fault: c.fault}
	})
}

// command is the call as a line for a shell, and words the line without what
// was sent.
func (c *call) command() string {
	words, body := c.words(), c.body
	switch {
	case body == "" || body == "{}" || body == `{"json":{}}`:
		return words
	case strings.HasPrefix(words, "svcctl api trpc "):
		return words + " --input " + part.Quote(body)
	}
	return "echo " + part.Quote(body) + " | " + words + " --input -"
}

func (c *call) words() string {
	if rest, ok := strings.CutPrefix(c.path, "/svc-api/trpc/"); ok {
		name, query, _ := strings.Cut(rest, "?")
		line := "svcctl api trpc " + name
		if v, err := url.ParseQuery(query); err == nil && v.Get("input") != "" {
			line += " --input " + part.Quote(v.Get("input"))
		}
		if c.live {
			line += " --follow"
		}
		return line
	}
	line := "svcctl api "
	if c.method != http.MethodGet {
		line += "-X " + c.method + " "
	}
	return line + part.Quote(strings.TrimPrefix(c.path, "/svc-api/v1/"))
}

func (c *call) String() string {
	state := fmt.Sprint(c.status)
	if c.status == 0 {
		state = "---"
	}
	return fmt.Sprintf("%s  %s %5dms  %s", c.at.Format("15:04:05"), state, c.took.Milliseconds(), c.words())
}
