package writing

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
)

// folded are the files that have something in common.
type folded struct {
	what  string
	files []string
}

// fold gathers the files of which the same is said, the most common first.
func fold(pairs [][2]string) []*folded {
	byWhat := map[string]*folded{}
	var all []*folded
	for _, pair := range pairs {
		f := byWhat[pair[0]]
		if f == nil {
			f = &folded{what: pair[0]}
			byWhat[pair[0]], all = f, append(all, f)
		}
		f.files = append(f.files, pair[1])
	}
	slices.SortStableFunc(all, func(a, b *folded) int { return len(b.files) - len(a.files) })
	return all
}

// where names the files: all of few, the first of many.
func (f *folded) where(unit string) string {
	if n := len(f.files); n > 3 {
		return fmt.Sprintf("%d %ss, first %s", n, unit, f.files[0])
	}
	return strings.Join(f.files, ", ")
}

// maxListed is how many different things a note lists; -o json has all.
const maxListed = 25

// kindsOfNotes are what notes say, in their order.
var kindsOfNotes = []struct {
	kind markup.Kind
	text string
}{
	{markup.Link, "links that lead nowhere; their text stays"},
	{markup.Fragment, "links to a part that its page has not; they lead to the page"},
	{markup.Picture, "pictures that are not there"},
	{markup.Mark, "marks of other programs that were left out"},
	{markup.Component, "components whose content stands alone"},
	{markup.Element, "elements of HTML that were left out; an .html file is taken as it is"},
	{markup.Behind, "links that lead to the old site: what they lead to is not in the export"},
	{markup.Stays, "pictures that readers get from where they were; --media DIR or --fetch-images brings them here"},
	{markup.Unfetched, "pictures that could not be fetched; readers get them from where they were"},
}

// importedElements is said of elements in place of what is said of a folder's.
const importedElements = "elements of HTML that pages have not"

// notes tells once, for all files, what readers will not see as the files have it.
func (o *Syncer) notes(items []*postsync.Item) {
	for _, kind := range kindsOfNotes {
		var pairs [][2]string
		for _, item := range items {
			for _, n := range item.Notes {
				if n.Kind == kind.kind && item.Action != postsync.Same {
					pairs = append(pairs, [2]string{n.What, item.Path})
				}
			}
		}
		text := kind.text
		if o.opt.Export != nil && kind.kind == markup.Element {
			text = importedElements
		}
		o.noteAll(text, fold(pairs))
	}
	o.noteChanges(items)
	o.noteMembers("not used", "it is in the metadata, as "+`fm.`+"…", items, func(i *postsync.Item) []string { return i.Unused })
	o.noteMembers("not kept", "it is too long for the metadata", items, func(i *postsync.Item) []string { return i.Lost })
}

func (o *Syncer) noteAll(text string, all []*folded) {
	if len(all) == 0 {
		return
	}
	o.App.IO.Say("note: %s", text)
	for i, f := range all {
		if i == maxListed {
			o.App.IO.Say("  … and %d more; -o json names them", len(all)-i)
			return
		}
		o.App.IO.Say("  %s  %s", terminal.Line(f.what), o.App.IO.ErrStyle().Dim("("+terminal.Line(f.where(o.unit))+")"))
	}
}

// noteChanges tells in a line each what became something else, and what of the
// whole export is not imported.
func (o *Syncer) noteChanges(items []*postsync.Item) {
	var pairs [][2]string
	for _, item := range items {
		for _, n := range item.Notes {
			if n.Kind == markup.Change && item.Action != postsync.Same && item.Action != postsync.Skip {
				pairs = append(pairs, [2]string{n.What, item.Path})
			}
		}
	}
	for _, f := range fold(pairs) {
		o.App.IO.Say("note: %s: %s (first: %s)", terminal.Line(f.what), kit.Count(len(f.files), o.unit), terminal.Line(f.files[0]))
	}
	for _, text := range o.extra {
		o.App.IO.Say("note: %s", terminal.Line(text))
	}
}

// noteMembers tells of members of the front matter in one line.
func (o *Syncer) noteMembers(what, why string, items []*postsync.Item, members func(*postsync.Item) []string) {
	var pairs [][2]string
	for _, item := range items {
		if item.Action == postsync.Same {
			continue
		}
		for _, key := range members(item) {
			pairs = append(pairs, [2]string{key, item.Path})
		}
	}
	var parts []string
	for _, f := range fold(pairs) {
		parts = append(parts, f.what+" ("+kit.Count(len(f.files), o.unit)+")")
	}
	if len(parts) > 0 {
		o.App.IO.Say("note: %s: %s; %s", what, terminal.Line(strings.Join(parts, ", ")), why)
	}
}

