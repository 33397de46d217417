package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxAttempts = 3
	// longestWait is how long a visitor who writes on and on waits for an answer
	// to begin.
	longestWait = 5 * time.Second

	maxTurnChars = 24000
	turnsRead    = 40 // messages that are looked at for turns: notes are among them
	// stride is how many messages the first turn is moved by at once. Until then
	// each request begins as the one before, which vendors keep.
	stride = 10
)

// unanswered is what a visitor reads when no agent can answer any more.
const unanswered = "Thank you for your message. A colleague will answer you here."

func queueItem(team, conversation string) queue.Item { return queue.Item{ID: conversation, Team: team} }

// Run answers visitors and wakes snoozed conversations, until ctx ends. Answers
// under way are then given back, to be written anew by the next Run.
func (s *Service) Run(ctx context.Context) error {
	var wg conc.WaitGroup
	if _, err := s.keys(ctx); err != nil { // seals what an earlier release stored in the clear
		slog.ErrorContext(ctx, "the visitors' keys", "err", err)
	}
	wg.Go(func() { s.answers.Run(ctx, s.o.Workers, s.answer) })
	wg.Go(func() { s.snoozes.Run(ctx, 1, s.wake) })
	wg.Wait()
	return nil
}

// Reclaim takes over the work of a process that died; see queue.Reclaim.
func (s *Service) Reclaim(ctx context.Context) error {
	return errors.Join(s.answers.Reclaim(ctx), s.snoozes.Reclaim(ctx))
}

// task is one attempt to answer.
type task struct {
	claim   queue.Claim
	who     op.Caller
	visitor string
	agent   api.Agent
	id      string // of the message to be
	asked   int    // the visitor's latest message that the agent has seen
	after   int    // the latest message that was answered
	waiting bool   // the visitor waits for a person already
	turns   []Turn
}

// answer makes one attempt. The agent works outside any transaction; what it
// wrote is stored with the end of the claim in one, so that a crash before it
// leaves the question and one after it the answer.
func (s *Service) answer(ctx context.Context, c queue.Claim) error {
	stopping := ctx
	ctx, cancel := context.WithTimeout(ctx, s.o.Limit)
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	s.register(c.ID, abort)
	defer s.unregister(c.ID)

	t, err := s.begin(ctx, c)
	if err != nil || t == nil {
		return err
	}
	defer s.hub.publish(t.happening(canceled)) // unless it has come to its end
	a, err := s.Answer(ctx, s.question(ctx, t))
	switch {
	case stopping.Err() != nil:
		return stopping.Err()
	case errors.Is(context.Cause(ctx), queue.ErrLost):
		return queue.ErrLost
	case err != nil && c.Attempt < maxAttempts && ctx.Err() == nil:
		return fmt.Errorf("answer a visitor: %w", err)
	case err != nil:
		slog.WarnContext(ctx, "agent cannot answer; the conversation is handed over", "conversation", c.ID, "err", err)
		a = Answered{AgentAnswer: api.AgentAnswer{Text: t.agent.HandoffMessage, HandoffReason: api.HandoffToolFailure}}
	case a.HandoffReason == "" && strings.TrimSpace(a.Text) == "":
		a.Text, a.HandoffReason = t.agent.HandoffMessage, api.HandoffToolFailure
	}
	return s.finish(context.WithoutCancel(ctx), t, a)
}

func (t *task) happening(kind string) *happening {
	return &happening{kind: kind, team: t.claim.Team, conv: t.claim.ID, visitor: t.visitor, id: t.id, from: api.AuthorAgent}
}

func (s *Service) register(id string, abort context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id] = abort
}

func (s *Service) unregister(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, id)
}

// abort stops the answer being written in this process, if it is here.
func (s *Service) abort(id string) {
	s.mu.Lock()
	stop := s.running[id]
	s.mu.Unlock()
	if stop != nil {
		stop(queue.ErrLost)
	}
}

// begin reads what is to be answered and notes that an answer is under way. The
// task is nil when there is nothing for an agent to answer.
func (s *Service) begin(ctx context.Context, c queue.Claim) (*task, error) {
	agent, available, err := s.available(ctx, c.Team)
	if err != nil {
		return nil, fmt.Errorf("read the active agent: %w", err)
	}
	t := &task{claim: c, who: agentCaller(c.Team, agent.ID), agent: agent, id: kv.NewID("msg")}
	if err := s.store.View(ctx, t.read); err != nil {
		return nil, err
	}
	begun := false
	err = s.store.Update(ctx, func(tx kv.Tx) error {
		begun = false
		if err := s.answers.Check(tx, c); err != nil {
			return err
		}
		e, err := s.edit(tx, t.who, c.ID)
		if missing(err) {
			return s.answers.Finish(tx, c)
		}
		if err != nil {
			return err
		}
		if !e.r.byAgent() || !e.r.pending() || !available && e.r.waits() {
			return s.answers.Finish(tx, c)
		}
		if !available {
			return errors.Join(s.answers.Finish(tx, c), s.desert(e))
		}
		t.waiting = e.r.waits()
		begun = true
		// Nothing that anybody sees: no new version.
		e.r.Answering = true
		return conversations.Put(tx, c.Team, c.ID, e.r)
	})
	if !begun {
		return nil, err
	}
	return t, err
}

