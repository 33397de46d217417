package agents_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/cli/tui/internal/tuitest"
)

// TestGoldens shows the agents at four sizes, as testdata/*.golden has it.
func TestGoldens(t *testing.T) {
	tuitest.Goldens(t,
		tuitest.State{Name: "agents", Keys: []string{"4"}},
		tuitest.State{Name: "agents-run", Keys: []string{"4", "tab", "tab", "ctrl+r"}},
	)
}

func TestEmptyGolden(t *testing.T) {
	s := tuitest.New(t, 80, 24, tuitest.Empty)
	s.Keys("4")
	tuitest.Golden(t, "empty-agents", s.View())
}

func TestAgents(t *testing.T) {
	s := tuitest.New(t, 100, 30)
	s.Keys("4", "tab", "right", " ")
	s.Sees("create_post [x]", "Nova: create_post on")
	s.Keys("esc", "down", "A")
	s.Sees("▸★ Draft", "Draft · gpt-6-luna · ACTIVE")
	if strings.Count(s.View(), "★") != 1 {
		t.Errorf("more than one agent is active:\n%s", s.View())
	}
	s.Keys("tab", "tab", "p", "ctrl+r")
	s.Sees("POST https://api.x.io/enrich", "< 200 OK", "312 ms", "nothing fills {{person.city}}")
	if diff := cmp.Diff([]string{"activate agent_2", "render task_1", "live task_1"}, append(s.Agents.Calls, s.Tasks.Calls...)); diff != "" {
		t.Error(diff)
	}
}