// showFolded prints what is the same of many files in one line.
func (o *Syncer) showFolded(items []*postsync.Item, action postsync.Action, mark string, says func(*postsync.Item) string) {
	var pairs [][2]string
	for _, item := range items {
		if item.Action == action {
			pairs = append(pairs, [2]string{lineNumber.ReplaceAllString(says(item), ""), item.Path})
		}
	}
	for _, f := range fold(pairs) {
		fmt.Fprintf(o.App.IO.Out, "%s %s  %s\n", mark, terminal.Line(f.where(o.unit)), o.App.IO.OutStyle().Dim(terminal.Line(f.what)))
	}
}

var lineNumber = regexp.MustCompile(`^line \d+: `)

// foldFields makes one of the failures that say the same of different files.
func foldFields(fields []api.FieldError, unit string) []api.FieldError {
	var out []api.FieldError
	count := map[string]int{}
	for _, f := range fields {
		key := f.Code + lineNumber.ReplaceAllString(f.Message, "")
		if count[key]++; count[key] == 1 {
			out = append(out, f)
		}
	}
	for i, f := range out {
		if n := count[f.Code+lineNumber.ReplaceAllString(f.Message, "")]; n > 1 {
			out[i].Message = fmt.Sprintf("%s (and %s like it)", f.Message, kit.Count(n-1, unit))
		}
	}
	return out
}

// progress is a line on the terminal that says what is being done. It is written
// again each second, so that nobody takes a wait for an end.
type progress struct {
	io *terminal.IO

	mu    sync.Mutex // guards what follows
	text  string     // empty for no line
	since time.Time
	until time.Time // of a wait
	why   string    // it waits
	stop  chan struct{}
	done  sync.WaitGroup
}

func (p *progress) say(text string) {
	if !p.io.ErrTTY {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop == nil {
		p.stop = make(chan struct{})
		p.done.Go(p.tick)
	}
	p.text, p.since = text, time.Now()
	p.write()
}

func (p *progress) tick() {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-second.C:
		}
		p.mu.Lock()
		if p.text != "" {
			p.write()
		}
		p.mu.Unlock()
	}
}

// write writes the line; the caller holds mu.
func (p *progress) write() {
	text := p.text
	switch left, took := time.Until(p.until), time.Since(p.since); {
	case left > 0:
		text += fmt.Sprintf("  waiting %d s: %s", int(math.Ceil(left.Seconds())), p.why)
	case took >= 2*time.Second:
		text += fmt.Sprintf("  %d s", int(took.Seconds()))
	}
	fmt.Fprintf(p.io.Err, "\r\x1b[K%s", terminal.Line(text))
}

func (p *progress) count(done, total int) { p.say(fmt.Sprintf("%d of %d", done, total)) }

// waiting is said on every output, once for all that wait at the same time: nothing
// else happens meanwhile.
func (p *progress) waiting(d time.Duration) { p.wait(d, "the key's limit") }

// paused is waiting for a request that is sent again by itself.
func (p *progress) paused(d time.Duration, status int) {
	switch {
	case status == http.StatusTooManyRequests:
		p.wait(d, "the key's limit")
	case status == 0:
		p.wait(d, "the connection broke")
	default:
		p.wait(d, fmt.Sprintf("the server answered %d", status))
	}
}

func (p *progress) wait(d time.Duration, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := time.Now().Add(d)
	if d < time.Second || until.Before(p.until.Add(time.Second)) {
		return
	}
	p.until, p.why = until, why
	if p.io.ErrTTY && p.text != "" {
		p.write()
		return
	}
	p.io.Say("waiting %d s: %s", int(math.Ceil(d.Seconds())), why)
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text != "" {
		fmt.Fprint(p.io.Err, "\r\x1b[K")
		p.text = ""
	}
}

// end clears the line for good.
func (p *progress) end() {
	p.clear()
	if p.stop != nil {
		close(p.stop)
		p.done.Wait()
	}
}

func dir(name string) string { return terminal.Line(name) }
