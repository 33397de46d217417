package tui

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// noon is what the clock says in these tests.
var noon = time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC)

// fakePosts, fakeJobs, fakeInbox and fakeAgents are a daemon that answers what
// was recorded.
type fakePosts struct {
	page    api.Page[api.Post]
	content string
	refuse  error
	calls   []string
}

func (f *fakePosts) List(_ context.Context, q api.PostQuery, _ ...sdk.CallOption) (*api.Page[api.Post], error) {
	page := api.Page[api.Post]{HasMore: false}
	for _, p := range f.page.Data {
		if (q.Status == "" || q.Status == p.Status) && strings.Contains(strings.ToLower(p.Title), strings.ToLower(q.Q)) {
			page.Data = append(page.Data, p)
		}
	}
	return &page, f.refuse
}

func (f *fakePosts) Get(_ context.Context, id string, _ ...sdk.CallOption) (*api.Post, error) {
	for _, p := range f.page.Data {
		if p.ID == id {
			p.Content = f.content
			return &p, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such post")
}

func (f *fakePosts) to(status, id string) (*api.Post, error) {
	f.calls = append(f.calls, status+" "+id)
	if f.refuse != nil {
		return nil, f.refuse
	}
	for i := range f.page.Data {
		if p := &f.page.Data[i]; p.ID == id {
			p.Status = status
			p.Version++
			changed := *p
			return &changed, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such post")
}

func (f *fakePosts) Publish(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostPublished, r.ID)
}

func (f *fakePosts) Unpublish(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostDraft, r.ID)
}

func (f *fakePosts) Archive(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostArchived, r.ID)
}

func (f *fakePosts) Unarchive(_ context.Context, r api.Ref, _ ...sdk.CallOption) (*api.Post, error) {
	return f.to(api.PostDraft, r.ID)
}

func (f *fakePosts) Delete(_ context.Context, r api.Ref, _ ...sdk.CallOption) error {
	f.calls = append(f.calls, "delete "+r.ID)
	return f.refuse
}

func (f *fakePosts) Generate(_ context.Context, in api.PostCreate, _ ...sdk.CallOption) (*sdk.JobHandle, error) {
	f.calls = append(f.calls, "generate "+in.Title)
	return &sdk.JobHandle{ID: "job_new", PostID: "post_new"}, f.refuse
}

type fakeJobs struct {
	page   api.Page[api.Job]
	events map[string][]api.JobEvent
	// live, when set, is the stream of every job.
	live  chan api.JobEvent
	all   chan api.JobEvent // the stream of all jobs; nil has none
	feeds int               // that were opened
	calls []string
}

func (f *fakeJobs) List(context.Context, api.JobQuery, ...sdk.CallOption) (*api.Page[api.Job], error) {
	page := f.page
	return &page, nil
}

func (f *fakeJobs) Watch(ctx context.Context, id string) iter.Seq2[api.JobEvent, error] {
	if f.live != nil {
		return received(ctx, f.live)
	}
	return replayed(f.events[id])
}

func (f *fakeJobs) Feed(ctx context.Context) iter.Seq2[api.JobEvent, error] {
	f.feeds++
	if f.all == nil {
		return replayed[api.JobEvent](nil)
	}
	return received(ctx, f.all)
}

func (f *fakeJobs) Cancel(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Job, error) {
	f.calls = append(f.calls, "cancel "+ref.ID)
	return &api.Job{ID: ref.ID, State: api.JobCanceled, Version: 100}, nil
}

func (f *fakeJobs) Retry(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Job, error) {
	f.calls = append(f.calls, "retry "+ref.ID)
	return &api.Job{ID: ref.ID, State: api.JobQueued, Version: 100}, nil
}

// replayed is a stream that ends after what was recorded.
func replayed[T any](values []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// received is a stream of what the test sends.
func received[T any](ctx context.Context, values <-chan T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case v, ok := <-values:
				if !ok || !yield(v, nil) {
					return
				}
			}
		}
	}
}

type fakeInbox struct {
	page     api.Page[api.Conversation]
	messages map[string][]api.Message
	events   []api.ConversationEvent            // of the inbox
	talks    map[string][]api.ConversationEvent // of one conversation
	live     chan api.ConversationEvent
	refuse   error
	calls    []string
	read     []string
	feeds    int // of the inbox
	opened   int // transcripts
}

func (f *fakeInbox) List(context.Context, api.ConversationQuery, ...sdk.CallOption) (*api.Page[api.Conversation], error) {
	page := f.page
	return &page, f.refuse
}

func (f *fakeInbox) Messages(_ context.Context, q api.MessageQuery, _ ...sdk.CallOption) (*api.MessageList, error) {
	return &api.MessageList{Data: f.messages[q.ID]}, nil
}