// read takes in what the agent sees. What the visitor writes after it is
// answered next.
func (t *task) read(tx kv.Tx) error {
	r, err := conversations.Get(tx, t.claim.Team, t.claim.ID)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	t.visitor, t.asked, t.after = r.C.Visitor.ID, r.Asked, r.Answered
	t.turns, err = turns(tx, t.claim.Team, r)
	return err
}

func agentCaller(team, agent string) op.Caller {
	return op.Caller{Kind: op.Agent, Credential: agent, Team: team, Actor: api.Actor{Type: "agent", ID: agent}, Source: "agent"}
}

// desert hands over because no agent is active any more.
func (s *Service) desert(e *edit) error {
	if err := e.handOver(Answered{AgentAnswer: api.AgentAnswer{HandoffReason: api.HandoffUnsupported}}, nil); err != nil {
		return err
	}
	return e.save()
}

// turns are the messages that the agent sees: the latest since the conversation
// was last taken up, what is not answered yet at their end.
func turns(tx kv.Tx, team string, r *record) (out []Turn, err error) {
	type turn struct {
		Turn
		seq int
	}
	var answered, open []turn
	since, chars := max(r.ContextSeq, (max(0, r.C.LastSeq-turnsRead)+stride-1)/stride*stride), 0
	err = readMessages(tx, team, r.C.ID, since, func(m *message) error {
		t := turn{Turn{From: m.M.Author.Type, Text: cmp.Or(m.Marked, m.M.Text)}, m.M.Seq}
		switch {
		case m.M.Note || m.M.Author.Type == api.AuthorSystem:
			return nil
		case m.M.Author.Type == api.AuthorVisitor && m.M.Seq > r.Answered:
			open = append(open, t)
		default:
			answered = append(answered, t)
		}
		chars += utf8.RuneCountInString(t.Text)
		return nil
	})
	all := slices.Concat(answered, open)
	for chars > maxTurnChars && since < r.C.LastSeq {
		since += stride - since%stride
		kept := []turn{}
		chars = 0
		for i, t := range all {
			if t.seq > since || i == len(all)-1 {
				kept = append(kept, t)
				chars += utf8.RuneCountInString(t.Text)
			}
		}
		all = kept
	}
	for _, t := range all {
		out = append(out, t.Turn)
	}
	return out, err
}

// question is the task as the agent gets it. What it writes goes to those who
// watch, and nowhere else; nothing does once it has been stopped.
func (s *Service) question(ctx context.Context, t *task) Question {
	begun := false
	tell := func(e *happening) {
		if ctx.Err() == nil {
			s.hub.publish(e)
		}
	}
	start := func() {
		if !begun {
			begun = true
			tell(t.happening(started))
		}
	}
	return Question{
		Team: t.claim.Team, AgentID: t.agent.ID, Turns: t.turns, Caller: t.who, Waiting: t.waiting,
		Conversation: t.claim.ID, After: t.after,
		OnStart: start,
		OnDelta: func(text string) {
			start()
			e := t.happening(delta)
			e.text = text
			tell(e)
		},
		OnRestart: func() {
			begun = true
			tell(t.happening(started))
		},
		OnTool: func(call api.ToolCall) {
			start()
			e := t.happening(tool)
			e.tool = &call
			tell(e)
		},
	}
}

// finish stores the answer with the end of the claim, in one transaction. It may
// take the team beyond its share of the store: a question that was taken is
// answered, and a team that is full takes none.
func (s *Service) finish(ctx context.Context, t *task, a Answered) error {
	return s.store.Update(ctx, func(plain kv.Tx) error {
		tx := &meter{Tx: plain}
		if err := s.answers.Finish(tx, t.claim); err != nil {
			return err
		}
		e, err := s.edit(tx, t.who, t.claim.ID)
		if err != nil {
			return err
		}
		e.r.Answering, e.r.Answered = false, t.asked
		if a.HandoffReason != "" {
			err = e.handOver(a, t)
		} else {
			err = e.sent(t.message(a))
		}
		if err != nil {
			return err
		}
		if err := s.Settled(tx, t.claim.Team, t.agent.ID, a.AgentAnswer); err != nil {
			return err
		}
		// What the visitor wrote meanwhile is answered next.
		if e.r.byAgent() && e.r.pending() {
			e.r.AskedAt = s.now()
			if err := e.ask(); err != nil {
				return err
			}
		}
		if err := e.save(); err != nil {
			return err
		}
		from := source{team: t.claim.Team, site: e.r.C.SiteID, network: e.r.Network}
		return s.charge(plain, from, tx.bytes+gapBytes(a.AgentAnswer), true)
	})
}

