package prose

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// table renders rows in columns that share the width.
func (r *renderer) table(n *east.Table, width int) []string {
	var rows [][]string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.cell(cell, row.Kind() == east.KindTableHeader))
		}
		rows = append(rows, cells)
	}
	columns := len(n.Alignments)
	if columns == 0 {
		return nil
	}
	each := max((width-2*(columns-1))/columns, 1)
	widths := make([]int, columns)
	for _, cells := range rows {
		for i, cell := range cells {
			widths[i] = min(max(widths[i], ansi.StringWidth(cell)), each)
		}
	}
	var out []string
	for _, cells := range rows {
		var b strings.Builder
		for i, cell := range cells {
			cell = ansi.Truncate(cell, widths[i], "…")
			b.WriteString(cell + strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
		}
		out = append(out, ansi.Truncate(strings.TrimRight(b.String(), " "), width, "…"))
	}
	return out
}

func (r *renderer) cell(n ast.Node, head bool) string {
	base := lipgloss.NewStyle()
	if head {
		base = r.styles.Bold
	}
	lines := wrap(r.inline(n, base), 1<<16)
	return strings.Join(lines, " ")
}
