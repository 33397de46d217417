package writing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aymanbagabas/go-udiff"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/sdk/api"
)

// plan is the plan of a folder on a screen.
type plan struct {
	o   *Syncer
	app *kit.App

	mu     sync.Mutex // one run at a time: they share the folder's state
	status atomic.Value
}

// Browse is the plan of a folder for a screen; name is what it is reached by.
func (o *Syncer) Browse(a *kit.App, name string) browse.Noun {
	p := &plan{o: o, app: a}
	verb := func(key, word, doc, on string, all bool) browse.Verb {
		return browse.Verb{Key: key, Name: word, Doc: doc, Do: func(ctx context.Context, row *browse.Row) (string, error) {
			if all {
				return p.apply(ctx, row.Of, "", on)
			}
			return p.apply(ctx, row.Of, row.ID, on)
		}}
	}
	return browse.Noun{
		Name: name, Title: "Sync plan of " + o.Noun + "s", Of: "folder", Ask: "Which folder of " + o.Noun + "s? Its path",
		Columns: []browse.Column{{Name: "  file"}, {Name: "what", Flex: true}},
		List:    p.list,
		Verbs: []browse.Verb{
			verb("a", "apply", "Do what the plan says about the file", "fail", false),
			verb("A", "apply all", "Do all that the plan says", "fail", true),
			verb("o", "ours", "Send the file, whatever was changed on the server", "ours", false),
			verb("t", "theirs", "Take what was changed on the server into the file", "theirs", false),
			verb("m", "merge", "Join what both sides changed", "merge", false),
		},
		Status:  func() string { text, _ := p.status.Load().(string); return text },
		Command: func(row *browse.Row) string { return "svcctl " + o.Group + " sync " + word(row.Of) },
	}
}

// word is a text as one word of a shell.
func word(s string) string {
	if strings.ContainsAny(s, " '\"$`\\*?;&|<>(){}[]!#") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// open plans a folder; Close of the result is owed.
func (p *plan) open(ctx context.Context, dir, on string) (*postsync.Syncer, []*postsync.Item, error) {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, rest)
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, kit.Usage("%s is not a folder", dir)
	}
	c, err := p.app.Client()
	if err != nil {
		return nil, nil, err
	}
	opt := postsync.Options{Dir: dir, URL: p.app.Settings.URL, OnDrift: on, Jobs: 4}
	opt.Progress = func(done, total int) { p.status.Store(fmt.Sprintf("%d of %d", done, total)) }
	s, err := postsync.New(ctx, c, p.o.Texts(c), opt)
	if err != nil {
		return nil, nil, err
	}
	items, err := s.Plan(ctx)
	if err != nil {
		_ = s.Close() // it was only read
		return nil, nil, err
	}
	return s, items, nil
}

// order is what comes first: what needs a person, what is to be done, the rest.
var order = []postsync.Action{
	postsync.Failed, postsync.Drift, postsync.Clash, postsync.Merge, postsync.Pull, postsync.Archive, postsync.Update, postsync.Create, postsync.Skip, postsync.Same,
}

// signs begin the lines of a plan.
var signs = map[postsync.Action]string{
	postsync.Create: "+ create", postsync.Update: "~ update", postsync.Archive: "- archive", postsync.Drift: "! drift", postsync.Pull: "! pull",
	postsync.Merge: "! merge", postsync.Clash: "! clash", postsync.Skip: "· skip", postsync.Failed: "✗ error", postsync.Same: "= same",
}

func (p *plan) list(ctx context.Context, dir, _ string) (*browse.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, items, err := p.open(ctx, dir, "fail")
	if err != nil {
		return nil, err
	}
	defer s.Close()
	slices.SortStableFunc(items, func(a, b *postsync.Item) int { return slices.Index(order, a.Action) - slices.Index(order, b.Action) })
	page := &browse.Page{}
	counts := map[postsync.Action]int{}
	for _, item := range items {
		counts[item.Action]++
	}
	var parts []string
	for _, action := range order {
		if n := counts[action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, action))
		}
	}
	p.status.Store(strings.Join(parts, ", "))
	for _, item := range items {
		what := strings.TrimSpace(note(item))
		switch {
		case item.Err != nil:
			what = item.Err.Error()
		case item.Action == postsync.Skip:
			what = item.Reason
		}
		if n := len(item.Notes) + len(item.Lost); n > 0 && item.Action != postsync.Same {
			what += "  " + kit.Count(n, "note")
		}
		sign, _, _ := strings.Cut(signs[item.Action], " ")
		page.Rows = append(page.Rows, browse.Row{
			ID: item.Path, Of: dir, Label: item.Path, Cells: []string{sign + " " + item.Path, what}, Keys: []string{item.Path, what},
			Detail: func() *browse.Detail { return detail(item) },
		})
	}
	return page, nil
}

// detail is a line of the plan in full: what readers will not see, and what
// differs, line by line.
func detail(item *postsync.Item) *browse.Detail {
	d := &browse.Detail{Facts: [][2]string{{"plan", signs[item.Action]}}}
	fact := func(name, value string) {
		if value != "" {
			d.Facts = append(d.Facts, [2]string{name, value})
		}
	}
	fact("slug", item.Slug)
	fact("id", item.ID)
	if item.Err != nil {
		fact("error", item.Err.Error())
	}
	fact("why", item.Reason)
	if item.PublishAt != 0 {
		fact("publishes", when(item.PublishAt))
	}
	for _, kind := range kindsOfNotes {
		for _, n := range item.Notes {
			if n.Kind == kind.kind {
				fact("note", kind.text+": "+n.What)
			}
		}
	}
	fact("not used", strings.Join(item.Unused, ", "))
	fact("not kept", strings.Join(item.Lost, ", "))
	var b strings.Builder
	for _, c := range item.Changes {
		before, after := c.Old, c.New
		if c.Multiline {
			before, after = readable(before, after)
		}
		text := udiff.Unified("server", "file", line(before), line(after))
		fmt.Fprintf(&b, "**%s**\n\n~~~~~diff\n%s~~~~~\n\n", c.Field, text)
	}
	d.Text = b.String()
	return d
}

func when(at api.Time) string { return at.Time().Format("2006-01-02 15:04 UTC") }

// apply carries out the plan of one file, or of all with an empty path.
func (p *plan) apply(ctx context.Context, dir, path, on string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status.Store("reading")
	defer p.status.Store("")
	s, items, err := p.open(ctx, dir, on)
	if err != nil {
		return "", err
	}
	defer s.Close()
	items = slices.DeleteFunc(items, func(i *postsync.Item) bool { return path != "" && i.Path != path })
	for _, item := range items {
		switch {
		case path == "":
		case item.Err != nil:
			return "", item.Err
		case item.Action == postsync.Drift:
			return "", &kit.Failure{Exit: kit.ExitConflict, Code: "drift", Message: item.Reason, Hint: "o sends the file, t takes the server's, m joins both"}
		}
	}
	if err := s.Apply(ctx, items); err != nil {
		return "", err
	}
	done := 0
	var failed error
	for _, item := range items {
		switch {
		case item.Done:
			done++
		case item.Err != nil && failed == nil && pathless(item.Err):
			failed = fmt.Errorf("%s: %w", item.Path, item.Err)
		}
	}
	if path != "" {
		if failed == nil && done == 0 {
			return path + " is the same", nil
		}
		return "synced " + path, failed
	}
	if failed != nil {
		return "", failed
	}
	return kit.Count(done, "change") + " made", nil
}

// pathless reports an error of the daemon; those of files are in the plan already.
func pathless(err error) bool { return kit.Explain(context.Background(), err).Code != "error" }
