package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// The parts of the screen that take keys, in the order of tab.
const (
	partList = iota
	partToggles
	partTasks
	parts
)

// Screen is the team's agents, what the chosen one may do, and its tasks.
type Screen struct {
	screen.Halves
	api   Service
	tried Tasks

	list  part.List[api.Agent]
	tasks part.List[api.Task]
	of    string // whose tasks these are
	part  int
	at    int // toggle under the cursor
	runs  map[string]*trial
	// variables are what each task's test-run fills its placeholders with.
	variables map[string]string
	view      part.Scroller
	loaded    bool
}

type agentsLoaded struct{ page *api.Page[api.Agent] }

type tasksLoaded struct {
	agent string
	page  *api.Page[api.Task]
}

type agentChanged struct {
	agent *api.Agent
	done  string
}

// New returns the screen.
func New(r *screen.Room, all Service, tried Tasks) *Screen {
	return &Screen{Halves: screen.Halves{Room: r}, api: all, tried: tried, runs: map[string]*trial{}, variables: map[string]string{},
		list:  part.NewList(func(a *api.Agent) string { return a.ID }),
		tasks: part.NewList(func(t *api.Task) string { return t.ID })}
}

// Name implements screen.Screen.
func (s *Screen) Name() string { return "Agents" }

// Badge implements screen.Screen.
func (s *Screen) Badge() int { return 0 }

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return false }

// MembersOnly reports that the screen is for signed-in members.
func (s *Screen) MembersOnly() bool { return true }

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd {
	if s.api == nil {
		return nil
	}
	s.of = ""
	return s.AsMember("list agents", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, api.PageQuery{Limit: screen.PageSize})
		return agentsLoaded{page}, err
	})
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case agentsLoaded:
		rows := msg.page.Data
		slices.SortStableFunc(rows, func(a, b api.Agent) int {
			if a.Active != b.Active {
				if a.Active {
					return -1
				}
				return 1
			}
			return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		})
		s.list.Set(rows)
		s.loaded = true
		return s.read()
	case tasksLoaded:
		if cur := s.list.Current(); cur != nil && cur.ID == msg.agent {
			s.tasks.Set(msg.page.Data)
		}
	case agentChanged:
		s.put(msg.agent)
		return screen.Say(msg.done)
	case screen.Fed[api.TaskEvent]:
		return s.take(msg)
	}
	return nil
}

// put changes an agent; one that became active made the others inactive.
func (s *Screen) put(a *api.Agent) {
	for i := range s.list.Rows {
		if a.Active {
			s.list.Rows[i].Active = false
		}
	}
	s.list.Replace(*a)
}

// read loads the tasks of the agent under the cursor.
func (s *Screen) read() tea.Cmd {
	a := s.list.Current()
	if a == nil || s.of == a.ID {
		return nil
	}
	s.of = a.ID
	s.tasks.Set(nil)
	id := a.ID
	return s.AsMember("list tasks", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.tried.List(ctx, api.TaskQuery{PageQuery: api.PageQuery{Limit: screen.PageSize}, AgentID: id})
		return tasksLoaded{id, page}, err
	})
}

// toggle is one thing that an agent may do or not.
type toggle struct {
	name string
	on   func(*api.Agent) bool
	set  func(ctx context.Context, all Service, id string, on bool) (*api.Agent, error)
}

var toggles = []toggle{
	{"respond to chats", func(a *api.Agent) bool { return a.RespondToChats },
		func(ctx context.Context, all Service, id string, on bool) (*api.Agent, error) {
			return all.SetRespondToChats(ctx, api.AgentSetChats{ID: id, RespondToChats: on})
		}},
	{"create_post", func(a *api.Agent) bool { return a.Tools.CreatePost },
		func(ctx context.Context, all Service, id string, on bool) (*api.Agent, error) {
			return all.SetTools(ctx, api.AgentSetTools{ID: id, CreatePost: &on})
		}},
	{"image", func(a *api.Agent) bool { return a.Tools.PostImage },
		func(ctx context.Context, all Service, id string, on bool) (*api.Agent, error) {
			return all.SetTools(ctx, api.AgentSetTools{ID: id, PostImage: &on})
		}},
	{"kb", func(a *api.Agent) bool { return a.Tools.CreateArticle },
		func(ctx context.Context, all Service, id string, on bool) (*api.Agent, error) {
			return all.SetTools(ctx, api.AgentSetTools{ID: id, CreateArticle: &on})
		}},
}

