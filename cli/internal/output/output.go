// Package output writes records the way a person or a program asked for them:
// as a table, JSON, JSON lines, YAML, CSV or ids, or through a jq expression or
// a template. It knows the shape of a record only by its JSON and by the
// columns that the caller names.
package output

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/terminal"
)

var formats = []string{"table", "wide", "json", "jsonl", "yaml", "csv", "ids"}

// Formats are the names that -o takes.
func Formats() []string { return slices.Clone(formats) }

// ErrUsage marks a wrong option of the printer.
var ErrUsage = errors.New("usage")

// Printer writes records to a terminal's Out.
type Printer struct {
	IO       *terminal.IO
	Format   string   // one of table (also empty), wide, json, jsonl, yaml, csv, ids
	Fields   []string // the members to keep, in this order; all when empty
	JQ       string
	Template string
}

// Check refuses options that contradict each other, before anything is done.
func (p Printer) Check() error {
	if p.Format != "" && !slices.Contains(formats, p.Format) {
		return fmt.Errorf("%w: --output must be one of %s, not %q", ErrUsage, strings.Join(formats, ", "), p.Format)
	}
	if p.JQ != "" && p.Template != "" {
		return fmt.Errorf("%w: --jq and --template exclude each other", ErrUsage)
	}
	if _, err := p.compileJQ(); err != nil {
		return err
	}
	if p.Template == "" {
		return nil
	}
	_, err := p.parseTemplate()
	return err
}

// Structured reports that the output is for a program.
func (p Printer) Structured() bool {
	return p.JQ != "" || p.Template != "" || p.Format == "json" || p.Format == "jsonl" || p.Format == "yaml"
}

// View says how a kind of record looks in a table.
type View[T any] struct {
	Columns []Column[T]
	ID      func(*T) string
}

// Column is one column of a table.
type Column[T any] struct {
	Name  string
	Value func(*T) string
	Data  func(*T) string // for csv, where Value is only for people
	Wide  bool            // shown by -o wide and csv only
	Flex  bool            // gives way when the terminal is narrow
}

// Key is what records are sorted by: the data where the value is only for people.
func (c Column[T]) Key(record *T) string { return c.data(record) }

func (c Column[T]) data(record *T) string {
	if c.Data != nil {
		return c.Data(record)
	}
	return c.Value(record)
}

// List writes records. The list's own error ends it.
func List[T any](p Printer, view View[T], records iter.Seq2[*T, error]) error {
	switch {
	case p.JQ != "" || p.Template != "" || p.Format == "json" || p.Format == "yaml":
		all, err := gather(records)
		if err != nil {
			return err
		}
		return p.value(all)
	case p.Format == "jsonl":
		return each(records, func(record *T) error { return p.line(record) })
	case p.Format == "ids":
		return each(records, func(record *T) error {
			_, err := fmt.Fprintln(p.IO.Out, terminal.Line(view.ID(record)))
			return err
		})
	}
	rows, err := gather(records)
	if err != nil {
		return err
	}
	if p.Format == "csv" {
		return writeCSV(p, view.Columns, rows)
	}
	return writeTable(p, view.columns(p.Format == "wide"), rows)
}

// One writes one record; a table shows its columns as lines.
func One[T any](p Printer, view View[T], record *T) error {
	switch {
	case p.Structured():
		return p.value(record)
	case p.Format == "ids" || p.Format == "csv":
		return List(p, view, func(yield func(*T, error) bool) { yield(record, nil) })
	}
	return writeDetails(p, view.Columns, record)
}

func (v View[T]) columns(wide bool) []Column[T] {
	return slices.DeleteFunc(slices.Clone(v.Columns), func(c Column[T]) bool { return c.Wide && !wide })
}

func gather[T any](records iter.Seq2[*T, error]) ([]*T, error) {
	all := []*T{}
	err := each(records, func(record *T) error {
		all = append(all, record)
		return nil
	})
	return all, err
}

func each[T any](records iter.Seq2[*T, error], do func(*T) error) error {
	for record, err := range records {
		if err != nil {
			return err
		}
		if err := do(record); err != nil {
			return err
		}
	}
	return nil
}
