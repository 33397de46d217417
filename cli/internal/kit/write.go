package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/sdk"
)

// WriteFlags are what every command takes that changes something.
type WriteFlags struct {
	DryRun bool
	Key    string
	// Versioned adds --if-match.
	Versioned bool
	ifMatch   string
}

// Add gives the command the flags.
func (w *WriteFlags) Add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&w.DryRun, "dry-run", false, "show what would be sent, and send nothing")
	cmd.Flags().StringVar(&w.Key, "idempotency-key", "", "a key of your own: the same write with it has its effect once")
	if w.Versioned {
		cmd.Flags().StringVar(&w.ifMatch, "if-match", "", "only when it has this version, such as 7")
	}
}

// Version is what --if-match asks for, 0 for any.
func (w *WriteFlags) Version() (int, error) { return ParseVersion(w.ifMatch) }

// Options are what the flags ask of a call.
func (w *WriteFlags) Options() []sdk.CallOption {
	if w.Key == "" {
		return nil
	}
	return []sdk.CallOption{sdk.IdempotencyKey(w.Key)}
}

// Rehearse makes a dry run of what follows, where the flags ask for one: the
// first request that would change something is printed and ends the command.
func (a *App) Rehearse(w WriteFlags) { a.dryRun = w.DryRun }

// Writer is Client for commands with WriteFlags.
func (a *App) Writer(w WriteFlags) (*sdk.Client, error) {
	a.Rehearse(w)
	return a.Client()
}

// MemberWriter is Dashboard for commands with WriteFlags.
func (a *App) MemberWriter(w WriteFlags) (*sdk.Client, error) {
	a.Rehearse(w)
	return a.Dashboard()
}

// errDryRun ends a command where its first write would have been.
var errDryRun = &Failure{Exit: ExitOK}

// reading marks the context of a call that changes nothing.
type reading struct{}

// Reading marks a call that changes nothing, so that a dry run makes it: a
// dashboard's reads are POSTs as its writes are.
func Reading(ctx context.Context) context.Context { return context.WithValue(ctx, reading{}, true) }

// rehearsal lets reads pass and prints the first write instead of sending it.
type rehearsal struct {
	next http.RoundTripper
	app  *App
}

// RoundTrip implements http.RoundTripper.
func (r rehearsal) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet || req.Context().Value(reading{}) != nil {
		return r.next.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if err := r.print(req, body); err != nil {
		return nil, err
	}
	return nil, errDryRun
}

func (r rehearsal) print(req *http.Request, body []byte) error {
	p, err := r.app.Printer()
	if err != nil {
		return err
	}
	body = plainBody(body)
	request := map[string]any{"method": req.Method, "path": req.URL.RequestURI()}
	if match := req.Header.Get("If-Match"); match != "" {
		request["ifMatch"] = match
	}
	switch {
	case json.Valid(body):
		request["body"] = json.RawMessage(body)
	case len(body) > 0:
		request["bytes"] = len(body)
	}
	if p.Structured() {
		return p.Value(request)
	}
	r.app.IO.Say("dry run: nothing was sent; this would be")
	return r.app.PrintText(req.Method + " " + req.URL.RequestURI() + "\n" + string(pretty(body)))
}

// plainBody is the input of a procedure without the envelope that it travels in.
func plainBody(body []byte) []byte {
	var envelope struct {
		JSON json.RawMessage `json:"json"`
		Meta json.RawMessage `json:"meta"`
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if dec.Decode(&envelope) != nil || envelope.JSON == nil {
		return body
	}
	return envelope.JSON
}

func pretty(body []byte) []byte {
	var b bytes.Buffer
	if len(body) == 0 || json.Indent(&b, body, "", "  ") != nil {
		return nil
	}
	return append(b.Bytes(), '\n')
}

// IsDryRun reports that a command ended where its first write would have been.
func IsDryRun(err error) bool { return errors.Is(err, errDryRun) }

// ParseVersion reads what --if-match takes: a version, bare or as an ETag.
func ParseVersion(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.Trim(strings.TrimPrefix(s, "W/"), `"`))
	if err != nil || n < 1 {
		return 0, Usage("--if-match takes a version such as 7, not %q", s)
	}
	return n, nil
}