// Actions implements screen.Screen.
func (s *Screen) Actions() []screen.Action {
	if s.api == nil {
		return nil
	}
	return []screen.Action{
		{Key: "enter", Name: map[bool]string{true: "preview", false: "edit"}[s.part == partTasks], Doc: "Edit the agent's instructions in your editor; preview a task", Run: s.enter},
		{Key: "A", Name: "activate", Doc: "Make the agent the one that answers, or stop it", Write: true, Run: s.activate},
		{Key: " ", Name: "toggle", Doc: "Switch the tool under the cursor (tab goes to the tools)", Write: true, Run: s.toggle},
		{Key: "tab", Name: "next part", Doc: "Go on to the tools, the tasks, the agents", Run: s.nextPart},
		{Key: "ctrl+r", Name: "run", Doc: "Run the task for real, and watch", Write: true, Run: func() tea.Cmd { return s.test("live") }},
		{Key: "p", Name: "preview", Doc: "Show what the task would send; nothing leaves", Run: func() tea.Cmd { return s.test("render") }},
		{Key: "v", Name: "variables", Doc: "Set the values for the task's placeholders, as JSON", Run: s.askVariables},
		{Key: "e", Name: "edit", Doc: "Edit the agent's instructions in your editor", Write: true, Silent: true, Run: s.edit},
		{Key: "esc", Name: "back", Doc: "Back to the agents", Silent: true, Run: s.back},
	}
}

func (s *Screen) enter() tea.Cmd {
	if s.Narrow() && !s.Front {
		s.Front = true
		return s.read()
	}
	if s.part == partTasks {
		return s.test("render")
	}
	if s.ReadOnly {
		return screen.Refuse("read-only: nothing is changed")
	}
	return s.edit()
}

func (s *Screen) back() tea.Cmd {
	s.part, s.Front = partList, false
	return nil
}

func (s *Screen) nextPart() tea.Cmd {
	s.part = (s.part + 1) % parts
	s.Front = s.part != partList
	return nil
}

func (s *Screen) change(doing string, do func(context.Context) (*api.Agent, string, error)) tea.Cmd {
	return s.AsMember(doing, func(ctx context.Context) (tea.Msg, error) {
		changed, done, err := do(ctx)
		return agentChanged{changed, done}, err
	})
}

func (s *Screen) activate() tea.Cmd {
	a := s.list.Current()
	if a == nil {
		return nil
	}
	id, name, active := a.ID, part.Line(a.Name), a.Active
	return s.change("switch "+name, func(ctx context.Context) (*api.Agent, string, error) {
		if active {
			changed, err := s.api.Deactivate(ctx, api.Ref{ID: id})
			return changed, name + " is off", err
		}
		activated, err := s.api.Activate(ctx, api.Ref{ID: id})
		if err != nil {
			return nil, "", err
		}
		done := name + " answers now"
		if before := activated.Deactivated; before != nil {
			done += ", " + part.Line(before.Name) + " no more"
		}
		return &activated.Agent, done, nil
	})
}

func (s *Screen) toggle() tea.Cmd {
	a := s.list.Current()
	if a == nil {
		return nil
	}
	if s.part != partToggles {
		return screen.Refuse("tab goes to the tools; space switches the one under the cursor")
	}
	t, id, name := toggles[s.at], a.ID, part.Line(a.Name)
	on := !t.on(a)
	return s.change("switch "+t.name, func(ctx context.Context) (*api.Agent, string, error) {
		changed, err := t.set(ctx, s.api, id, on)
		return changed, fmt.Sprintf("%s: %s %s", name, t.name, map[bool]string{true: "on", false: "off"}[on]), err
	})
}

func (s *Screen) edit() tea.Cmd {
	a := s.list.Current()
	if a == nil || s.Desk.EditText == nil {
		return nil
	}
	before := *a
	return s.Away("edit the agent", func(ctx context.Context, t screen.Terminal) (tea.Msg, error) {
		text, err := s.Desk.EditText(ctx, t, "instructions.md", before.Instructions)
		if err != nil || strings.TrimSpace(text) == strings.TrimSpace(before.Instructions) {
			return screen.Said("nothing was changed"), err
		}
		changed, err := s.api.Update(ctx, api.AgentPatch{AgentRef: api.AgentRef{ID: before.ID, IfMatch: before.Version}, Instructions: api.Some(strings.TrimSpace(text))})
		return agentChanged{changed, "saved the instructions of " + part.Line(before.Name)}, err
	})
}

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyMsg) tea.Cmd {
	name := k.String()
	switch s.part {
	case partToggles:
		switch name {
		case "left", "up", "h", "k":
			s.at = max(0, s.at-1)
		case "right", "down", "l", "j":
			s.at = min(len(toggles)-1, s.at+1)
		}
	case partTasks:
		if name == "pgup" || name == "pgdown" {
			s.view.Key(name)
		} else if s.tasks.Key(name) {
			s.view.Home()
		}
	default:
		if s.list.Key(name) {
			return s.read()
		}
	}
	return nil
}

// Picked implements screen.Screen.
func (s *Screen) Picked() screen.Subject {
	if t := s.tasks.Current(); t != nil && s.part == partTasks {
		return screen.Subject{ID: t.ID, Command: "svcctl task run " + t.ID}
	}
	if a := s.list.Current(); a != nil {
		return screen.Subject{ID: a.ID, Command: "svcctl agent get " + a.ID}
	}
	return screen.Subject{}
}
