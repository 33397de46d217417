package chat_test

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// world is conversations on a store of their own. The agent is a script; it is
// tested with its own package.
type world struct {
	*optest.World
	o    chat.Options
	chat *chat.Service

	mu      sync.Mutex // guards what follows
	agent   *api.Agent // active
	script  func(context.Context, chat.Question) (api.AgentAnswer, error)
	settled int
	audited []string
	between func() // runs once, between a visit's entry and the reading of what it missed
}

func newWorld(t testing.TB, o chat.Options) *world {
	w := &world{
		World: optest.New(t, chat.Events()), o: o,
		agent: &api.Agent{Head: api.Head{ID: "agt_1"}, Name: "Nova", RespondToChats: true, Active: true, HandoffMessage: "A person will help you."},
	}
	w.Who = ada
	w.script = func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		return api.AgentAnswer{Text: "You said: " + q.Turns[len(q.Turns)-1].Text, Provider: "offline"}, nil
	}
	if w.o.Debounce == 0 {
		w.o.Debounce = -1
	}
	w.join()
	w.Checked(chat.Tables())
	return w
}

func (w *world) join() {
	w.T.Helper()
	w.chat = chat.New(w.Store, w.Log, w.o)
	w.chat.Seal, w.chat.Now = w.Seal(), w.Now
	w.chat.Audit = func(_ kv.Tx, _ *op.Caller, action, target string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.audited = append(w.audited, action+" "+target)
		return nil
	}
	w.chat.ActiveAgent = func(_ context.Context, team string) (api.Agent, bool, error) {
		w.mu.Lock()
		between := w.between
		w.between = nil
		w.mu.Unlock()
		if between != nil {
			between()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.agent == nil || team != "team_a" {
			return api.Agent{}, false, nil
		}
		return *w.agent, true, nil
	}
	w.chat.Answer = func(ctx context.Context, q chat.Question) (chat.Answered, error) {
		w.mu.Lock()
		script := w.script
		w.mu.Unlock()
		a, err := script(ctx, q)
		return chat.Answered{AgentAnswer: a, Marked: strings.ReplaceAll(a.Text, "¹", "[[1]]")}, err
	}
	w.chat.Settled = func(_ kv.Tx, _, _ string, _ api.AgentAnswer) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.settled++
		return nil
	}
	w.chat.Member = func(_ kv.Tx, team, id string) (string, error) {
		if team == "team_a" && (id == ada.Actor.ID || id == grace.Actor.ID) {
			return id, nil
		}
		return "", &kv.NotFoundError{Table: "user", ID: id}
	}
	w.chat.Canned = func(_ kv.Tx, team, id string) (bool, error) { return team == "team_a" && id == "can_1", nil }
	w.Join(w.chat.Ops())
	w.Table.AddStreams(w.chat.Streams())
}

// work starts the workers.
func (w *world) work() *world {
	w.Work(w.chat.Run)
	return w
}

// restart is what a crash leaves, started again.
func (w *world) restart() {
	w.T.Helper()
	w.Reopen()
	w.join()
	if err := w.chat.Reclaim(w.T.Context()); err != nil {
		w.T.Fatal(err)
	}
}

// answers sets what the agent does.
func (w *world) answers(script func(context.Context, chat.Question) (api.AgentAnswer, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.script = script
}

func (w *world) activate(a *api.Agent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.agent = a
}

func member(id, name string) op.Caller {
	who := optest.Member("team_a", id, op.Admin)
	who.Scopes, who.Name = op.AllScopes, name
	return who
}

var (
	ada   = member("usr_ada", "Ada")
	grace = member("usr_grace", "Grace")
	key   = optest.Key("team_a")
)

func (w *world) do(name, id, members string) api.Conversation {
	w.T.Helper()
	return optest.Must[api.Conversation](w, "conversations."+name, `{"id":"`+id+`"`+members+`}`)
}

func (w *world) get(id string) api.Conversation {
	w.T.Helper()
	return w.do("get", id, "")
}

func (w *world) messages(id string) []api.Message {
	w.T.Helper()
	return optest.Must[api.MessageList](w, "conversations.messages", `{"id":"`+id+`","limit":200}`).Data
}

// texts are who wrote what, in order.
func texts(list []api.Message) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Author.Type+": "+m.Text)
	}
	return strings.Join(out, " | ")
}

var shop = api.Site{ID: "site_1", Name: "Acme", Color: "#112233", Greeting: "Hi"}

// visitor is one connection, with all frames that came.
type visitor struct {
	w      *world
	visit  *chat.Visit
	woken  <-chan struct{}
	frames []api.ChatOut
}

func (w *world) arrive(a chat.Arrival) *visitor {
	w.T.Helper()
	if a.Team == "" {
		a.Team = "team_a"
	}
	if a.Site.ID == "" {
		a.Site = shop
	}
	a.Hello.T = "hello"
	visit, err := w.chat.Visit(context.Background(), a)
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(visit.Close)
	return &visitor{w: w, visit: visit, woken: woken(visit)}
}

// woken receives when the visit wakes its transport.
func woken(visit *chat.Visit) <-chan struct{} {
	woken := make(chan struct{}, 1)
	visit.Notify(func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	return woken
}

func (v *visitor) take() []api.ChatOut {
	v.frames = append(v.frames, v.visit.Take()...)
	return v.frames
}

// until waits for a frame that is wanted, and returns it.
func (v *visitor) until(what string, want func(api.ChatOut) bool) api.ChatOut {
	v.w.T.Helper()
	timeout := time.After(20 * time.Second)
	for {
		if i := slices.IndexFunc(v.take(), want); i >= 0 {
			return v.frames[i]
		}
		select {
		case <-v.woken:
		case <-timeout:
			v.w.T.Fatalf("no %s among %+v", what, v.frames)
		}
	}
}

func (v *visitor) frame(t string) api.ChatOut {
	v.w.T.Helper()
	return v.until(t, func(f api.ChatOut) bool { return f.T == t })
}

func (v *visitor) ready() api.ChatOut { v.w.T.Helper(); return v.frame("ready") }

func (v *visitor) try(f api.ChatIn) error { return v.visit.Receive(context.Background(), f) }

func (v *visitor) receive(f api.ChatIn) {
	v.w.T.Helper()
	if err := v.try(f); err != nil {
		v.w.T.Fatalf("%+v: %v", f, err)
	}
}

// say sends a message and returns its acknowledgement.
func (v *visitor) say(text string) api.ChatOut {
	v.w.T.Helper()
	cid := rand.Text()
	v.receive(api.ChatIn{T: "msg", CID: cid, Text: text})
	return v.until("ack", func(f api.ChatOut) bool { return f.T == "ack" && f.CID == cid })
}

// answered waits for the end of an answer with that text.
func (v *visitor) answered(text string) api.ChatOut {
	v.w.T.Helper()
	return v.until("answer "+text, func(f api.ChatOut) bool { return (f.T == "done" || f.T == "msg") && f.Text == text })
}

// conv is the id of the visitor's conversation.
func (v *visitor) conv() string {
	v.w.T.Helper()
	again := v.w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: v.ready().Visitor}, Address: "10.9.9.9"})
	defer again.visit.Close()
	return again.ready().Conv
}

// kinds are the frames' kinds in order, deltas once.
func kinds(frames []api.ChatOut) string {
	var out []string
	for _, f := range frames {
		if len(out) == 0 || f.T != "delta" || out[len(out)-1] != "delta" {
			out = append(out, f.T)
		}
	}
	return strings.Join(out, " ")
}