func (f *fakeInbox) sent(kind, id, text string) (*api.Message, error) {
	f.calls = append(f.calls, kind+" "+id+" "+text)
	if f.refuse != nil {
		return nil, f.refuse
	}
	return &api.Message{ID: "msg_sent", ConversationID: id, Seq: 100, Text: text, Note: kind == "note", CreatedAt: api.TimeOf(noon),
		Author: api.MessageAuthor{Type: api.AuthorUser, ID: "user_me", Name: "Grace"}}, nil
}

func (f *fakeInbox) Reply(_ context.Context, in api.Reply, _ ...sdk.CallOption) (*api.Message, error) {
	return f.sent("reply", in.ID, in.Text)
}

func (f *fakeInbox) Note(_ context.Context, in api.ConversationNote, _ ...sdk.CallOption) (*api.Message, error) {
	return f.sent("note", in.ID, in.Text)
}

func (f *fakeInbox) changed(doing, id, state, assignee string) (*api.Conversation, error) {
	f.calls = append(f.calls, doing+" "+id)
	for _, c := range f.page.Data {
		if c.ID == id {
			c.State, c.AssigneeID = state, assignee
			c.Version += 100
			return &c, f.refuse
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such conversation")
}

func (f *fakeInbox) TakeOver(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Conversation, error) {
	return f.changed("take over", ref.ID, api.ConversationOpen, "user_me")
}

func (f *fakeInbox) ReturnToBot(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Conversation, error) {
	return f.changed("hand back", ref.ID, api.ConversationBot, "")
}

func (f *fakeInbox) SetState(_ context.Context, in api.ConversationSetState, _ ...sdk.CallOption) (*api.Conversation, error) {
	return f.changed(in.State, in.ID, in.State, "user_me")
}

func (f *fakeInbox) MarkRead(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Conversation, error) {
	f.read = append(f.read, ref.ID)
	for _, c := range f.page.Data {
		if c.ID == ref.ID {
			c.Unread = 0
			c.Version++
			return &c, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such conversation")
}

type fakeCanned []api.CannedResponse

func (f *fakeCanned) List(context.Context, api.CannedQuery, ...sdk.CallOption) (*api.Page[api.CannedResponse], error) {
	return &api.Page[api.CannedResponse]{Data: *f}, nil
}

func (f *fakeInbox) Inbox(context.Context) iter.Seq2[api.ConversationEvent, error] {
	f.feeds++
	return replayed(f.events)
}

func (f *fakeInbox) Conversation(ctx context.Context, in api.ConversationWatch) iter.Seq2[api.ConversationEvent, error] {
	f.opened++
	if f.live != nil {
		return received(ctx, f.live)
	}
	return replayed(f.talks[in.ID])
}

type fakeAgents struct {
	page   api.Page[api.Agent]
	refuse error
	calls  []string
}

func (f *fakeAgents) List(context.Context, api.PageQuery, ...sdk.CallOption) (*api.Page[api.Agent], error) {
	page := f.page
	return &page, f.refuse
}

func (f *fakeAgents) edit(id string, change func(*api.Agent)) (*api.Agent, error) {
	for _, a := range f.page.Data {
		if a.ID == id {
			change(&a)
			return &a, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such agent")
}

func (f *fakeAgents) Activate(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.AgentActivated, error) {
	f.calls = append(f.calls, "activate "+ref.ID)
	a, err := f.edit(ref.ID, func(a *api.Agent) { a.Active = true })
	if err != nil {
		return nil, err
	}
	return &api.AgentActivated{Agent: *a, Deactivated: &api.AgentTag{ID: "agent_1", Name: "Nova"}}, nil
}

func (f *fakeAgents) Deactivate(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Agent, error) {
	f.calls = append(f.calls, "deactivate "+ref.ID)
	return f.edit(ref.ID, func(a *api.Agent) { a.Active = false })
}

func (f *fakeAgents) SetRespondToChats(_ context.Context, in api.AgentSetChats, _ ...sdk.CallOption) (*api.Agent, error) {
	return f.edit(in.ID, func(a *api.Agent) { a.RespondToChats = in.RespondToChats })
}

func (f *fakeAgents) SetTools(_ context.Context, in api.AgentSetTools, _ ...sdk.CallOption) (*api.Agent, error) {
	return f.edit(in.ID, func(a *api.Agent) {
		for _, t := range []struct {
			on  *bool
			set *bool
		}{{in.CreatePost, &a.Tools.CreatePost}, {in.PostImage, &a.Tools.PostImage}, {in.CreateArticle, &a.Tools.CreateArticle}} {
			if t.on != nil {
				*t.set = *t.on
			}
		}
	})
}

func (f *fakeAgents) Update(_ context.Context, in api.AgentPatch, _ ...sdk.CallOption) (*api.Agent, error) {
	return f.edit(in.ID, func(a *api.Agent) { in.Instructions.Apply(&a.Instructions) })
}

type fakeTasks struct {
	page  api.Page[api.Task]
	runs  []api.TaskEvent
	calls []string
}

func (f *fakeTasks) List(context.Context, api.TaskQuery, ...sdk.CallOption) (*api.Page[api.Task], error) {
	page := f.page
	return &page, nil
}

func (f *fakeTasks) TestRun(_ context.Context, in api.TaskTest) iter.Seq2[api.TaskEvent, error] {
	f.calls = append(f.calls, in.Mode+" "+in.ID)
	return replayed(f.runs)
}

// world is the screens on a fake daemon.
type world struct {
	t      testing.TB
	m      *model
	posts  *fakePosts
	jobs   *fakeJobs
	inbox  *fakeInbox
	canned *fakeCanned
	agents *fakeAgents
	tasks  *fakeTasks
	clip   string
}

// newWorld starts the screens on what testdata/recorded.json holds, or on
// nothing.
func newWorld(t testing.TB, w, h int, recorded string) *world {
	t.Helper()
	s := &world{t: t, posts: &fakePosts{content: article1}, jobs: &fakeJobs{}, inbox: &fakeInbox{}, canned: &fakeCanned{}, agents: &fakeAgents{}, tasks: &fakeTasks{}}
	if recorded != "" {
		s.read(recorded)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e, wait := newErrands(ctx)
	t.Cleanup(func() {
		cancel()
		wait()
	})
	r := lipgloss.NewRenderer(os.Stderr)
	r.SetColorProfile(termenv.Ascii)
	s.m = newModel(Config{
		Posts: s.posts, Jobs: s.jobs, JobFeed: s.jobs.Feed, Inbox: s.inbox, Canned: s.canned, Agents: s.agents, Tasks: s.tasks,
		Place: Place{Context: "prod", Team: "Acme", URL: "https://svc.example", Contexts: []string{"prod", "staging"}},
		Desk:  Desk{Explain: func(err error) (string, string) { return err.Error(), "" }, Browse: func(string) error { return nil }},
	}, e, r, func(text string) { s.clip = text })
	s.m.now, s.m.me = noon, "user_me"
	s.do(tea.WindowSizeMsg{Width: w, Height: h})
	for _, screen := range s.m.screens {
		s.settle(screen.show())
	}
	return s
}

func (s *world) read(name string) {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		s.t.Fatal(err)
	}
	var r struct {
		Posts         []api.Post
		Jobs          []api.Job
		JobEvents     map[string][]api.JobEvent
		Conversations []api.Conversation
		Messages      map[string][]api.Message
		Talks         map[string][]api.ConversationEvent
		Canned        []api.CannedResponse
		Agents        []api.Agent
		Tasks         []api.Task
		Runs          []api.TaskEvent
	}
	if err := json.Unmarshal(b, &r); err != nil {
		s.t.Fatal(err)
	}
	s.posts.page.Data, s.jobs.page.Data, s.jobs.events = r.Posts, r.Jobs, r.JobEvents
	s.inbox.page.Data, s.inbox.messages, s.inbox.talks = r.Conversations, r.Messages, r.Talks
	*s.canned = r.Canned
	s.agents.page.Data, s.tasks.page.Data, s.tasks.runs = r.Agents, r.Tasks, r.Runs
}

func (s *world) do(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.settle(cmd)
}

// settle runs commands and what follows from them, but for the clock.
func (s *world) settle(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, ticked:
	case tea.BatchMsg:
		for _, c := range msg {
			s.settle(c)
		}
	default:
		s.do(msg)
	}
}

// keys presses keys, named as bubbletea names them; any other text is typed.
func (s *world) keys(names ...string) {
	for _, name := range names {
		s.do(keyOf(name))
	}
}

var named = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"ctrl+s": tea.KeyCtrlS, "ctrl+r": tea.KeyCtrlR, "ctrl+p": tea.KeyCtrlP, "ctrl+w": tea.KeyCtrlW, "ctrl+u": tea.KeyCtrlU,
}

func keyOf(name string) tea.KeyMsg {
	if kind, ok := named[name]; ok {
		return tea.KeyMsg{Type: kind}
	}
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// view is the screen, held to its size.
func (s *world) view() string {
	s.t.Helper()
	v := s.m.View()
	lines := strings.Split(v, "\n")
	if len(lines) != s.m.h {
		s.t.Errorf("%d lines at %d×%d:\n%s", len(lines), s.m.w, s.m.h, v)
	}
	for _, l := range lines {
		if n := ansi.StringWidth(l); n != s.m.w {
			s.t.Errorf("a line of %d columns at %d×%d: %q\n%s", n, s.m.w, s.m.h, l, v)
		}
	}
	return ansi.Strip(v)
}

// sees holds the screen to texts.
func (s *world) sees(texts ...string) {
	s.t.Helper()
	v := s.view()
	for _, text := range texts {
		if !strings.Contains(v, text) {
			s.t.Errorf("no %q in\n%s", text, v)
		}
	}
}

const article1 = `<h2>Small binaries</h2><p>One static file, <strong>17 MB</strong>, no runtime, see <a href="https://go.dev">Go</a>.</p>
<ul><li>starts at once</li><li>one file</li></ul><blockquote><p>Edge daemons live close to users.</p></blockquote><pre><code>svcd serve</code></pre>`
