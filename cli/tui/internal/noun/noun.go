// Package noun is the screen of any kind of object: its list beside one object
// in full. What the objects are it is told.
package noun

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/part/prose"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

// most is how many rows are read for a filter or an order, which have to see all
// of a list.
const most = 1000

// Screen is the list of one noun beside the object under its cursor.
type Screen struct {
	screen.Browser[browse.Row]
	noun browse.Noun
	of   string // what the list is of

	all     []browse.Row // as they were read
	next    string       // the cursor of what comes after them
	loaded  bool
	reading bool
	failed  bool // the latest reading did
	stale   bool // something changed while a page was read
	sort    int  // by which column; -1 leaves the order of the daemon
	down    bool
	full    map[string]*browse.Detail // read for the cursor
	drawn   drawn
	natural []int        // what the columns would take
	busy    atomic.Int32 // verbs that are being done
}

// drawn keeps a detail as it was rendered last, while it would come out the same.
type drawn struct {
	detail *browse.Detail
	w      int
	theme  string
	lines  []string
}

type pageRead struct {
	noun, of, after string
	page            *browse.Page
	err             error
}

type detailRead struct {
	noun, of, id string
	detail       *browse.Detail
}

type acted struct{ noun, done string }

// again has the list of a noun read once more.
type again string

// New returns the screen of a noun.
func New(r *screen.Room, n browse.Noun) *Screen {
	s := &Screen{Browser: screen.NewBrowser(r, func(row *browse.Row) string { return row.ID }), noun: n, sort: -1, full: map[string]*browse.Detail{}}
	s.Tenths, s.Moved = 6, s.moved
	s.Filtered = func(bool) tea.Cmd {
		s.arrange()
		return s.rest()
	}
	return s
}

// List shows what belongs to of from now on.
func (s *Screen) List(of string) {
	if of == s.of {
		return
	}
	s.of, s.all, s.next, s.loaded, s.reading, s.Front = of, nil, "", false, false, false
	s.arrange()
	clear(s.full)
}

// Name implements screen.Screen.
func (s *Screen) Name() string { return s.noun.Name }

// Badge implements screen.Screen.
func (s *Screen) Badge() int { return 0 }

// MembersOnly reports that the screen is for signed-in members.
func (s *Screen) MembersOnly() bool { return s.noun.Members }

// ByName says that the screen has no number: it is found by its name.
func (s *Screen) ByName() {}

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd {
	if s.noun.Of != "" && s.of == "" {
		return nil
	}
	if s.reading {
		s.stale = true
		return nil
	}
	return s.read("")
}

func (s *Screen) read(after string) tea.Cmd {
	s.reading = true
	name, of := s.noun.Name, s.of
	return s.Errands.Do(func(ctx context.Context) tea.Msg {
		page, err := s.noun.List(ctx, of, after)
		return pageRead{name, of, after, page, err}
	})
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case pageRead:
		if msg.noun == s.noun.Name && msg.of == s.of {
			return s.take(msg)
		}
	case detailRead:
		if msg.noun == s.noun.Name && msg.of == s.of {
			s.full[msg.id] = msg.detail
		}
	case again:
		if string(msg) == s.noun.Name {
			return s.Show()
		}
	case acted:
		if msg.noun == s.noun.Name {
			return tea.Batch(s.Show(), screen.Say(msg.done))
		}
	case screen.Changed:
		if s.loaded && s.noun.Changed != "" && msg.Has(s.noun.Changed) {
			clear(s.full)
			return s.Show()
		}
	}
	return nil
}

// take adds a page, or begins again with the first one.
func (s *Screen) take(msg pageRead) tea.Cmd {
	s.reading, s.loaded, s.failed = false, msg.err == nil, msg.err != nil
	if msg.err != nil {
		return screen.Send(screen.Failure("list "+s.noun.Title, msg.err))
	}
	if msg.after == "" {
		s.all = nil
	}
	s.all, s.next = append(s.all, msg.page.Rows...), msg.page.Next
	s.arrange()
	if s.stale {
		s.stale = false
		return tea.Batch(s.detail(), tea.Tick(screen.Calm, func(time.Time) tea.Msg { return again(s.noun.Name) }))
	}
	if s.next != "" && len(s.all) < most && (s.sort >= 0 || !s.Filter.Empty()) {
		return tea.Batch(s.detail(), s.read(s.next))
	}
	return s.detail()
}

