package kit

import (
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
)

// Number is a column of whole numbers.
func Number[T any](name string, of func(*T) int) output.Column[T] {
	return output.Column[T]{Name: name, Value: func(record *T) string { return strconv.Itoa(of(record)) }}
}

// ListFlags are what every list takes.
type ListFlags struct {
	Limit   int
	All     bool
	Cursor  string
	Arrange output.Arrange
}

// Add gives the command the flags.
func (l *ListFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&l.Limit, "limit", "L", 30, "most records to show")
	f.BoolVar(&l.All, "all", false, "show all records")
	f.StringVar(&l.Arrange.Sort, "sort", "", "sort by a field of the JSON; -field for the largest first")
	f.StringArrayVar(&l.Arrange.Filter, "filter", nil, "keep records with field=value, or field~text for a part of it")
}

// AddPaged is Add for a list that the daemon gives in pages.
func (l *ListFlags) AddPaged(cmd *cobra.Command) {
	l.Add(cmd)
	cmd.Flags().StringVar(&l.Cursor, "cursor", "", "go on where a list before ended")
}

// Check refuses flags that contradict each other.
func (l *ListFlags) Check() error {
	if !l.All && l.Limit < 1 {
		return Usage("--limit must be 1 or more; --all shows everything")
	}
	return nil
}

// Page is the query for as many records as will be needed.
func (l *ListFlags) Page() api.PageQuery {
	if l.All || len(l.Arrange.Filter) > 0 {
		return api.PageQuery{Limit: 100}
	}
	return api.PageQuery{Limit: max(1, min(l.Limit, 100))}
}

// ShowList prints a list as the flags ask for it.
func ShowList[T any](a *App, l ListFlags, view output.View[T], records iter.Seq2[*T, error]) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return err
	}
	if !l.All {
		l.Arrange.Limit = l.Limit
	}
	return a.IO.Paged(func() error { return output.List(p, view, output.Apply(l.Arrange, records)) })
}

// ShowOne prints one record as the flags ask for it.
func ShowOne[T any](a *App, view output.View[T], record *T) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	return a.IO.Paged(func() error { return output.One(p, view, record) })
}

// List turns a slice into what ShowList takes.
func List[T any](records []T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range records {
			if !yield(&records[i], nil) {
				return
			}
		}
	}
}

// Ago is how long ago a time was, such as 3h.
func Ago(t api.Time) string { return output.Ago(time.Now(), t.Time()) }

// When is a column that tells people how long ago it was, and programs the time.
func When[T any](name string, at func(*T) api.Time) output.Column[T] {
	return output.Column[T]{
		Name:  name,
		Value: func(record *T) string { return Ago(at(record)) },
		Data:  func(record *T) string { return at(record).String() },
	}
}

// Wide moves a column to where there is room.
func Wide[T any](c output.Column[T]) output.Column[T] {
	c.Wide = true
	return c
}

// SayMore tells a person how to see the rest of a list; total is nil where it is
// not known.
func (a *App) SayMore(shown int, total *int, next string) {
	text := fmt.Sprintf("%d shown, there are more: --all shows all", shown)
	if total != nil {
		text = fmt.Sprintf("%d of %d: --all shows all", shown, *total)
	}
	if next != "" {
		text += ", --cursor " + next + " goes on"
	}
	a.IO.Say("%s", text)
}

// ShowAll prints records that are all here, and says how many were left out.
func ShowAll[T any](a *App, l ListFlags, view output.View[T], records []T) error {
	if err := ShowList(a, l, view, List(records)); err != nil {
		return err
	}
	p, err := a.Printer()
	if err != nil || l.All || len(l.Arrange.Filter) > 0 || len(records) <= l.Limit || p.Structured() || p.Format == "ids" || p.Format == "csv" {
		return err
	}
	total := len(records)
	a.SayMore(l.Limit, &total, "")
	return nil
}

// Each is what text tells of each object of a page, such as its slug.
func Each[T any](page *api.Page[T], err error, text func(*T) string) ([]string, error) {
	if err != nil {
		return nil, err
	}
	all := make([]string, len(page.Data))
	for i := range page.Data {
		all[i] = text(&page.Data[i])
	}
	return all, nil
}
