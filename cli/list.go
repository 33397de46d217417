package cli

import (
	"iter"
	"time"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

// listFlags are what every list takes.
type listFlags struct {
	limit   int
	all     bool
	arrange output.Arrange
}

func (l *listFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVarP(&l.limit, "limit", "L", 30, "most records to show")
	f.BoolVar(&l.all, "all", false, "show all records")
	f.StringVar(&l.arrange.Sort, "sort", "", "sort by a field of the JSON; -field for the largest first")
	f.StringArrayVar(&l.arrange.Filter, "filter", nil, "keep records with field=value, or field~text for a part of it")
}

// page is the query for as many records as will be needed.
func (l *listFlags) page() api.PageQuery {
	if l.all || len(l.arrange.Filter) > 0 {
		return api.PageQuery{Limit: 100}
	}
	return api.PageQuery{Limit: max(1, min(l.limit, 100))}
}

// showList prints a list as the flags ask for it.
func showList[T any](a *app, l listFlags, view output.View[T], records iter.Seq2[*T, error]) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	if !l.all {
		if l.limit < 1 {
			return usage("--limit must be 1 or more; --all shows everything")
		}
		l.arrange.Limit = l.limit
	}
	return output.List(p, view, output.Apply(l.arrange, records))
}

// showOne prints one record as the flags ask for it.
func showOne[T any](a *app, view output.View[T], record *T) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	return output.One(p, view, record)
}

// list turns a slice into what showList takes.
func list[T any](records []T) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for i := range records {
			if !yield(&records[i], nil) {
				return
			}
		}
	}
}

func ago(t api.Time) string { return output.Ago(time.Now(), t.Time()) }

// when is a column that tells people how long ago it was, and programs the time.
func when[T any](name string, at func(*T) api.Time) output.Column[T] {
	return output.Column[T]{
		Name:  name,
		Value: func(record *T) string { return ago(at(record)) },
		Data:  func(record *T) string { return at(record).String() },
	}
}

// wide moves a column to where there is room.
func wide[T any](c output.Column[T]) output.Column[T] {
	c.Wide = true
	return c
}
