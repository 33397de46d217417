// Package login is svcctl login, logout, whoami and status.
package login

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

type login struct {
	app           *kit.App
	withKey       bool
	email         string
	passwordStdin bool
	insecureStore bool
	scopes        []string
}

// New is the command login.
func New(a *kit.App) *cobra.Command {
	o := &login{app: a}
	cmd := &cobra.Command{
		Use:   "login [URL|LINK]",
		Short: "Sign in to a daemon: by sign-in link, password or API key",
		Long: "Signs in and remembers the daemon as a context.\n\n" +
			"A sign-in link (svcd prints one at its first start) or --email gives a session, and an API key is made\n" +
			"with it; --with-key takes a key that you have, from standard input. Without a URL, the daemon of this\n" +
			"machine is meant. Credentials go to the system's keyring, or to a file that only you can read.",
		Example: "  svcctl login 'http://127.0.0.1:8080/sign-in?token=…'\n" +
			"  svcctl login https://svc.example --email ada@example.com\n" +
			"  svcctl login https://svc.example --with-key < key.txt",
		Args: kit.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.withKey, "with-key", false, "read an API key from standard input")
	f.StringVar(&o.email, "email", "", "sign in with this e-mail address and a password")
	f.BoolVar(&o.passwordStdin, "password-stdin", false, "read the password from standard input")
	f.BoolVar(&o.insecureStore, "insecure-storage", false, "keep credentials in a file even where there is a keyring")
	f.StringSliceVar(&o.scopes, "scope", fullScopes, "scopes of the API key that is made")
	return cmd
}

// signedIn is what a way of signing in brings.
type signedIn struct {
	url, team, who string
	key, keyID     string
	session        string
}

func (o *login) run(ctx context.Context, args []string) error {
	o.app.Flags.NewContext = true
	s, err := o.app.Load()
	if err != nil {
		return err
	}
	target := s.URL
	if len(args) == 1 {
		target = strings.TrimRight(args[0], "/")
	}
	if target != s.URL {
		s.Insecure = o.app.Flags.Insecure // another context's consent is not this one's
	}
	in, err := o.signIn(ctx, s, target)
	if err != nil {
		return err
	}
	name, err := o.remember(s, in)
	if err != nil {
		return err
	}
	o.app.IO.Say("signed in to %s as %s (team %s), context %s", in.url, terminal.Line(in.who), terminal.Line(in.team), name)
	if s.File.Contexts[name].Storage == settings.StorageFile {
		o.app.IO.Say("credentials are in %s, readable by you only", o.app.Secrets(s).Path())
	}
	return nil
}

func (o *login) signIn(ctx context.Context, s *settings.Settings, target string) (*signedIn, error) {
	switch {
	case o.withKey:
		return o.byKey(ctx, s, target)
	case o.email != "":
		return o.byPassword(ctx, s, target)
	case strings.Contains(target, "token="):
		return o.byLink(ctx, s, target)
	}
	if !o.app.IO.CanPrompt() {
		return nil, &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Topic: "auth",
			Message: "svcctl login needs a sign-in link, --email or --with-key where there is no terminal to ask on",
			Hint:    "svcctl login " + target + " --with-key < key.txt"}
	}
	answer, err := o.app.IO.Ask("E-mail address, or sign-in link:")
	if err != nil {
		return nil, err
	}
	if strings.Contains(answer, "token=") {
		return o.byLink(ctx, s, answer)
	}
	o.email = answer
	return o.byPassword(ctx, s, target)
}

func (o *login) byKey(ctx context.Context, s *settings.Settings, target string) (*signedIn, error) {
	key, err := o.app.SecretInput("API key:", true)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(key, "svc_") {
		return nil, kit.Usage("an API key begins with svc_")
	}
	me, err := sdk.New(target, append(o.app.Options(s), sdk.WithAPIKey(key))...).Me(ctx)
	if err != nil {
		return nil, err
	}
	return &signedIn{url: target, team: me.Team.Name, who: "key " + me.KeyName, key: key}, nil
}

