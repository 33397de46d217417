package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
)

// app is what the commands of one run share.
type app struct {
	io     *terminal.IO
	getenv func(string) string
	flags  globalFlags
	dryRun bool

	settings *settings.Settings // see load
}

// globalFlags are the flags of every command.
type globalFlags struct {
	settings.Flags
	json     string
	jq       string
	template string
	debug    bool
	yes      bool
}

func newApp(io *terminal.IO, getenv func(string) string) *app {
	return &app{io: io, getenv: getenv}
}

// load reads the configuration when the first one asks for it: commands that
// need none start without touching a file.
func (a *app) load() (*settings.Settings, error) {
	if a.settings != nil {
		return a.settings, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working folder: %w", err)
	}
	a.settings, err = settings.Resolve(a.getenv, dir, a.flags.Flags)
	return a.settings, err
}

// flagPrinter writes data as the flags alone ask for it.
func (a *app) flagPrinter() output.Printer {
	p := output.Printer{IO: a.io, Format: a.flags.Output, JQ: a.flags.jq, Template: a.flags.template}
	if a.flags.json != "" {
		p.Format = "json"
		if a.flags.json != allFields {
			p.Fields = strings.Split(a.flags.json, ",")
		}
	}
	return p
}

// printer writes data as the flags and the settings ask for it.
func (a *app) printer() (output.Printer, error) {
	p := a.flagPrinter()
	if p.Format == "" {
		s, err := a.load()
		if err != nil {
			return p, err
		}
		p.Format = s.Output
	}
	return p, p.Check()
}

// printText writes text of a server as data, made safe where a person sees it.
func (a *app) printText(s string) error {
	if a.io.OutTTY {
		s = terminal.Clean(s)
	}
	_, err := io.WriteString(a.io.Out, s)
	return err
}

// confirm has a word typed before something is destroyed.
func (a *app) confirm(what, typed string) error {
	if a.flags.yes {
		return nil
	}
	if !a.io.CanPrompt() {
		return usage("%s needs --yes where there is no terminal to ask on", what)
	}
	answer, err := a.io.Ask(fmt.Sprintf("%s: type %s to go on:", what, a.io.ErrStyle().Bold(terminal.Line(typed))))
	if err != nil {
		return err
	}
	if answer != typed {
		return &failure{Exit: exitCancelled, Message: "cancelled; nothing was changed"}
	}
	return nil
}

// options are what every connection has in common.
func (a *app) options(s *settings.Settings) []sdk.Option {
	transport := http.DefaultTransport
	if a.flags.debug || a.getenv("SVC_DEBUG") == "api" {
		transport = &tracer{next: transport, io: a.io}
	}
	options := []sdk.Option{sdk.WithUserAgent("svcctl/" + version()), sdk.WithRetries(2)}
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

// secrets opens the store of credentials.
func (a *app) secrets(s *settings.Settings) settings.Secrets {
	return settings.NewSecrets(s.Dir, a.getenv)
}

// key is the API key for the address in use, empty when there is none.
func (a *app) key(s *settings.Settings) (string, error) {
	if s.EnvKey != "" || s.Context == nil {
		return s.EnvKey, nil
	}
	return a.secrets(s).Get(s.Name, s.Context, settings.SecretKey)
}

// client is the way to the team's REST API.
func (a *app) client() (*sdk.Client, error) {
	s, err := a.load()
	if err != nil {
		return nil, err
	}
	key, err := a.key(s)
	if err != nil {
		return nil, err
	}
	if key == "" {
		return nil, noCredential(s, "API key")
	}
	return sdk.New(s.URL, append(a.options(s), sdk.WithAPIKey(key))...), nil
}

// dashboard is the way to what needs a signed-in member.
func (a *app) dashboard() (*sdk.Dashboard, error) {
	s, err := a.load()
	if err != nil {
		return nil, err
	}
	token := ""
	if s.Context != nil {
		if token, err = a.secrets(s).Get(s.Name, s.Context, settings.SecretSession); err != nil {
			return nil, err
		}
	}
	if token == "" {
		return nil, noCredential(s, "session")
	}
	return sdk.NewDashboard(s.URL, token, a.options(s)...), nil
}

func noCredential(s *settings.Settings, kind string) error {
	f := &failure{
		Exit: exitAuth, Code: "not_signed_in", Topic: "auth",
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

// mask shows which credential it is without showing it.
func mask(credential string) string {
	if len(credential) < 16 {
		return "****"
	}
	prefix, _, _ := strings.Cut(credential, "_")
	return prefix + "_****" + credential[len(credential)-4:]
}
