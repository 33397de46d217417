package writing

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Syncer makes the texts of a team say what a folder of files says.
type Syncer struct {
	App      *kit.App
	Noun     string
	Group    string // of the command, such as post
	Page     string // the path of the public pages below the team's
	Texts    func(*sdk.Client) postsync.Texts
	opt      postsync.Options
	prune    string
	dryRun   bool
	diff     bool
	exitCode bool
	watch    bool
	missing  string
	slugs    string

	unit  string   // what is synced
	topic string   // that explains it
	extra []string // notes about all of it
}

// NewSync is the command sync of a group.
func NewSync(o *Syncer) *cobra.Command {
	group := o.Group
	cmd := &cobra.Command{
		Use: "sync DIR", Short: "Make " + o.Noun + "s say what a folder of files says", Args: kit.Exactly("a folder"),
		Long:    "Compares a folder of Markdown or HTML files with the team's " + o.Noun + "s, shows the plan, and applies it.\nsvcctl help sync tells the rules.",
		Example: "  svcctl " + group + " sync content/ --diff --dry-run --exit-code\n  svcctl " + group + " sync content/ --prune archive",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "show the plan, and change nothing")
	f.BoolVar(&o.diff, "diff", false, "show what changes, line by line")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit 10 when anything differs (with --dry-run)")
	f.StringVar(&o.prune, "prune", "none", o.Noun+"s whose file is gone: archive or none")
	f.StringVar(&o.opt.OnDrift, "on-drift", "fail", o.Noun+"s that were changed on the server: fail, merge, theirs or ours")
	f.IntVarP(&o.opt.Jobs, "jobs", "j", 4, "how many "+o.Noun+"s to write at a time")
	f.BoolVar(&o.watch, "watch", false, "go on, and sync again when a file changes")
	f.StringArrayVar(&o.opt.Static, "static", nil, "folder whose pictures the site has at its root, such as static/; more with more of it")
	f.StringArrayVar(&o.opt.Old, "old-site", nil, "address of the site that the files come from: links to it lead to the "+o.Noun+"s, and links that lead nowhere lead there")
	f.StringVar(&o.slugs, "slug-from", "name", "what slugs are made of: name, with folders where two are the same, or path")
	f.StringVar(&o.missing, "missing-images", "note", "images that are not there: note or fail")
	f.BoolVar(&o.opt.Strict, "strict", false, "links that lead nowhere fail their file")
	return cmd
}

func (o *Syncer) run(ctx context.Context, dir string) error {
	o.unit, o.topic = "file", "sync"
	if !slices.Contains([]string{"archive", "none"}, o.prune) {
		return kit.Usage("--prune is archive or none, not %q", o.prune)
	}
	if !slices.Contains([]string{"fail", "merge", "theirs", "ours"}, o.opt.OnDrift) {
		return kit.Usage("--on-drift is fail, merge, theirs or ours, not %q", o.opt.OnDrift)
	}
	if o.opt.Jobs < 1 {
		return kit.Usage("--jobs must be 1 or more, not %d", o.opt.Jobs)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return kit.Usage("%s is not a folder", dir)
	}
	if !slices.Contains([]string{"name", "path"}, o.slugs) {
		return kit.Usage("--slug-from is name or path, not %q", o.slugs)
	}
	if !slices.Contains([]string{"note", "fail"}, o.missing) {
		return kit.Usage("--missing-images is note or fail, not %q", o.missing)
	}
	for _, static := range o.opt.Static {
		if info, err := os.Stat(static); err != nil || !info.IsDir() {
			return kit.Usage("--static %s is not a folder", static)
		}
	}
	o.opt.SlugFromPath, o.opt.NeedImages = o.slugs == "path", o.missing == "fail"
	o.opt.Dir, o.opt.Archive = dir, o.prune == "archive"
	if o.watch {
		return o.repeat(ctx)
	}
	return o.once(ctx)
}