func (o *login) byPassword(ctx context.Context, s *settings.Settings, target string) (*signedIn, error) {
	for try := 1; ; try++ {
		password, err := o.app.SecretInput("Password for "+o.email+":", o.passwordStdin)
		if err != nil {
			return nil, err
		}
		d, err := sdk.Login(ctx, target, o.email, password, o.app.Options(s)...)
		if err == nil {
			return o.bySession(ctx, s, d, target)
		}
		f := kit.Explain(ctx, err)
		if f.Code != string(api.CodeInvalidCredentials) || try == maxTries || !o.app.IO.CanPrompt() {
			return nil, err
		}
		o.app.IO.Say("%s", terminal.Line(f.Message))
	}
}

// maxTries is how often a person may mistype a password before the command ends.
const maxTries = 3

func (o *login) byLink(ctx context.Context, s *settings.Settings, link string) (*signedIn, error) {
	target, _, err := sdk.ParseLink(link)
	if err != nil {
		return nil, kit.Usage("%v", err)
	}
	password, err := o.newPassword()
	if err != nil {
		return nil, err
	}
	d, err := sdk.LoginLink(ctx, link, password, o.app.Options(s)...)
	if err != nil {
		return nil, usedLink(ctx, err, target)
	}
	return o.bySession(ctx, s, d, target)
}

// usedLink says of a link that signs nobody in what does.
func usedLink(ctx context.Context, err error, target string) error {
	f := *kit.Explain(ctx, err)
	if f.Code == string(api.CodeInvalidCredentials) {
		f.Message = "the sign-in link was used, replaced by another, or has expired"
		f.Hint = "svcctl login " + target + " --email you@example.com, or svcd link --email you@example.com makes another"
	}
	return &f
}

// newPassword has a password chosen: at a terminal twice, until both are the
// same and long enough. Empty keeps the one that there is.
func (o *login) newPassword() (string, error) {
	if !o.app.IO.CanPrompt() {
		if !o.passwordStdin {
			return "", nil
		}
		return o.app.SecretInput("New password:", true)
	}
	o.app.IO.Say("A password has %d characters or more and is not the e-mail address.", api.MinPassword)
	for {
		password, err := o.app.IO.AskSecret("Choose a password (empty keeps the one you have):")
		if err != nil || password == "" {
			return "", err
		}
		if n := utf8.RuneCountInString(password); n < api.MinPassword {
			o.app.IO.Say("That has %s; %d are needed.", kit.Count(n, "character"), api.MinPassword)
			continue
		}
		again, err := o.app.IO.AskSecret("The same again:")
		if err != nil || again == password {
			return password, err
		}
		o.app.IO.Say("The two differ.")
	}
}

// bySession makes an API key for the REST commands, unless the one of an earlier
// login still works. A member who may not make one is signed in without.
func (o *login) bySession(ctx context.Context, s *settings.Settings, d *sdk.Client, target string) (*signedIn, error) {
	session, err := d.Auth.Session(ctx)
	if err != nil {
		return nil, err
	}
	in := &signedIn{url: target, team: session.Team.Name, who: session.User.Email, session: d.Token()}
	if o.hasKey(ctx, s, target, session.Team.ID) {
		return in, nil
	}
	key, err := d.Keys.Create(ctx, api.KeyCreate{Name: "svcctl on " + hostname(), Scopes: o.scopes})
	if err != nil {
		f := kit.Explain(ctx, err)
		if f.Exit != kit.ExitAuth {
			return nil, err
		}
		o.app.IO.Say("no API key was made: %s", terminal.Line(f.Message))
		return in, nil
	}
	in.key, in.keyID = string(key.Secret), key.ID
	return in, nil
}

