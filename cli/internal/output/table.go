package output

import (
	"encoding/csv"
	"fmt"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/terminal"
)

const (
	// Gap is the spaces between two columns.
	Gap = 2
	// narrowest is what a column that gives way keeps at least.
	narrowest = 8
)

func writeTable[T any](p Printer, columns []Column[T], records []*T) error {
	if len(records) == 0 {
		p.IO.Say("nothing found")
		return nil
	}
	cells := [][]string{make([]string, len(columns))}
	for i, c := range columns {
		cells[0][i] = strings.ToUpper(c.Name)
	}
	for _, record := range records {
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = terminal.Line(c.Value(record))
		}
		cells = append(cells, row)
	}
	flex := make([]bool, len(columns))
	for i, c := range columns {
		flex[i] = c.Flex
	}
	return p.rows(cells, Fit(natural(cells), flex, p.IO.Width))
}

func natural(cells [][]string) []int {
	widths := make([]int, len(cells[0]))
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], terminal.Width(cell))
		}
	}
	return widths
}

// Fit brings the widths of columns down to a terminal's, 0 for none: first the
// flexible ones shrink, then columns are dropped from the right, never the first.
// There are Gap spaces between two.
func Fit(widths []int, flex []bool, width int) []int {
	if width == 0 {
		return widths
	}
	for n := len(widths); ; n-- {
		kept := append([]int(nil), widths[:n]...)
		over := total(kept) - width
		for i := range kept {
			if over > 0 && flex[i] {
				give := min(over, max(0, kept[i]-narrowest))
				kept[i] -= give
				over -= give
			}
		}
		if over <= 0 {
			return kept
		}
		if n == 1 {
			return []int{min(kept[0], width)}
		}
	}
}

func total(widths []int) int {
	sum := Gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

func (p Printer) rows(cells [][]string, widths []int) error {
	var b strings.Builder
	for i, row := range cells {
		var line strings.Builder
		for j, w := range widths {
			cell := terminal.Cut(row[j], w)
			if j < len(widths)-1 {
				cell = terminal.Pad(cell, w+Gap)
			}
			line.WriteString(cell)
		}
		text := strings.TrimRight(line.String(), " ")
		if i == 0 {
			text = p.IO.OutStyle().Dim(text)
		}
		b.WriteString(text + "\n")
	}
	_, err := fmt.Fprint(p.IO.Out, b.String())
	return err
}

// writeDetails shows one record as lines of name and value; empty ones are
// left out.
func writeDetails[T any](p Printer, columns []Column[T], record *T) error {
	names := 0
	for _, c := range columns {
		names = max(names, terminal.Width(c.Name))
	}
	var b strings.Builder
	for _, c := range columns {
		value := terminal.Line(c.Value(record))
		if value == "" {
			continue
		}
		if p.IO.Width > 0 {
			value = terminal.Cut(value, max(narrowest, p.IO.Width-names-Gap))
		}
		b.WriteString(p.IO.OutStyle().Dim(terminal.Pad(c.Name, names+Gap)) + value + "\n")
	}
	_, err := fmt.Fprint(p.IO.Out, b.String())
	return err
}

func writeCSV[T any](p Printer, columns []Column[T], records []*T) error {
	w := csv.NewWriter(p.IO.Out)
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = strings.ReplaceAll(c.Name, " ", "_")
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for _, record := range records {
		for i, c := range columns {
			row[i] = terminal.Clean(c.data(record))
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Ago is how long before now at was, in one unit: 5m, 3h, 2d; a later time is
// "in 5m".
func Ago(now, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	d := now.Sub(at)
	if d < 0 {
		return "in " + span(-d+30*time.Second) // 90d that began just now are not 89d
	}
	return span(d)
}

func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
