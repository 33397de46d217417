package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// The exit codes, as svcctl help exit-codes lists them.
const (
	exitOK          = 0
	exitOther       = 1
	exitUsage       = 2
	exitAuth        = 3
	exitCancelled   = 4
	exitNotFound    = 5
	exitConflict    = 6
	exitInvalid     = 7
	exitRateLimited = 8
	exitJobFailed   = 9
	exitDifferences = 10
	exitTimeout     = 11
	exitInterrupted = 130
)

// failure is an error for a person: what happened, what to do about it, where
// to read more. One without a message only carries the exit code.
type failure struct {
	Exit      int              `json:"exitCode"`
	Code      string           `json:"code"`
	Message   string           `json:"message"`
	Hint      string           `json:"hint,omitempty"`
	Topic     string           `json:"docs,omitempty"`
	RequestID string           `json:"requestId,omitempty"`
	Fields    []api.FieldError `json:"errors,omitempty"`
}

func (f *failure) Error() string { return f.Message }

// usage is a mistake on the command line.
func usage(format string, args ...any) error {
	return &failure{Exit: exitUsage, Code: "usage", Message: fmt.Sprintf(format, args...)}
}

// explain finds what to tell about any error.
func explain(ctx context.Context, err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*api.Error](err); ok {
		return explainRefusal(e)
	}
	f := &failure{Exit: exitOther, Code: "error", Message: err.Error()}
	switch {
	case ctx.Err() != nil:
		return &failure{Exit: exitInterrupted, Code: "interrupted", Message: "interrupted"}
	case errors.Is(err, context.DeadlineExceeded):
		f.Exit, f.Code = exitTimeout, "timeout"
		f.Message = "the daemon did not answer in time"
	case errors.Is(err, settings.ErrNoContext):
		f.Exit, f.Code, f.Hint, f.Topic = exitNotFound, "not_found", "svcctl context list", "config"
	case errors.Is(err, output.ErrUsage), errors.Is(err, terminal.ErrNoTerminal):
		f.Exit, f.Code = exitUsage, "usage"
		f.Message = strings.TrimPrefix(f.Message, "usage: ")
	case errors.Is(err, sdk.ErrInsecure):
		f.Exit, f.Code, f.Topic = exitUsage, "insecure_url", "auth"
		f.Hint = "use https://, or --insecure on a network that you trust"
	}
	if e, ok := errors.AsType[*url.Error](err); ok && f.Exit == exitOther {
		f.Code, f.Topic, f.Hint = "connection", "config", "svcctl doctor"
		f.Message = "cannot reach " + origin(e.URL) + ": " + e.Err.Error()
	}
	return f
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the daemon"
	}
	return u.Scheme + "://" + u.Host
}

// advice is the exit code, hint and help topic that belong to a code of the API.
var advice = map[api.Code]struct {
	exit        int
	hint, topic string
}{
	api.CodeMissingKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeInvalidKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeRevokedKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeExpiredKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeSessionRequired:    {exitAuth, "svcctl login --email you@example.com", "auth"},
	api.CodeInvalidCredentials: {exitAuth, "check e-mail address and password, or ask for a new sign-in link", "auth"},
	api.CodeNotFound:           {exitNotFound, "svcctl post list, or svcctl job list", "slugs"},
	api.CodeRouteNotFound:      {exitNotFound, "the daemon may be older than svcctl: svcctl doctor", "config"},
	api.CodeSlugTaken:          {exitConflict, "pass another --slug", "slugs"},
	api.CodeVersionConflict:    {exitConflict, "it was changed meanwhile: get it again, then repeat", "sync"},
	sdk.CodeUnexpectedResponse: {exitOther, "is this the address of svc? svcctl doctor", "config"},
	api.CodeUnknownModel:       {exitInvalid, "svcctl model list", ""},
	api.CodeNoGenerationFlags:  {exitInvalid, "pass --content, or svcctl post generate TITLE --all", ""},
	api.CodeRateLimited:        {exitRateLimited, "", ""},
}

func explainRefusal(e *api.Error) *failure {
	f := &failure{Exit: exitByStatus(e.Status), Code: string(e.Code), Message: e.Detail, RequestID: e.RequestID, Fields: e.Errors}
	if f.Message == "" {
		f.Message = e.Title
	}
	if a, ok := advice[e.Code]; ok {
		f.Exit, f.Hint, f.Topic = a.exit, a.hint, a.topic
	}
	switch {
	case e.Code == api.CodeInsufficientScope && e.RequiredScope != "":
		f.Hint = "svcctl key create --name NAME --scope " + e.RequiredScope + ", then svcctl login --with-key"
		f.Topic = "auth"
	case e.Code == api.CodeSlugTaken && e.SuggestedSlug != "":
		f.Hint = "pass --slug " + e.SuggestedSlug
		if e.ExistingID != "" {
			f.Hint = "svcctl post get " + e.ExistingID + ", or " + f.Hint
		}
	case e.Code == api.CodeUnknownModel && len(e.Allowed) > 0:
		f.Hint = "one of " + strings.Join(e.Allowed, ", ")
	case e.RetryAfter > 0:
		f.Hint = fmt.Sprintf("try again in %d s", e.RetryAfter)
	}
	return f
}

func exitByStatus(status int) int {
	switch status {
	case 401, 403:
		return exitAuth
	case 404, 410:
		return exitNotFound
	case 409, 412:
		return exitConflict
	case 400, 413, 415, 422:
		return exitInvalid
	case 429:
		return exitRateLimited
	}
	return exitOther
}

// report writes a failure to standard error: three lines, or one object where
// the output is JSON.
func (a *app) report(f *failure) {
	if f.Message == "" {
		return
	}
	if a.flags.json != "" || a.flags.Output == "json" || a.flags.Output == "jsonl" {
		a.reportJSON(f)
		return
	}
	style := a.io.ErrStyle()
	a.io.Say("%s %s", style.Red("error:"), terminal.Line(f.Message))
	for _, field := range f.Fields {
		a.io.Say("  %s %s", terminal.Line(field.Pointer), terminal.Line(field.Message))
	}
	if f.Hint != "" {
		a.io.Say("%s %s", style.Cyan("hint:"), terminal.Line(f.Hint))
	}
	if docs := f.docs(); docs != "" {
		a.io.Say("%s %s", style.Dim("docs:"), docs)
	}
}

func (f *failure) docs() string {
	var parts []string
	if f.Exit == exitUsage && f.Topic == "" {
		parts = append(parts, "svcctl help --map")
	} else if f.Topic != "" {
		parts = append(parts, "svcctl help "+f.Topic)
	}
	if f.RequestID != "" {
		parts = append(parts, "request "+terminal.Line(f.RequestID))
	}
	return strings.Join(parts, " · ")
}

func (a *app) reportJSON(f *failure) {
	b, err := output.Encode(map[string]*failure{"error": f})
	if err != nil {
		b = []byte(f.Message)
	}
	a.io.Say("%s", terminal.Clean(string(b)))
}