// hasKey reports that the context has a key of the team that may do all that is
// asked for: signing in again does not make another one.
func (o *login) hasKey(ctx context.Context, s *settings.Settings, target, team string) bool {
	name := o.contextName(s, target)
	c := s.File.Contexts[name]
	if c == nil || c.URL != target || c.KeyID == "" || !slices.Equal(o.scopes, fullScopes) {
		return false
	}
	key, err := o.app.Secrets(s).Get(name, c, settings.SecretKey)
	if err != nil || key == "" {
		return false
	}
	me, err := sdk.New(target, append(o.app.Options(s), sdk.WithAPIKey(key))...).Me(ctx)
	return err == nil && me.Team.ID == team && slices.Equal(me.Scopes, []string{"*"})
}

// fullScopes are those of the key that login makes unless told otherwise.
var fullScopes = []string{"full"}

// Credentials are a sign-in link, or an address with e-mail and password.
type Credentials struct{ URL, Link, Email, Password string }

// With signs in without a question and remembers the context; it returns
// the team's name.
func With(ctx context.Context, a *kit.App, in Credentials) (string, error) {
	l := &login{app: a, scopes: fullScopes}
	s, err := a.Load()
	if err != nil {
		return "", err
	}
	target := strings.TrimRight(in.URL, "/")
	var d *sdk.Client
	if in.Link != "" {
		if target, _, err = sdk.ParseLink(in.Link); err != nil {
			return "", err
		}
		d, err = sdk.LoginLink(ctx, in.Link, in.Password, a.Options(s)...)
	} else {
		d, err = sdk.Login(ctx, target, in.Email, in.Password, a.Options(s)...)
	}
	if err != nil {
		return "", err
	}
	signed, err := l.bySession(ctx, s, d, target)
	if err != nil {
		return "", err
	}
	if _, err := l.remember(s, signed); err != nil {
		return "", err
	}
	return signed.team, nil
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "a computer"
	}
	return name
}

// remember stores the context; what signing in did not bring is kept from
// before.
func (o *login) remember(s *settings.Settings, in *signedIn) (string, error) {
	name := o.contextName(s, in.url)
	if err := settings.CheckName(name); err != nil {
		return "", kit.Usage("%v", err)
	}
	c := s.File.Contexts[name]
	if c == nil || c.URL != in.url {
		c = &settings.Context{}
	}
	c.URL, c.Team, c.Insecure = in.url, in.team, s.Insecure
	if in.keyID != "" {
		c.KeyID = in.keyID
	}
	if o.insecureStore {
		c.Storage = settings.StorageFile
	}
	secrets := o.app.Secrets(s)
	for kind, secret := range map[string]string{settings.SecretKey: in.key, settings.SecretSession: in.session} {
		if secret == "" {
			continue
		}
		if err := secrets.Set(name, c, kind, secret); err != nil {
			return "", err
		}
	}
	s.File.Set(name, c)
	return name, s.File.Write(s.Dir)
}

// contextName is the one asked for, the one that knows the address, or the
// address's host and port. A context of another address keeps its name.
func (o *login) contextName(s *settings.Settings, address string) string {
	if o.app.Flags.Context != "" {
		return o.app.Flags.Context
	}
	for name, c := range s.File.Contexts {
		if c.URL == address {
			return name
		}
	}
	name := placeName(address)
	for n, free := 2, name; ; n++ {
		if s.File.Contexts[free] == nil {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// placeName is the host of an address and, unless it is the scheme's own, its
// port, as a context's name may have them: localhost-8080.
func placeName(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "localhost"
	}
	name := u.Hostname()
	if ip, err := netip.ParseAddr(name); err == nil && ip.IsLoopback() {
		name = "localhost"
	}
	if u.Port() != "" {
		name += "-" + u.Port()
	}
	return strings.Map(func(r rune) rune {
		if settings.CheckName(string(r)) != nil {
			return '-'
		}
		return r
	}, name)
}