func (o *Syncer) once(ctx context.Context) error {
	p, err := o.App.Printer()
	if err != nil {
		return err
	}
	shown := &progress{io: o.App.IO}
	defer shown.end()
	o.App.Paused = shown.paused
	c, err := o.App.Client()
	if err != nil {
		return err
	}
	o.opt.URL = o.App.Settings.URL
	o.opt.Progress, o.opt.Waiting = shown.count, shown.waiting
	shown.say("reading " + dir(o.opt.Dir) + "…")
	s, err := postsync.New(ctx, c, o.Texts(c), o.opt)
	if err != nil {
		return err
	}
	defer s.Close()
	items, err := s.Plan(ctx)
	if err != nil {
		return err
	}
	shown.clear()
	if !p.Structured() {
		o.show(items)
	}
	if !o.dryRun {
		err := s.Apply(ctx, items)
		shown.clear()
		if err != nil {
			return o.unfinished(ctx, err, items)
		}
	}
	if p.Structured() {
		if err := p.Value(o.describe(s, items)); err != nil {
			return err
		}
	} else {
		o.notes(items)
		fmt.Fprintln(o.App.IO.Out, o.summary(items))
		if len(items) == 0 && o.opt.Export == nil {
			o.App.IO.Say("there are no .md, .markdown, .mdx or .html files in %s", terminal.Line(o.opt.Dir))
		}
	}
	return o.verdict(ctx, items)
}

// unfinished tells how far a run came that did not reach its end.
func (o *Syncer) unfinished(ctx context.Context, err error, items []*postsync.Item) error {
	f := *kit.Explain(ctx, err)
	done, planned := 0, 0
	for _, item := range items {
		if item.Done {
			done++
		}
		if item.Done || pending(item) {
			planned++
		}
	}
	f.Message += fmt.Sprintf(" after %d of %s", done, kit.Count(planned, "change"))
	f.Hint, f.Topic = "what was done is remembered: run it again to go on", o.topic
	return &f
}

// pending reports an item that is, or was, to be applied.
func pending(item *postsync.Item) bool {
	return item.Err == nil && item.Action != postsync.Same && item.Action != postsync.Drift && item.Action != postsync.Skip && item.Action != postsync.Clash
}

