// Package quiet keeps a program that links bubbletea from asking the terminal
// for its background colour before main runs: on a terminal that does not
// answer, every command would wait for seconds. It knows nothing else.
//
// bubbletea asks in an init of its own. Go initialises packages in the order of
// their import paths as soon as what they import is ready, so this one, which
// imports only lipgloss and sorts before github.com/charmbracelet/bubbletea,
// answers first. It must stay that way: no further imports, no other path.
package quiet

import "github.com/charmbracelet/lipgloss"

//nolint:gochecknoinits // the answer has to be there before bubbletea's own init asks
func init() { lipgloss.SetHasDarkBackground(true) }
