package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/sdk/api"
)

// The parts of the screen that take keys, in the order of tab.
const (
	partList = iota
	partToggles
	partTasks
	parts
)

// agents is the team's agents, what the chosen one may do, and its tasks.
type agents struct {
	halves
	api   Agents
	tried Tasks
	place Place
	list  list[api.Agent]
	tasks list[api.Task]
	of    string // whose tasks these are
	part  int
	at    int // toggle under the cursor
	runs  map[string]*trial
	// variables are what each task's test-run fills its placeholders with.
	variables map[string]string
	view      scroller
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

func newAgents(r *room, all Agents, tried Tasks, p Place) *agents {
	return &agents{halves: halves{room: r}, api: all, tried: tried, place: p, runs: map[string]*trial{}, variables: map[string]string{},
		list:  newList(func(a *api.Agent) string { return a.ID }),
		tasks: newList(func(t *api.Task) string { return t.ID })}
}

func (s *agents) name() string { return "Agents" }
func (s *agents) badge() int   { return 0 }
func (s *agents) typing() bool { return false }
func (s *agents) membersOnly() {}

func (s *agents) show() tea.Cmd {
	if s.api == nil {
		return nil
	}
	s.of = ""
	return s.asMember("list agents", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.api.List(ctx, api.PageQuery{Limit: pageSize})
		return agentsLoaded{page}, err
	})
}

func (s *agents) update(msg tea.Msg) tea.Cmd {
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
		s.list.set(rows)
		s.loaded = true
		return s.read()
	case tasksLoaded:
		if cur := s.list.current(); cur != nil && cur.ID == msg.agent {
			s.tasks.set(msg.page.Data)
		}
	case agentChanged:
		s.put(msg.agent)
		return say(msg.done)
	case fed[api.TaskEvent]:
		return s.take(msg)
	}
	return nil
}

// put changes an agent; one that became active made the others inactive.
func (s *agents) put(a *api.Agent) {
	for i := range s.list.rows {
		if a.Active {
			s.list.rows[i].Active = false
		}
	}
	s.list.replace(*a)
}

// read loads the tasks of the agent under the cursor.
func (s *agents) read() tea.Cmd {
	a := s.list.current()
	if a == nil || s.of == a.ID {
		return nil
	}
	s.of = a.ID
	s.tasks.set(nil)
	id := a.ID
	return s.asMember("list tasks", func(ctx context.Context) (tea.Msg, error) {
		page, err := s.tried.List(ctx, api.TaskQuery{PageQuery: api.PageQuery{Limit: pageSize}, AgentID: id})
		return tasksLoaded{id, page}, err
	})
}

// toggle is one thing that an agent may do or not.
type toggle struct {
	name string
	on   func(*api.Agent) bool
	set  func(ctx context.Context, all Agents, id string, on bool) (*api.Agent, error)
}

var toggles = []toggle{
	{"respond to chats", func(a *api.Agent) bool { return a.RespondToChats },
		func(ctx context.Context, all Agents, id string, on bool) (*api.Agent, error) {
			return all.SetRespondToChats(ctx, api.AgentSetChats{ID: id, RespondToChats: on})
		}},
	{"create_post", func(a *api.Agent) bool { return a.Tools.CreatePost },
		func(ctx context.Context, all Agents, id string, on bool) (*api.Agent, error) {
			return all.SetTools(ctx, api.AgentSetTools{ID: id, CreatePost: &on})
		}},
	{"image", func(a *api.Agent) bool { return a.Tools.PostImage },
		func(ctx context.Context, all Agents, id string, on bool) (*api.Agent, error) {
			return all.SetTools(ctx, api.AgentSetTools{ID: id, PostImage: &on})
		}},
	{"kb", func(a *api.Agent) bool { return a.Tools.CreateArticle },
		func(ctx context.Context, all Agents, id string, on bool) (*api.Agent, error) {
			return all.SetTools(ctx, api.AgentSetTools{ID: id, CreateArticle: &on})
		}},
}

