package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	answerLimit = time.Minute
	// maxRepairs is how often a model may be told that a call failed.
	maxRepairs = 2
)

// Question is what an agent is to answer. Functions that are nil are not
// called; the others are called in order, from the goroutine that calls Answer.
type Question struct {
	Team    string
	AgentID string
	Turns   []Turn    // the last is the visitor's
	Caller  op.Caller // whose request it is
	// Conversation and After name the question: After is the seq of the last message
	// that was answered. An answer that is begun again has the same.
	Conversation string
	After        int
	Waiting      bool   // the visitor waits for a person, who was told
	OnStart      func() // once, before anything else
	// OnDelta receives the answer while it is written; the texts since the last
	// OnRestart joined are the answer's Text.
	OnDelta   func(text string)
	OnRestart func() // what OnDelta delivered is void
	OnTool    func(api.ToolCall)
}

// Answered is an answer. Marked is its text with the marks of its citations, as a
// later turn of the conversation has it.
type Answered struct {
	api.AgentAnswer
	Marked string
}

// answering is the work on one question.
type answering struct {
	s      *Service
	q      *Question
	agent  api.Agent
	dry    bool // tools are not run
	prompt *prompt

	reply    reply
	calls    []api.ToolCall
	steps    int // calls of tools that can be switched on, also those that were refused
	searches int // of the help centre by the model
	failures int
	answer   api.AgentAnswer
}

// Answer answers a visitor. Whatever goes wrong on the way is a handoff, so that
// the visitor always gets a message; an error means that there is no such agent,
// that the store failed, or that ctx was canceled, as by a person's own reply.
func (s *Service) Answer(ctx context.Context, q Question) (Answered, error) {
	return s.respond(ctx, q, false)
}

// TestChat is an answer that no visitor asked for and nobody keeps.
func (s *Service) TestChat(ctx context.Context, who op.Caller, in api.AgentTestChat) (api.AgentAnswer, error) {
	last := len(in.Messages) - 1
	if in.Messages[last].From != api.AuthorVisitor {
		return api.AgentAnswer{}, api.Invalid(fmt.Sprintf("/messages/%d/from", last), "enum", "the last message must be the visitor's")
	}
	q := Question{Team: who.Team, AgentID: in.ID, Caller: who}
	for _, t := range in.Messages {
		q.Turns = append(q.Turns, Turn(t))
	}
	out, err := s.respond(ctx, q, true)
	return out.AgentAnswer, err
}

func (s *Service) respond(ctx context.Context, q Question, dry bool) (Answered, error) {
	began := s.Now()
	agent, err := s.read(ctx, q.Team, q.AgentID)
	if err != nil {
		return Answered{}, err
	}
	a := &answering{s: s, q: q.silent(), agent: agent, dry: dry, reply: reply{left: agent.Limits.MaxReplyChars}}
	a.answer.Model = agent.Model
	a.q.OnStart()
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	err = a.work(limited)
	switch {
	case ctx.Err() != nil:
		return Answered{}, fmt.Errorf("answer abandoned: %w", ctx.Err())
	case errors.Is(err, kv.ErrClosed):
		return Answered{}, err
	case err != nil:
		slog.WarnContext(ctx, "agent could not answer", "team", q.Team, "agent", q.AgentID, "err", err)
		a.handOff(api.HandoffToolFailure)
	}
	out := a.finish()
	out.DurationMs = s.Now().Sub(began).Milliseconds()
	return out, nil
}

// silent gives every function that is nil one that does nothing.
func (q Question) silent() *Question {
	if q.OnStart == nil {
		q.OnStart = func() {}
	}
	if q.OnDelta == nil {
		q.OnDelta = func(string) {}
	}
	if q.OnRestart == nil {
		q.OnRestart = func() {}
	}
	if q.OnTool == nil {
		q.OnTool = func(api.ToolCall) {}
	}
	return &q
}

// work writes the answer, or says in it why a person has to.
func (a *answering) work(ctx context.Context) error {
	var err error
	if a.prompt, err = a.s.compose(ctx, a.q.Team, &a.agent, a.q.Turns, a.q.Waiting); err != nil {
		return err
	}
	messages := slices.Clone(a.prompt.messages)
	for {
		over, err := a.s.exhausted(ctx, a.q.Team, &a.agent)
		if err != nil {
			return err
		}
		if over {
			a.handOff(api.HandoffUsage)
			return nil
		}
		resp, err := a.ask(ctx, messages)
		if err != nil {
			return err
		}
		if done := a.conclude(resp); done {
			return nil
		}
		messages = append(messages, resp.Message())
		for _, call := range resp.ToolCalls {
			messages = append(messages, a.use(ctx, call))
		}
		if a.failures > maxRepairs {
			a.handOff(api.HandoffToolFailure)
			return nil
		}
	}
}

// spent reports that no tool that can be switched on may be used any more. The
// model is then offered the others: with none at all, a vendor refuses a history
// that has calls.
func (a *answering) spent() bool { return a.steps >= a.agent.Limits.MaxToolSteps }