// arrange shows the rows that have the words of the filter, in the chosen order.
func (s *Screen) arrange() {
	words := strings.Fields(strings.ToLower(s.Filter.Value()))
	var rows []browse.Row
	for _, row := range s.all {
		text := strings.ToLower(row.ID + " " + row.Label + " " + strings.Join(row.Cells, " "))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			rows = append(rows, row)
		}
	}
	if s.sort >= 0 {
		slices.SortStableFunc(rows, func(a, b browse.Row) int {
			c := compare(a.Keys[s.sort], b.Keys[s.sort])
			if s.down {
				return -c
			}
			return c
		})
	}
	s.Listed.Set(rows)
	s.natural = make([]int, len(s.noun.Columns))
	for i, c := range s.noun.Columns {
		s.natural[i] = ansi.StringWidth(c.Name)
		for _, row := range rows {
			s.natural[i] = max(s.natural[i], ansi.StringWidth(part.Line(row.Cells[i])))
		}
	}
}

// compare orders numbers by value, and everything else as text.
func compare(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX != nil || errY != nil:
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// detail reads the object under the cursor, where the list does not have all.
func (s *Screen) detail() tea.Cmd {
	cur := s.Listed.Current()
	if cur == nil || s.noun.Get == nil || s.full[cur.ID] != nil {
		return nil
	}
	name, row := s.noun.Name, *cur
	return s.work("read "+row.Label, func(ctx context.Context) (tea.Msg, error) {
		d, err := s.noun.Get(ctx, &row)
		return detailRead{name, row.Of, row.ID, d}, err
	})
}

func (s *Screen) work(doing string, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	if s.noun.Members {
		return s.AsMember(doing, do)
	}
	return s.Work(doing, do)
}

// moved reads what the cursor came to, and the next page near the end of this.
func (s *Screen) moved() tea.Cmd {
	if s.next != "" && !s.reading && s.NearEnd() {
		return tea.Batch(s.detail(), s.read(s.next))
	}
	return s.detail()
}

// rest reads on, so that the filter and the order see all rows.
func (s *Screen) rest() tea.Cmd {
	if s.next == "" || s.reading || len(s.all) >= most {
		return s.detail()
	}
	return tea.Batch(s.detail(), s.read(s.next))
}

// lines is the object under the cursor, w columns wide.
func (s *Screen) lines(w int) []string {
	cur := s.Listed.Current()
	if cur == nil {
		return nil
	}
	d := s.full[cur.ID]
	if d == nil && s.noun.Get == nil {
		d = cur.Detail()
		s.full[cur.ID] = d
	}
	if d == nil {
		d = cur.Detail()
		return append(s.facts(d, w), "", s.Theme.Dim.Render("reading …"))
	}
	if s.drawn.detail != d || s.drawn.w != w || s.drawn.theme != s.Theme.Name {
		lines := s.facts(d, w)
		if strings.TrimSpace(d.Text) != "" {
			lines = append(append(lines, ""), prose.Lines(part.Clean(d.Text), w, s.Theme.Prose)...)
		}
		s.drawn = drawn{d, w, s.Theme.Name, lines}
	}
	return s.drawn.lines
}

// facts are names and values, the values under each other.
func (s *Screen) facts(d *browse.Detail, w int) []string {
	width := 0
	for _, f := range d.Facts {
		width = max(width, len([]rune(f[0])))
	}
	width = min(width, max(w/3, 1))
	var lines []string
	for _, f := range d.Facts {
		for i, text := range part.Wrap(part.Line(f[1]), max(w-width-2, 1)) {
			name := f[0]
			if i > 0 {
				name = ""
			}
			lines = append(lines, s.Theme.Dim.Render(part.Fit(part.Line(name), width))+"  "+text)
		}
	}
	return lines
}