func (s *agents) actions() []action {
	if s.api == nil {
		return nil
	}
	return []action{
		{key: "enter", name: map[bool]string{true: "preview", false: "edit"}[s.part == partTasks], doc: "Edit the agent's instructions in your editor; preview a task", run: s.enter},
		{key: "A", name: "activate", doc: "Make the agent the one that answers, or stop it", write: true, run: s.activate},
		{key: " ", name: "toggle", doc: "Switch the tool under the cursor (tab goes to the tools)", write: true, run: s.toggle},
		{key: "tab", name: "next part", doc: "Go on to the tools, the tasks, the agents", run: s.nextPart},
		{key: "ctrl+r", name: "run", doc: "Run the task for real, and watch", write: true, run: func() tea.Cmd { return s.test("live") }},
		{key: "p", name: "preview", doc: "Show what the task would send; nothing leaves", run: func() tea.Cmd { return s.test("render") }},
		{key: "v", name: "variables", doc: "Set the values for the task's placeholders, as JSON", run: s.askVariables},
		{key: "e", name: "edit", doc: "Edit the agent's instructions in your editor", write: true, silent: true, run: s.edit},
		{key: "esc", name: "back", doc: "Back to the agents", silent: true, run: s.back},
	}
}

func (s *agents) enter() tea.Cmd {
	if s.narrow() && !s.front {
		s.front = true
		return s.read()
	}
	if s.part == partTasks {
		return s.test("render")
	}
	if s.readOnly {
		return say("read-only: nothing is changed")
	}
	return s.edit()
}

func (s *agents) back() tea.Cmd {
	s.part, s.front = partList, false
	return nil
}

func (s *agents) nextPart() tea.Cmd {
	s.part = (s.part + 1) % parts
	s.front = s.part != partList
	return nil
}

func (s *agents) change(doing string, do func(context.Context) (*api.Agent, string, error)) tea.Cmd {
	return s.asMember(doing, func(ctx context.Context) (tea.Msg, error) {
		changed, done, err := do(ctx)
		return agentChanged{changed, done}, err
	})
}

func (s *agents) activate() tea.Cmd {
	a := s.list.current()
	if a == nil {
		return nil
	}
	id, name, active := a.ID, line(a.Name), a.Active
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
			done += ", " + line(before.Name) + " no more"
		}
		return &activated.Agent, done, nil
	})
}

func (s *agents) toggle() tea.Cmd {
	a := s.list.current()
	if a == nil {
		return nil
	}
	if s.part != partToggles {
		return say("tab goes to the tools; space switches the one under the cursor")
	}
	t, id, name := toggles[s.at], a.ID, line(a.Name)
	on := !t.on(a)
	return s.change("switch "+t.name, func(ctx context.Context) (*api.Agent, string, error) {
		changed, err := t.set(ctx, s.api, id, on)
		return changed, fmt.Sprintf("%s: %s %s", name, t.name, map[bool]string{true: "on", false: "off"}[on]), err
	})
}

func (s *agents) edit() tea.Cmd {
	a := s.list.current()
	if a == nil || s.desk.EditText == nil {
		return nil
	}
	before := *a
	return s.away("edit the agent", func(ctx context.Context, t Terminal) (tea.Msg, error) {
		text, err := s.desk.EditText(ctx, t, "instructions.md", before.Instructions)
		if err != nil || strings.TrimSpace(text) == strings.TrimSpace(before.Instructions) {
			return said("nothing was changed"), err
		}
		changed, err := s.api.Update(ctx, api.AgentPatch{AgentRef: api.AgentRef{ID: before.ID, IfMatch: before.Version}, Instructions: api.Some(strings.TrimSpace(text))})
		return agentChanged{changed, "saved the instructions of " + line(before.Name)}, err
	})
}

func (s *agents) key(k tea.KeyMsg) tea.Cmd {
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
			s.view.key(name)
		} else if s.tasks.key(name) {
			s.view.home()
		}
	default:
		if s.list.key(name) {
			return s.read()
		}
	}
	return nil
}

func (s *agents) picked() subject {
	if t := s.tasks.current(); t != nil && s.part == partTasks {
		return subject{id: t.ID, command: "svcctl task run " + t.ID}
	}
	if a := s.list.current(); a != nil {
		return subject{id: a.ID, command: "svcctl agent get " + a.ID}
	}
	return subject{}
}
