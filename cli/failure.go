package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
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
	Topic     string           `json:"-"`
	Docs      string           `json:"docs"` // the command that tells more, see report
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
	case errors.Is(err, sdk.ErrAddress):
		f.Exit, f.Code, f.Topic, f.Hint = exitUsage, "usage", "config", "svcctl config show tells where it comes from"
	case errors.Is(err, sdk.ErrInsecure):
		f.Exit, f.Code, f.Topic = exitUsage, "insecure_url", "auth"
		f.Hint = "use https://, or --insecure on a network that you trust"
	}
	if e, ok := errors.AsType[*url.Error](err); ok && f.Exit == exitOther {
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

// about adds what follows from the command that failed: where the things are
// listed that it did not find.
func (f *failure) about(cmd *cobra.Command) {
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
	api.CodeMissingKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeInvalidKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeRevokedKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeExpiredKey:         {exitAuth, "svcctl login", "auth"},
	api.CodeSessionRequired:    {exitAuth, "svcctl login --email you@example.com", "auth"},
	api.CodeInvalidCredentials: {exitAuth, "check e-mail address and password, or ask for a new sign-in link", "auth"},
	api.CodeNotFound:           {exitNotFound, "", ""}, // see about
	api.CodeRouteNotFound:      {exitNotFound, "the daemon may be older than svcctl: svcctl doctor", "config"},
	api.CodeSlugTaken:          {exitConflict, "pass another --slug", "slugs"},
	api.CodeVersionConflict:    {exitConflict, "get it again, and repeat with the version that it has now", "sync"},
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
		if len(f.Fields) > 1 || !strings.Contains(f.Message, strings.TrimSuffix(field.Message, ".")) {
			a.io.Say("  %s", terminal.Line(fieldLine(field)))
		}
	}
	if f.Hint != "" {
		a.io.Say("%s %s", style.Cyan("hint:"), terminal.Line(f.Hint))
	}
	docs := f.docs()
	if f.RequestID != "" {
		docs += " · request " + terminal.Line(f.RequestID)
	}
	a.io.Say("%s %s", style.Dim("docs:"), docs)
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
func (f *failure) docs() string {
	switch {
	case f.Topic != "":
		return "svcctl help " + f.Topic
	case f.Exit == exitUsage:
		return "svcctl help --map"
	}
	return "svcctl help exit-codes"
}

func (a *app) reportJSON(f *failure) {
	f.Docs = f.docs()
	b, err := output.Encode(map[string]*failure{"error": f})
	if err != nil {
		b = []byte(f.Message)
	}
	a.io.Say("%s", terminal.Clean(string(b)))
}
