package kit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// The exit codes, as svcctl help exit-codes lists them.
const (
	ExitOK          = 0
	ExitOther       = 1
	ExitUsage       = 2
	ExitAuth        = 3
	ExitCancelled   = 4
	ExitNotFound    = 5
	ExitConflict    = 6
	ExitInvalid     = 7
	ExitRateLimited = 8
	ExitJobFailed   = 9
	ExitDifferences = 10
	ExitTimeout     = 11
	ExitInterrupted = 130
)

// Failure is an error for a person: what happened, what to do about it, where
// to read more. One without a message only carries the exit code.
type Failure struct {
	Exit      int              `json:"exitCode"`
	Code      string           `json:"code"`
	Message   string           `json:"message"`
	Hint      string           `json:"hint,omitempty"`
	Topic     string           `json:"-"`
	Docs      string           `json:"docs"` // the command that tells more, see report
	RequestID string           `json:"requestId,omitempty"`
	Fields    []api.FieldError `json:"errors,omitempty"`
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// Usage is a mistake on the command line.
func Usage(format string, args ...any) error {
	return &Failure{Exit: ExitUsage, Code: "usage", Message: fmt.Sprintf(format, args...)}
}

// Explain finds what to tell about any error.
func Explain(ctx context.Context, err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*api.Error](err); ok {
		return explainRefusal(e)
	}
	f := &Failure{Exit: ExitOther, Code: "error", Message: err.Error()}
	switch {
	case ctx.Err() != nil:
		return &Failure{Exit: ExitInterrupted, Code: "interrupted", Message: "interrupted"}
	case errors.Is(err, context.DeadlineExceeded):
		f.Exit, f.Code = ExitTimeout, "timeout"
		f.Message = "the daemon did not answer in time"
	case errors.Is(err, settings.ErrNoContext):
		f.Exit, f.Code, f.Hint, f.Topic = ExitNotFound, "not_found", "svcctl context list", "config"
	case errors.Is(err, output.ErrUsage), errors.Is(err, terminal.ErrNoTerminal):
		f.Exit, f.Code = ExitUsage, "usage"
		f.Message = strings.TrimPrefix(f.Message, "usage: ")
	case errors.Is(err, sdk.ErrAddress):
		f.Exit, f.Code, f.Topic, f.Hint = ExitUsage, "usage", "config", "svcctl config show tells where it comes from"
	case errors.Is(err, sdk.ErrInsecure):
		f.Exit, f.Code, f.Topic = ExitUsage, "insecure_url", "auth"
		f.Hint = "use https://, or --insecure on a network that you trust"
	}
	if e, ok := errors.AsType[*url.Error](err); ok && f.Exit == ExitOther {
		f.Code, f.Topic, f.Hint = "connection", "config", "is svcd running there? svcctl doctor looks closer"
		f.Message = "cannot reach " + origin(e.URL) + ": " + cause(e.Err)
	}
	return f
}

// cause leaves out the address, which the message has.
func cause(err error) string {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return strings.TrimPrefix(err.Error(), "connect: ")
}

// About adds what follows from the command that failed: where the things are
// listed that it did not find.
func (f *Failure) About(cmd *cobra.Command) {
	if f.Code != string(api.CodeNotFound) || f.Hint != "" || cmd == nil || cmd.Parent() == nil {
		return
	}
	noun := cmd.Parent()
	if list, _, err := noun.Find([]string{"list"}); err == nil && list != noun {
		f.Hint = list.CommandPath()
	}
	if noun.Name() == "post" && f.Topic == "" {
		f.Topic = "slugs"
	}
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
	api.CodeMissingKey:         {ExitAuth, "svcctl login", "auth"},
	api.CodeInvalidKey:         {ExitAuth, "svcctl login", "auth"},
	api.CodeRevokedKey:         {ExitAuth, "svcctl login", "auth"},
	api.CodeExpiredKey:         {ExitAuth, "svcctl login", "auth"},
	api.CodeSessionRequired:    {ExitAuth, "svcctl login --email you@example.com", "auth"},
	api.CodeInvalidCredentials: {ExitAuth, "check e-mail address and password, or ask for a new sign-in link", "auth"},
	api.CodeNotFound:           {ExitNotFound, "", ""}, // see about
	api.CodeRouteNotFound:      {ExitNotFound, "the daemon may be older than svcctl: svcctl doctor", "config"},
	api.CodeSlugTaken:          {ExitConflict, "pass another --slug", "slugs"},
	api.CodeVersionConflict:    {ExitConflict, "get it again, and repeat with the version that it has now", "sync"},
	sdk.CodeUnexpectedResponse: {ExitOther, "is this the address of svc? svcctl doctor", "config"},
	api.CodeUnknownModel:       {ExitInvalid, "svcctl model list", ""},
	api.CodeNoGenerationFlags:  {ExitInvalid, "pass --content, or svcctl post generate TITLE --all", ""},
	api.CodeRateLimited:        {ExitRateLimited, "", ""},
}

func explainRefusal(e *api.Error) *Failure {
	f := &Failure{Exit: exitByStatus(e.Status), Code: string(e.Code), Message: e.Detail, RequestID: e.RequestID, Fields: e.Errors}
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
		return ExitAuth
	case 404, 410:
		return ExitNotFound
	case 409, 412:
		return ExitConflict
	case 400, 413, 415, 422:
		return ExitInvalid
	case 429:
		return ExitRateLimited
	}
	return ExitOther
}

// Report writes a failure to standard error: three lines, or one object where
// the output is JSON.
func (a *App) Report(f *Failure) {
	if f.Message == "" {
		return
	}
	if a.Flags.JSON != "" || a.Flags.Output == "json" || a.Flags.Output == "jsonl" {
		a.reportJSON(f)
		return
	}
	style := a.IO.ErrStyle()
	a.IO.Say("%s %s", style.Red("error:"), terminal.Line(f.Message))
	for _, field := range f.Fields {
		if len(f.Fields) > 1 || !strings.Contains(f.Message, strings.TrimSuffix(field.Message, ".")) {
			a.IO.Say("  %s", terminal.Line(fieldLine(field)))
		}
	}
	if f.Hint != "" {
		a.IO.Say("%s %s", style.Cyan("hint:"), terminal.Line(f.Hint))
	}
	docs := f.docs()
	if f.RequestID != "" {
		docs += " · request " + terminal.Line(f.RequestID)
	}
	a.IO.Say("%s %s", style.Dim("docs:"), docs)
}

// fieldLine reads as a sentence for a member of a body, such as /slug, and with
// a colon for a file.
func fieldLine(field api.FieldError) string {
	if strings.HasPrefix(field.Pointer, "/") {
		return field.Pointer + " " + field.Message
	}
	return field.Pointer + ": " + field.Message
}

// docs is the command that tells more.
func (f *Failure) docs() string {
	switch {
	case f.Topic != "":
		return "svcctl help " + f.Topic
	case f.Exit == ExitUsage:
		return "svcctl help --map"
	}
	return "svcctl help exit-codes"
}

func (a *App) reportJSON(f *Failure) {
	f.Docs = f.docs()
	b, err := output.Encode(map[string]*Failure{"error": f})
	if err != nil {
		b = []byte(f.Message)
	}
	a.IO.Say("%s", terminal.Clean(string(b)))
}
