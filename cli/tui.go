package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/settings"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/tui"
	"edgesvc.dev/svc/sdk"
	"github.com/spf13/cobra"
)

type screens struct {
	app      *app
	readOnly bool
}

func newTUI(a *app) *cobra.Command {
	o := &screens{app: a}
	cmd := &cobra.Command{
		Use: "tui [SCREEN]", Short: "Work in the terminal: posts, jobs, inbox and agents, live", Aliases: []string{"ui"},
		Long: "Shows posts, jobs, the inbox and the agents, each on a screen of its own: " + strings.Join(tui.Names(), ", ") + ".\n" +
			"? shows what the keys do, : finds anything by name, q quits.",
		ValidArgs: tui.Names(),
		Args:      atMostOne,
		RunE:      func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&o.readOnly, "read-only", false, "allow no changes")
	return cmd
}

func (o *screens) run(ctx context.Context, args []string) error {
	screen := ""
	if len(args) == 1 {
		screen = args[0]
		if !slices.Contains(tui.Names(), screen) {
			return usage("there is no screen %s; there are %s", screen, strings.Join(tui.Names(), ", "))
		}
	}
	if !o.app.io.InTTY || !o.app.io.OutTTY {
		return usage("svcctl tui needs a terminal")
	}
	for {
		c, err := o.config()
		if err != nil {
			return err
		}
		c.Screen = screen
		result, err := tui.Run(ctx, c, os.Stdin, os.Stdout)
		if err != nil || result.Context == "" {
			return err
		}
		o.app.settings = nil // another context, or the first one
		if result.Context != tui.FirstContext {
			o.app.flags.Context, o.app.flags.URL = result.Context, ""
		}
	}
}

// config is the screens' way to the daemon in use. Without any context the
// wizard makes the first one.
func (o *screens) config() (tui.Config, error) {
	s, err := o.app.load()
	if err != nil {
		return tui.Config{}, err
	}
	c := tui.Config{
		Calls: tui.NewCalls(http.DefaultTransport), Desk: o.desk(), ReadOnly: o.readOnly, Colours: o.app.io.OutStyle().Bold("x") != "x", Light: light(o.app.getenv("COLORFGBG")),
		Place: tui.Place{Context: s.Name, URL: s.URL, Contexts: slices.Sorted(maps.Keys(s.File.Contexts))},
	}
	key, err := o.app.key(s)
	if err != nil {
		return c, err
	}
	if key == "" {
		if len(s.File.Contexts) == 0 && !s.Withheld {
			return c, nil
		}
		return c, noCredential(s, "API key")
	}
	options := append(o.app.options(s), sdk.WithHTTPClient(&http.Client{Transport: c.Calls}))
	client := sdk.New(s.URL, append(options, sdk.WithAPIKey(key))...)
	c.Posts, c.Jobs = client.Posts, client.Jobs
	if s.Context != nil {
		c.Place.Team = s.Context.Team
		return c, o.member(s, &c, options)
	}
	return c, nil
}

// light reads what some terminals say of their colours, as 0;15: the last is the
// background. The terminal itself is not asked.
func light(colours string) bool {
	i := strings.LastIndex(colours, ";")
	return i >= 0 && (colours[i+1:] == "7" || colours[i+1:] == "15")
}

// member adds what a session opens.
func (o *screens) member(s *settings.Settings, c *tui.Config, options []sdk.Option) error {
	token, err := o.app.secrets(s).Get(s.Name, s.Context, settings.SecretSession)
	if err != nil || token == "" {
		return err
	}
	d := sdk.NewDashboard(s.URL, token, options...)
	c.Inbox, c.Canned, c.Agents, c.Tasks = d.Conversations, d.Canned, d.Agents, d.Tasks
	c.JobFeed = d.Jobs.Feed
	c.Desk.Member = func(ctx context.Context) (string, error) {
		session, err := d.Auth.Session(ctx)
		if err != nil {
			return "", err
		}
		return session.User.ID, nil
	}
	return nil
}

// desk lends the screens what the commands can do.
func (o *screens) desk() tui.Desk {
	return tui.Desk{
		EditPost: o.editPost, NewPost: o.newPost, EditText: o.editText, SignIn: o.signIn,
		Browse:  func(address string) error { return o.quiet().open(address) },
		Explain: explainShort,
	}
}

func explainShort(err error) (message, hint string) {
	f := explain(context.Background(), err)
	return f.Message, f.Hint
}

// at is the app on a terminal that the screens have left for it; said holds
// what it tells.
func (o *screens) at(t tui.Terminal) (a *app, said *bytes.Buffer) {
	a, said = o.quiet(), new(bytes.Buffer)
	a.io.In, a.io.Out = t.In, t.Out
	a.io.Err = io.MultiWriter(t.Err, said)
	return a, said
}

// quiet is the app where nothing can be said or asked.
func (o *screens) quiet() *app {
	a, streams := *o.app, *o.app.io
	streams.NoInput, streams.Err = true, io.Discard
	a.io = &streams
	return &a
}

// lastLine is the last thing that was said.
func lastLine(said *bytes.Buffer) string {
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return terminal.Line(lines[len(lines)-1])
}

func (o *screens) editPost(ctx context.Context, t tui.Terminal, id string) (string, error) {
	a, said := o.at(t)
	err := editPosts(a).run(ctx, id)
	return lastLine(said), err
}

func (o *screens) newPost(ctx context.Context, t tui.Terminal) (string, error) {
	a, _ := o.at(t)
	f, err := a.editFile(ctx, &postfile.File{Front: postfile.Front{Title: "Title of the post"}, Body: "\n"}, "post")
	if err != nil {
		return "", err
	}
	c, err := a.client()
	if err != nil {
		return "", err
	}
	html, err := a.content(ctx, c, f, "")
	if err != nil {
		return "", err
	}
	in, err := f.Create(html)
	if err != nil {
		return "", err
	}
	p, err := c.Posts.Create(ctx, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("created %s", terminal.Line(p.Slug)), nil
}

func (o *screens) editText(ctx context.Context, t tui.Terminal, name, text string) (string, error) {
	a, _ := o.at(t)
	path, after, err := a.editText(ctx, []byte(text), name)
	if err != nil {
		return "", err
	}
	return string(after), os.Remove(path)
}

// signIn makes a context, as svcctl login does.
func (o *screens) signIn(ctx context.Context, in tui.SignIn) (string, error) {
	l := &login{app: o.quiet(), scopes: []string{"full"}}
	s, err := l.app.load()
	if err != nil {
		return "", err
	}
	target := strings.TrimRight(in.URL, "/")
	var d *sdk.Dashboard
	if in.Link != "" {
		if target, _, err = sdk.ParseLink(in.Link); err != nil {
			return "", err
		}
		d, err = sdk.LoginLink(ctx, in.Link, in.Password, l.app.options(s)...)
	} else {
		d, err = sdk.Login(ctx, target, in.Email, in.Password, l.app.options(s)...)
	}
	if err != nil {
		return "", err
	}
	signed, err := l.bySession(ctx, d, target)
	if err != nil {
		return "", err
	}
	if _, err := l.remember(s, signed); err != nil {
		return "", err
	}
	return signed.team, nil
}