// ask has the model write one turn.
func (a *answering) ask(ctx context.Context, messages []llm.Message) (llm.Response, error) {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	before, seen := a.reply, 0
	on := a.agent.Tools
	if a.spent() {
		on = api.AgentTools{}
	}
	resp, err := a.s.models.Complete(ctx, llm.Request{
		Model: a.agent.Model, System: a.prompt.system(), Messages: messages, Stable: a.prompt.newest, Tools: offered(on),
		OnDelta: func(text string) {
			seen += len(text)
			if a.write(a.reply.write(text)); a.reply.full {
				enough()
			}
		},
		OnRestart: func() { a.rewind(before) },
		Offline:   a.offline(),
	})
	if err != nil && !a.reply.full {
		a.rewind(before)
		return resp, err
	}
	if err != nil { // it was cut at the limit, before the vendor told what it took
		resp = llm.Response{Usage: a.estimate(messages, seen), Provider: a.s.models.ProviderOf(a.agent.Model)}
	}
	a.write(a.reply.end())
	a.answer.Unanswered = resp.Unanswered
	return resp, a.account(ctx, resp)
}

// account records who answered and what it took.
func (a *answering) account(ctx context.Context, resp llm.Response) error {
	used := api.Usage{InputTokens: int(resp.Usage.InputTokens), OutputTokens: int(resp.Usage.OutputTokens)}
	a.answer.Provider = resp.Provider
	a.answer.Usage.InputTokens += used.InputTokens
	a.answer.Usage.OutputTokens += used.OutputTokens
	return a.s.spend(context.WithoutCancel(ctx), a.q.Team, a.agent.ID, used)
}

// estimate is about what a call took that was cut off: four bytes a token.
func (a *answering) estimate(messages []llm.Message, written int) llm.Usage {
	read := len(a.prompt.system())
	for _, m := range messages {
		read += len(m.Text)
	}
	return llm.Usage{InputTokens: int64(read / 4), OutputTokens: int64(written / 4)}
}

// write delivers text that was let through.
func (a *answering) write(text string) {
	if text != "" {
		a.q.OnDelta(text)
	}
}

// rewind makes what was delivered what it is in before.
func (a *answering) rewind(before reply) {
	delivered := string(a.reply.out)
	a.reply = before
	if delivered != string(before.out) {
		a.q.OnRestart()
		a.write(string(a.reply.out))
	}
}

// conclude ends the answer with a turn that calls no tool, or one to hand off.
func (a *answering) conclude(resp llm.Response) (done bool) {
	reason := reasonIn(resp.ToolCalls)
	switch {
	case recites(string(a.reply.out)):
		a.handOff(api.HandoffPolicy)
	case a.reply.full:
		a.cut()
	case reason == api.HandoffClarification && len(a.reply.out) > 0: // the question that it asks is its answer
	case reason != "":
		a.handOff(reason)
	case resp.StopReason == llm.StopRefusal:
		a.handOff(api.HandoffPolicy)
	case a.spent() && slices.ContainsFunc(resp.ToolCalls, func(c llm.ToolCall) bool { return c.Name != toolSearchHelp }):
		a.handOff(api.HandoffToolFailure) // it was not offered that tool, and calls it
	case len(resp.ToolCalls) > 0:
		return false
	case len(a.reply.out) == 0:
		a.handOff(api.HandoffUnknown)
	case resp.StopReason == llm.StopMaxTokens:
		a.cut()
	}
	return true
}

// cut ends an answer that was broken off where its last sentence ends, and says so.
func (a *answering) cut() {
	a.answer.Stop = api.StopLimit
	whole := a.reply
	whole.keepTo(llm.ToSentence(string(whole.out)))
	a.rewind(whole)
}

// handOff makes the answer the message that a person takes over. What the model
// said before it was a guess, or announces the same.
func (a *answering) handOff(reason string) {
	a.answer.HandoffReason = reason
	a.rewind(reply{})
	message := reply{left: len(a.agent.HandoffMessage)}
	a.write(message.write(a.agent.HandoffMessage) + message.end())
	a.reply = message
}

// finish is the answer as it is.
func (a *answering) finish() Answered {
	out := Answered{AgentAnswer: a.answer}
	out.Text = string(a.reply.out)
	out.HTML = render(out.Text)
	out.ToolCalls = append([]api.ToolCall{}, a.calls...)
	out.Citations = []api.Citation{}
	if a.prompt != nil {
		cited := verify(a.reply.marks, a.prompt.sections)
		out.Citations, out.Marked = citations(cited, a.prompt.sections), marked(out.Text, cited)
		linked := make([]*api.CannedResponse, 0, len(a.prompt.canned))
		for i := range a.prompt.canned {
			linked = append(linked, &a.prompt.canned[i].CannedResponse)
		}
		out.CannedID = reused(out.Text, linked)
	}
	return out
}

// offline is the question with its facts taken apart.
func (a *answering) offline() *llm.OfflineTask {
	task := &llm.OfflineTask{Kind: llm.TaskChat, Question: a.prompt.question, Brand: a.prompt.brand, Common: a.prompt.common, Empty: a.prompt.empty}
	for i := range a.prompt.sections {
		task.Passages = append(task.Passages, a.prompt.sections[i].offline())
	}
	for _, h := range a.prompt.canned {
		task.Canned = append(task.Canned, llm.Canned{Body: h.CannedResponse.Body, Score: h.Score})
	}
	for i := len(a.q.Turns) - 1; i >= 0 && task.Before == ""; i-- {
		if a.q.Turns[i].From == api.AuthorAgent {
			task.Before = a.q.Turns[i].Text
		}
	}
	return task
}
