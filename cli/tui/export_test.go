package tui

import tea "github.com/charmbracelet/bubbletea"

// Heard is what the screens are told when a call got no answer, or with nil when
// one did.
func Heard(fault error) tea.Msg { return called{fault: fault} }
