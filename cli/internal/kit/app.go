// Package kit is what svcctl's nouns share: the App with its settings, output,
// confirmation, waiting and progress. It knows no noun.
package kit

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
)

// App is what the commands of one run share.
type App struct {
	IO      *terminal.IO
	Getenv  func(string) string
	Version string // of svcctl
	Flags   globalFlags
	dryRun  bool
	// SessionToo: Client goes by the member's session where there is no API key.
	SessionToo bool
	// Transport carries requests; nil is the system's own way.
	Transport http.RoundTripper

	// Paused hears how long a request waits before it is sent again, and the status
	// that it waits for; nil is nobody.
	Paused func(wait time.Duration, status int)

	Settings *settings.Settings // nil before Load
}

// globalFlags are the flags of every command.
type globalFlags struct {
	settings.Flags
	JSON     string
	JQ       string
	Template string
	Debug    bool
	Yes      bool
}

// New is the app of one run; version is that of svcctl.
func New(io *terminal.IO, getenv func(string) string, version string) *App {
	return &App{IO: io, Getenv: getenv, Version: version}
}

// Load reads the configuration when the first one asks for it: commands that
// need none start without touching a file.
func (a *App) Load() (*settings.Settings, error) {
	if a.Settings != nil {
		return a.Settings, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	a.Settings, err = settings.Resolve(a.Getenv, dir, a.Flags.Flags)
	return a.Settings, err
}

// FlagPrinter writes data as the flags alone ask for it.
func (a *App) FlagPrinter() output.Printer {
	p := output.Printer{IO: a.IO, Format: a.Flags.Output, JQ: a.Flags.JQ, Template: a.Flags.Template}
	if a.Flags.JSON != "" {
		p.Format = "json"
		if a.Flags.JSON != AllFields {
			p.Fields = strings.Split(a.Flags.JSON, ",")
		}
	}
	return p
}

// Printer writes data as the flags and the settings ask for it.
func (a *App) Printer() (output.Printer, error) {
	p := a.FlagPrinter()
	if p.Format == "" {
		s, err := a.Load()
		if err != nil {
			return p, err
		}
		p.Format = s.Output
	}
	return p, p.Check()
}

// PrintText writes text of a server as data, made safe where a person sees it.
func (a *App) PrintText(s string) error {
	if a.IO.OutTTY {
		s = terminal.Clean(s)
	}
	return a.IO.Paged(func() error {
		_, err := io.WriteString(a.IO.Out, s)
		return err
	})
}

// Confirm has a word typed before something is destroyed.
func (a *App) Confirm(what, typed string) error {
	if a.Flags.Yes {
		return nil
	}
	if !a.IO.CanPrompt() {
		return Usage("%s needs --yes where there is no terminal to ask on", what)
	}
	answer, err := a.IO.Ask(fmt.Sprintf("%s: type %s to go on:", what, a.IO.ErrStyle().Bold(terminal.Line(typed))))
	if err != nil {
		return err
	}
	if answer != typed {
		return &Failure{Exit: ExitCancelled, Message: "cancelled; nothing was changed"}
	}
	return nil
}

// Options are what every connection has in common.
func (a *App) Options(s *settings.Settings) []sdk.Option {
	transport := a.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	if a.Flags.Debug || a.Getenv("SVC_DEBUG") == "api" {
		transport = &Tracer{next: transport, IO: a.IO}
	}
	options := []sdk.Option{sdk.WithUserAgent("svcctl/" + a.Version), sdk.WithRetries(2)}
	if a.Paused != nil {
		options = append(options, sdk.WithPause(a.Paused))
	}
	if a.dryRun {
		transport = rehearsal{next: transport, app: a}
		options = append(options, sdk.WithRetries(0))
	}
	options = append(options, sdk.WithHTTPClient(&http.Client{Transport: transport}))
	if s.Insecure {
		options = append(options, sdk.WithInsecure())
	}
	return options
}

// Quiet is the app where nothing can be said or asked. It goes by session where
// there is no key.
func (a *App) Quiet() *App {
	quiet, streams := *a, *a.IO
	streams.NoInput, streams.Err = true, io.Discard
	quiet.IO, quiet.SessionToo = &streams, true
	return &quiet
}

// At is the app on another terminal; said is the last line that it told there.
func (a *App) At(in io.Reader, out, errors io.Writer) (on *App, said func() string) {
	var told bytes.Buffer
	on = a.Quiet()
	on.IO.In, on.IO.Out = in, out
	on.IO.Err = io.MultiWriter(errors, &told)
	return on, func() string {
		lines := strings.Split(strings.TrimSpace(told.String()), "\n")
		return terminal.Line(lines[len(lines)-1])
	}
}

// Secrets opens the store of credentials.
func (a *App) Secrets(s *settings.Settings) settings.Secrets {
	return settings.NewSecrets(s.Dir, a.Getenv)
}

// Key is the API key for the address in use, empty when there is none.
func (a *App) Key(s *settings.Settings) (string, error) {
	if s.EnvKey != "" || s.Context == nil {
		return s.EnvKey, nil
	}
	return a.Secrets(s).Get(s.Name, s.Context, settings.SecretKey)
}

// Client is the way to the team's REST API.
func (a *App) Client() (*sdk.Client, error) {
	s, err := a.Load()
	if err != nil {
		return nil, err
	}
	key, err := a.Key(s)
	if err != nil {
		return nil, err
	}
	if key == "" && a.SessionToo {
		token, err := a.Session(s)
		if err != nil {
			return nil, err
		}
		if token != "" {
			return sdk.New(s.URL, append(a.Options(s), sdk.WithSession(token))...), nil
		}
	}
	if key == "" {
		return nil, NoCredential(s, "API key")
	}
	return sdk.New(s.URL, append(a.Options(s), sdk.WithAPIKey(key))...), nil
}

// Session is the token of the member who is signed in at the address in use,
// empty when nobody is.
func (a *App) Session(s *settings.Settings) (string, error) {
	if s.Context == nil {
		return "", nil
	}
	return a.Secrets(s).Get(s.Name, s.Context, settings.SecretSession)
}

// Dashboard is the way to what needs a signed-in member.
func (a *App) Dashboard() (*sdk.Client, error) {
	s, err := a.Load()
	if err != nil {
		return nil, err
	}
	token, err := a.Session(s)
	if err != nil {
		return nil, err
	}
	if token == "" {
		return nil, NoCredential(s, "session")
	}
	return sdk.New(s.URL, append(a.Options(s), sdk.WithSession(token))...), nil
}

// NoCredential says how to get the credential that is missing: an API key or a
// session.
func NoCredential(s *settings.Settings, kind string) error {
	f := &Failure{
		Exit: ExitAuth, Code: "not_signed_in", Topic: "auth",
		Message: fmt.Sprintf("there is no %s for %s", kind, s.URL),
		Hint:    "svcctl login " + s.URL,
	}
	if kind == "session" {
		f.Hint += " --email you@example.com"
	}
	if s.Withheld {
		f.Message = fmt.Sprintf("SVC_API_KEY is not sent to %s, which only %s names", s.URL, s.Project.Path)
		f.Hint = "SVC_URL=" + s.URL + " says that you mean it; or svcctl login " + s.URL
	}
	return f
}

// Mask shows which credential it is without showing it.
func Mask(credential string) string {
	if len(credential) < 16 {
		return "****"
	}
	prefix, _, _ := strings.Cut(credential, "_")
	return prefix + "_****" + credential[len(credential)-4:]
}

// AllFields is --json without names.
const AllFields = "*"
