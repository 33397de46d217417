// Package screens is svcctl tui: it gives the terminal UI its connections, editor
// and sign-in.
package screens

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/event"
	"edgesvc.dev/svc/cli/internal/help"
	"edgesvc.dev/svc/cli/internal/key"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/login"
	"edgesvc.dev/svc/cli/internal/media"
	"edgesvc.dev/svc/cli/internal/model"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/post"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/site"
	"edgesvc.dev/svc/cli/internal/task"
	"edgesvc.dev/svc/cli/internal/team"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/internal/widget"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/cli/tui"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

type screens struct {
	app      *kit.App
	readOnly bool
}

// New is the command tui.
func New(a *kit.App) *cobra.Command {
	o := &screens{app: a}
	cmd := &cobra.Command{
		Use: "tui [SCREEN]", Short: "Work in the terminal: posts, jobs, inbox and agents, live", Aliases: []string{"ui"},
		Long: "Shows posts, jobs, the inbox and the agents, each on a screen of its own: " + strings.Join(tui.Names(), ", ") + ".\n" +
			"Every other noun has a screen by its name, such as media, key or event. ? shows what the keys do, : finds\nanything by name, q quits.",
		Example:           "  svcctl tui inbox\n  svcctl tui media --read-only",
		ValidArgsFunction: a.Completion(func(context.Context, *kit.App) ([]string, error) { return o.names(), nil }),
		Args:              kit.AtMostOne,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().BoolVar(&o.readOnly, "read-only", false, "allow no changes")
	return cmd
}

func (o *screens) run(ctx context.Context, args []string) error {
	screen := ""
	if len(args) == 1 {
		screen = args[0]
		if !slices.Contains(o.names(), screen) {
			return kit.Usage("there is no screen %s; there are %s", screen, strings.Join(o.names(), ", "))
		}
	}
	if !o.app.IO.InTTY || !o.app.IO.OutTTY {
		return kit.Usage("svcctl tui needs a terminal")
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
		o.app.Settings = nil // another context, or the first one
		if result.Context != tui.FirstContext {
			o.app.Flags.Context, o.app.Flags.URL = result.Context, ""
		}
	}
}

// names are the screens that svcctl tui takes: those with a number, and those of
// nouns that need nothing to be said of what they list.
func (o *screens) names() []string {
	names := tui.Names()
	for _, n := range o.nouns(nil) {
		if n.Of == "" {
			names = append(names, n.Name)
		}
	}
	return names
}

// config is the screens' way to the daemon in use. Without any context the
// wizard makes the first one.
func (o *screens) config() (tui.Config, error) {
	s, err := o.app.Load()
	if err != nil {
		return tui.Config{}, err
	}
	c := tui.Config{
		Calls: tui.NewCalls(http.DefaultTransport), Desk: o.desk(), ReadOnly: o.readOnly, Colours: o.app.IO.OutStyle().Bold("x") != "x", Light: light(o.app.Getenv("COLORFGBG")),
		Place: tui.Place{Context: s.Name, URL: s.URL, Contexts: slices.Sorted(maps.Keys(s.File.Contexts))},
	}
	key, err := o.app.Key(s)
	if err != nil {
		return c, err
	}
	token, err := o.app.Session(s)
	if err != nil {
		return c, err
	}
	if key == "" && token == "" {
		if len(s.File.Contexts) == 0 && !s.Withheld {
			return c, nil
		}
		return c, kit.NoCredential(s, "API key")
	}
	if s.Context != nil {
		c.Place.Team = s.Context.Team
	}
	options := append(o.app.Options(s), sdk.WithHTTPClient(&http.Client{Transport: c.Calls}))
	connect(&c, s.URL, key, token, options)
	c.Nouns = o.nouns(c.Calls)
	return c, nil
}

// nouns are what is reached by name. Their requests are among the calls.
func (o *screens) nouns(calls http.RoundTripper) []browse.Noun {
	a := o.app.Quiet()
	a.Transport = calls
	all := append(help.Browse(a), media.Browse(a), nouns.Canned.Browse(a, crud.Screen[api.CannedResponse]{
		Members: true, Text: func(r *api.CannedResponse) (string, error) { return r.Body, nil },
	}), widget.Browse(a), site.Browse(a), key.Browse(a))
	all = append(all, team.Browse(a)...)
	return append(all, event.Browse(a), post.BrowseRevisions(a), post.BrowseSync(a), help.BrowseSync(a), task.Browse(a), model.Browse(a))
}

// connect gives the screens their ways to the daemon: posts and jobs by key, what
// takes a member by session. Where there is no key, the session does for all.
func connect(c *tui.Config, url, key, token string, options []sdk.Option) {
	by := func(credential sdk.Option) *sdk.Client {
		return sdk.New(url, append(slices.Clip(options), credential)...)
	}
	if key != "" {
		work := by(sdk.WithAPIKey(key))
		c.Posts, c.Jobs = work.Posts, work.Jobs
	}
	if token == "" {
		return
	}
	d := by(sdk.WithSession(token))
	if key == "" {
		c.Posts, c.Jobs, c.SessionOnly = d.Posts, d.Jobs, true
	}
	c.Inbox, c.Canned, c.Agents, c.Tasks = d.Conversations, d.Canned, d.Agents, d.Tasks
	c.JobFeed, c.Changes = d.Jobs.Feed, d.Events.Changes
	c.Desk.Member = func(ctx context.Context) (string, error) {
		session, err := d.Auth.Session(ctx)
		if err != nil {
			return "", err
		}
		return session.User.ID, nil
	}
}

// light reads what some terminals say of their colours, as 0;15: the last is the
// background. The terminal itself is not asked.
func light(colours string) bool {
	i := strings.LastIndex(colours, ";")
	return i >= 0 && (colours[i+1:] == "7" || colours[i+1:] == "15")
}

// desk lends the screens what the commands can do.
func (o *screens) desk() tui.Desk {
	return tui.Desk{
		EditPost: o.editPost, NewPost: o.newPost, EditText: o.editText, SignIn: o.signIn,
		Browse:  func(address string) error { return o.app.Quiet().Open(address) },
		Explain: explainShort,
	}
}

func explainShort(err error) (message, hint string) {
	f := kit.Explain(context.Background(), err)
	return f.Message, f.Hint
}

func (o *screens) editPost(ctx context.Context, t tui.Terminal, id string) (string, error) {
	a, said := o.app.At(t.In, t.Out, t.Err)
	err := post.Editor(a).Run(ctx, id)
	return said(), err
}

func (o *screens) newPost(ctx context.Context, t tui.Terminal) (string, error) {
	a, _ := o.app.At(t.In, t.Out, t.Err)
	f, err := writing.EditFile(ctx, a, &postfile.File{Front: postfile.Front{Title: "Title of the post"}, Body: "\n"}, "post")
	if err != nil {
		return "", err
	}
	c, err := a.Client()
	if err != nil {
		return "", err
	}
	html, err := writing.Content(ctx, a, c, f, "")
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
	a, _ := o.app.At(t.In, t.Out, t.Err)
	path, after, err := writing.EditText(ctx, a, []byte(text), name)
	if err != nil {
		return "", err
	}
	return string(after), os.Remove(path)
}

// signIn makes a context, as svcctl login does.
func (o *screens) signIn(ctx context.Context, in tui.SignIn) (string, error) {
	return login.With(ctx, o.app.Quiet(), login.Credentials{URL: in.URL, Link: in.Link, Email: in.Email, Password: in.Password})
}