// syncItem is a line of the plan for programs.
type syncItem struct {
	Action    string     `json:"action"`
	Path      string     `json:"path"`
	Slug      string     `json:"slug,omitempty"`
	ID        string     `json:"id,omitempty"`
	URL       string     `json:"url,omitempty"`
	PublishAt api.Time   `json:"publishAt,omitzero"`
	Fields    []string   `json:"fields,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	Error     string     `json:"error,omitempty"` // also why a file was passed over
	Notes     []syncNote `json:"notes,omitempty"`
}

type syncNote struct {
	Kind string `json:"kind"`
	What string `json:"what"`
}

func (o *Syncer) describe(s *postsync.Syncer, items []*postsync.Item) []syncItem {
	out := make([]syncItem, len(items))
	for i, item := range items {
		row := syncItem{Action: string(item.Action), Path: item.Path, Slug: item.Slug, ID: item.ID, PublishAt: item.PublishAt, Fields: fieldNames(item.Changes), Reason: item.Reason}
		switch {
		case item.Err != nil:
			row.Error = item.Err.Error()
		case item.Action == postsync.Skip:
			row.Error = item.Reason
		case item.Slug != "":
			row.URL = o.App.Settings.URL + "/" + s.Team() + o.Page + url.PathEscape(item.Slug)
		}
		for _, n := range item.Notes {
			row.Notes = append(row.Notes, syncNote{string(n.Kind), n.What})
		}
		for _, key := range item.Unused {
			row.Notes = append(row.Notes, syncNote{"unused", key})
		}
		for _, key := range item.Lost {
			row.Notes = append(row.Notes, syncNote{"lost", key})
		}
		out[i] = row
	}
	return out
}

func fieldNames(changes []postfile.Change) []string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Field
	}
	return names
}

// show prints the plan; files that are the same are only counted.
func (o *Syncer) show(items []*postsync.Item) {
	style := o.App.IO.OutStyle()
	marks := map[postsync.Action]string{
		postsync.Create: style.Green("+ create "), postsync.Update: style.Yellow("~ update "),
		postsync.Archive: style.Red("- archive"), postsync.Drift: style.Red("! drift  "),
		postsync.Pull: style.Yellow("! pull   "), postsync.Merge: style.Yellow("! merge  "), postsync.Clash: style.Red("! clash  "),
	}
	same := 0
	for _, item := range items {
		if item.Action == postsync.Same {
			same++
		}
		mark, ok := marks[item.Action]
		if !ok {
			continue
		}
		fmt.Fprintf(o.App.IO.Out, "%s %s%s\n", mark, terminal.Line(item.Path), style.Dim(note(item)))
		if o.diff || item.Action == postsync.Drift || item.Action == postsync.Clash {
			_ = PrintChanges(o.App, "server "+item.Slug, item.Path, item.Changes) // as Fprintf: a closed output ends the program
		}
	}
	o.showFolded(items, postsync.Skip, style.Dim("· skip   "), func(item *postsync.Item) string { return item.Reason })
	o.showFolded(items, postsync.Failed, style.Red("✗ error  "), func(item *postsync.Item) string { return item.Err.Error() })
	if same > 0 {
		fmt.Fprintf(o.App.IO.Out, "%s %d\n", style.Dim("= same   "), same)
	}
}

func note(item *postsync.Item) string {
	text := "  /" + item.Slug
	if len(item.Changes) > 0 {
		parts := make([]string, len(item.Changes))
		for i, c := range item.Changes {
			parts[i] = c.Field
			if c.Multiline {
				added, removed := countLines(c.Old, c.New)
				parts[i] += fmt.Sprintf(" +%d -%d", added, removed)
			}
		}
		text += "  (" + strings.Join(parts, ", ") + ")"
	}
	if item.PublishAt != 0 {
		text += "  publishes by itself at " + item.PublishAt.Time().Format("2006-01-02 15:04 UTC")
	}
	if item.Reason != "" {
		text += "  " + item.Reason
	}
	return terminal.Line(text)
}

func countLines(old, new string) (added, removed int) {
	for text := range strings.Lines(udiff.Unified("", "", line(old), line(new))) {
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
		case strings.HasPrefix(text, "+"):
			added++
		case strings.HasPrefix(text, "-"):
			removed++
		}
	}
	return added, removed
}

// summary counts what was, or would be, changed.
func (o *Syncer) summary(items []*postsync.Item) string {
	counts := map[postsync.Action]int{}
	total, failed := 0, 0
	for _, item := range items {
		switch {
		case item.Err != nil:
			failed++
		case pending(item):
			counts[item.Action]++
			total++
		}
	}
	var parts []string
	for _, c := range []struct {
		action postsync.Action
		word   string
	}{{postsync.Create, "created"}, {postsync.Update, "updated"}, {postsync.Archive, "archived"}, {postsync.Pull, "pulled"}, {postsync.Merge, "merged"}} {
		if n := counts[c.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, c.word))
		}
	}
	text := kit.Count(total, "change")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if failed > 0 {
		text += fmt.Sprintf("; %d failed", failed)
	}
	if o.dryRun {
		text += " (dry run: nothing was sent)"
	}
	return text
}

// verdict is the outcome of the whole run: the first file that failed decides
// the exit code, then drift, then --exit-code.
func (o *Syncer) verdict(ctx context.Context, items []*postsync.Item) error {
	var failed []*postsync.Item
	drift, clashes, changes := 0, 0, 0
	for _, item := range items {
		switch {
		case item.Err != nil:
			failed = append(failed, item)
			o.annotate(item.Path, fileFailure(ctx, item).Message)
		case item.Action == postsync.Drift:
			drift++
			o.annotate(item.Path, item.Reason)
		case item.Action == postsync.Clash:
			clashes++
			o.annotate(item.Path, item.Reason)
		case pending(item):
			changes++
		}
	}
	switch {
	case clashes > 0 && len(failed) == 0:
		f := &kit.Failure{Exit: kit.ExitConflict, Code: "merge_conflict", Topic: "sync",
			Message: kit.Count(clashes, o.Noun) + " changed on the server in the same lines as the file",
			Hint:    "both are in the file now, between <<<<<<< and >>>>>>>; keep what is right, and run it again"}
		if o.dryRun {
			f.Hint = "without --dry-run the file gets both, between <<<<<<< and >>>>>>>"
		}
		return f
	case len(failed) > 0:
		return o.filesFailure(ctx, failed, len(items))
	case drift > 0:
		return o.drifted(drift)
	case o.exitCode && o.dryRun && changes > 0:
		return &kit.Failure{Exit: kit.ExitDifferences}
	}
	return nil
}

func (o *Syncer) drifted(n int) *kit.Failure {
	f := &kit.Failure{Exit: kit.ExitConflict, Code: "drift", Topic: o.topic,
		Message: kit.Count(n, o.Noun) + " changed on the server since the last sync",
		Hint:    "--on-drift ours overwrites the server (in CI, where the folder is right), --on-drift theirs the files; --on-drift merge joins both"}
	if o.opt.Export != nil {
		f.Message = kit.Count(n, o.Noun) + " of the team are not what was imported; nothing was done about them"
		f.Hint = "--on-drift ours takes the export's text, --on-drift theirs keeps the team's"
	}
	return f
}

// filesFailure is one failure for all files that failed, each of them named.
func (o *Syncer) filesFailure(ctx context.Context, failed []*postsync.Item, files int) *kit.Failure {
	f := *fileFailure(ctx, failed[0])
	f.Topic = o.topic
	if f.Hint == "" {
		f.Hint = "correct it and run again; the other " + o.unit + "s are not held up by it"
	}
	if len(failed) == 1 {
		f.Message = failed[0].Path + ": " + f.Message
		return &f
	}
	f.Message = fmt.Sprintf("%d of %s could not be synced", len(failed), kit.Count(files, o.unit))
	f.Hint = "correct them and run again; the other " + o.unit + "s are not held up by them"
	f.Fields, f.RequestID = nil, ""
	for _, item := range failed {
		one := fileFailure(ctx, item)
		f.Fields = append(f.Fields, api.FieldError{Pointer: item.Path, Code: one.Code, Message: one.Message})
	}
	if p, err := o.App.Printer(); err == nil && !p.Structured() {
		f.Fields = foldFields(f.Fields, o.unit)
	}
	return &f
}

func fileFailure(ctx context.Context, item *postsync.Item) *kit.Failure {
	f := *kit.Explain(ctx, item.Err)
	if f.Code == "error" {
		f.Exit, f.Code = kit.ExitInvalid, "invalid_file"
	}
	return &f
}

// annotate shows an error beside the file on GitHub
// (docs.github.com, workflow commands).
func (o *Syncer) annotate(path, message string) {
	if o.App.Getenv("GITHUB_ACTIONS") != "true" {
		return
	}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	file := filepath.ToSlash(filepath.Join(o.opt.Dir, filepath.FromSlash(path)))
	o.App.IO.Say("::error file=%s::%s", property.Replace(terminal.Line(file)), data.Replace(terminal.Line(message)))
}

// repeat syncs again whenever a file changed, until it is interrupted.
func (o *Syncer) repeat(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		before := snapshot(o.opt.Dir)
		if err := o.once(ctx); err != nil {
			f := kit.Explain(ctx, err)
			if f.Exit == kit.ExitInterrupted || f.Exit == kit.ExitAuth || f.Exit == kit.ExitUsage {
				return f
			}
			o.App.Report(f)
		}
		o.App.IO.Say("watching %s; Ctrl-C ends it", terminal.Line(o.opt.Dir))
		if err := o.settle(ctx, tick.C, before); err != nil {
			return err
		}
	}
}

// settle waits for a change, and then until files have stopped changing.
func (o *Syncer) settle(ctx context.Context, tick <-chan time.Time, synced string) error {
	last := synced
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick:
		}
		now := snapshot(o.opt.Dir)
		if now == last && now != synced {
			return nil
		}
		last = now
	}
}

// snapshot changes when a file of the folder does.
func snapshot(dir string) string {
	var b strings.Builder
	_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error { // what cannot be read does not change
		if err != nil {
			return nil
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != dir {
			return filepath.SkipDir
		}
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}
