package safehtml

import "golang.org/x/net/html/atom"

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Br, atom.Hr, atom.Img, atom.Wbr, atom.Col:
		return true
	}
	return false
}

func isHeading(a atom.Atom) bool { return headingLevel(a) > 0 }

func headingLevel(a atom.Atom) int {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5:
		return 5
	case atom.H6:
		return 6
	}
	return 0
}

func isTableSection(a atom.Atom) bool {
	return a == atom.Thead || a == atom.Tbody || a == atom.Tfoot
}

// isBlock reports whether the element stands on lines of its own, and so parts
// the words on its sides and ends a paragraph.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Aside, atom.Header, atom.Footer, atom.Main, atom.Nav,
		atom.Blockquote, atom.Pre, atom.Figure, atom.Figcaption, atom.Details, atom.Summary, atom.Hr,
		atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Address, atom.Form, atom.Fieldset,
		atom.Table, atom.Caption, atom.Colgroup, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		return true
	}
	return isHeading(a)
}
