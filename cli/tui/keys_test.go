package tui_test

import (
	"fmt"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"edgesvc.dev/svc/cli/tui/internal/tuitest"
)

// pressed is what the random runs press.
var pressed = []string{"1", "2", "3", "4", "up", "down", "left", "right", "enter", "esc", "tab", " ", "n", "p", "a", "A", "y", "Y", "o", "r", "z", "T", "R", "C", "D", "s", "g",
	"i", "t", "b", "c", "x", "/", ":", "?", "@", "v", "pgup", "pgdown", "home", "end", "G", "backspace", "ctrl+s", "ctrl+r", "ctrl+p", "ctrl+w", "日", "🙋", "e\u0301", "hello"}

// sizes are those of terminals, from a word to a wall.
var sizes = rapid.OneOf(
	rapid.SampledFrom([][2]int{{80, 24}, {120, 40}, {60, 15}, {59, 14}, {45, 11}, {40, 10}, {39, 9}}),
	rapid.Custom(func(t *rapid.T) [2]int {
		return [2]int{rapid.IntRange(40, 200).Draw(t, "w"), rapid.IntRange(10, 60).Draw(t, "h")}
	}),
	rapid.Custom(func(t *rapid.T) [2]int {
		return [2]int{rapid.IntRange(1, 60).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")}
	}),
)

// TestAnyKeys: whatever is pressed at whatever size, the screens go on and fit.
func TestAnyKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := sizes.Draw(rt, "size")
		var adjust []func(*tuitest.World)
		if rapid.Bool().Draw(rt, "empty") {
			adjust = append(adjust, tuitest.Empty)
		}
		s := tuitest.New(t, size[0], size[1], adjust...)
		for _, key := range rapid.SliceOfN(rapid.SampledFrom(pressed), 1, 40).Draw(rt, "keys") {
			s.Keys(key)
			s.View()
			if rapid.IntRange(0, 9).Draw(rt, "other") == 0 {
				size := sizes.Draw(rt, "size")
				s.Do(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				s.Do(tea.MouseMsg{X: rapid.IntRange(0, 160).Draw(rt, "x"), Y: rapid.IntRange(0, 50).Draw(rt, "y"), Action: tea.MouseActionPress,
					Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown}).Draw(rt, "button")})
				s.View()
			}
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

func BenchmarkView(b *testing.B) {
	for i, name := range []string{"posts", "jobs", "inbox", "agents"} {
		b.Run(name, func(b *testing.B) {
			s := tuitest.New(b, 120, 40)
			s.Keys(fmt.Sprint(i + 1))
			for b.Loop() {
				_ = s.M.View()
			}
		})
	}
}