// gapBytes is what others write because of an answer.
func gapBytes(a api.AgentAnswer) int64 {
	if a.HandoffReason == api.HandoffUnknown || a.Unanswered {
		return gapCost
	}
	return 0
}

// message is the answer as it is stored.
func (t *task) message(a Answered) *message {
	usage := a.Usage
	marked := a.Marked
	if marked == a.Text || len(marked) > longText {
		marked = ""
	}
	return &message{Marked: marked, M: api.Message{
		ID: t.id, Author: api.MessageAuthor{Type: api.AuthorAgent, ID: t.agent.ID, Name: t.agent.Name}, Text: a.Text,
		Citations: a.Citations, ToolCalls: a.ToolCalls, CannedID: a.CannedID, Stop: a.Stop,
		Provider: a.Provider, Model: a.Model, Usage: &usage,
	}}
}

// handOver asks people to take the conversation over, with a message that the
// visitor sees: the agent's, or the system's when t is nil. Until one does, the agent
// goes on answering. The event, of the first time, has the visitor's question as the
// latest message.
func (e *edit) handOver(a Answered, t *task) error {
	question := e.r.C
	if asked, err := e.question(); err != nil {
		return err
	} else if asked != nil {
		question.LastMessage = asked
	}
	if a.Text == "" {
		a.Text = unanswered
	}
	m := &message{M: api.Message{Author: api.MessageAuthor{Type: api.AuthorSystem}, Text: a.Text}}
	if t != nil {
		m = t.message(a)
	}
	if err := e.sent(m); err != nil {
		return err
	}
	waits := e.r.waits()
	e.r.C.HandoffReason = a.HandoffReason
	if waits {
		return nil
	}
	if err := e.move(api.ConversationOpen); err != nil {
		return err
	}
	e.say(happening{kind: handed, from: api.AuthorUser, on: true})
	question.State, question.HandoffReason, question.Version = e.r.C.State, a.HandoffReason, e.r.C.Version
	return announce(e, conversationHandedOff, &question, nil)
}

// question is the visitor's latest message, nil for none.
func (e *edit) question() (*api.MessageSummary, error) {
	if e.r.Asked == 0 {
		return nil, nil
	}
	m, err := messages.Get(e.tx, e.who.Team, messageKey(e.r.C.ID, e.r.Asked))
	if err != nil {
		return nil, err
	}
	if err := m.fill(e.tx, e.who.Team, messageKey(e.r.C.ID, e.r.Asked)); err != nil {
		return nil, err
	}
	out := summarize(&m.M)
	out.Text = clip(m.M.Text, maxQuestion)
	return out, nil
}

// maxQuestion is the most characters of a question in an event.
const maxQuestion = 1000

// giveUp hands a conversation over whose every attempt ended without an outcome,
// such as by a crash.
func (s *Service) giveUp(tx kv.Tx, it queue.Item, _ string) error {
	e, err := s.edit(tx, agentCaller(it.Team, ""), it.ID)
	if missing(err) || err == nil && !e.r.byAgent() {
		return nil
	}
	if err != nil {
		return err
	}
	e.r.Answering = false
	if err := e.handOver(Answered{AgentAnswer: api.AgentAnswer{HandoffReason: api.HandoffToolFailure}}, nil); err != nil {
		return err
	}
	return e.save()
}

// wake opens a snoozed conversation whose time has come.
func (s *Service) wake(ctx context.Context, c queue.Claim) error {
	return s.store.Update(ctx, func(tx kv.Tx) error {
		if err := s.snoozes.Finish(tx, c); err != nil {
			return err
		}
		e, err := s.edit(tx, op.Caller{Kind: op.System, Team: c.Team, Actor: api.Actor{Type: "system", ID: "snooze"}}, c.ID)
		if missing(err) || err == nil && (e.r.C.State != api.ConversationSnoozed || e.r.C.SnoozedUntil > s.now()) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.move(api.ConversationOpen); err != nil {
			return err
		}
		return e.save()
	})
}
