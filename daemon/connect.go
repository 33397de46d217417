package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/agents"
	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// connectAgents gives those who answer visitors what they need of each other.
func (d *Daemon) connectAgents() {
	d.helpdesk.Pages, d.posts.Pages = d.pages("help/"), d.pages("")
	d.agents.Search = d.helpdesk.Search
	d.agents.Tool = d.runTool
	d.agents.Brand = d.team.Brand
	d.agents.Dropped = d.tasks.DropAgent
	d.tasks.Agent = d.agents.Known
	d.tasks.Brand = d.team.Brand
	d.tasks.Team = d.teamFacts
	d.chat.ActiveAgent = d.activeAgent
	d.chat.Answer = d.answer
	d.chat.Settled = d.agents.Settled
	d.chat.Member = d.team.UserName
	d.chat.Audit = d.team.Note
	d.chat.Canned = d.agents.HasCanned
	d.tasks.Quota, d.chat.Quota = d.quota(), d.quota()
}

// quota holds teams to their share of the store.
func (d *Daemon) quota() op.Quota {
	return op.Quota{Size: d.cfg.teamSize(), Full: d.team.StorageFull}
}

// pages is where the public pages of texts are, which have the prefix on the site
// of their team.
func (d *Daemon) pages(prefix string) func(ctx context.Context, teamID string) func(slug string) string {
	return func(ctx context.Context, teamID string) func(string) string {
		t, err := d.team.TeamByID(ctx, teamID)
		if err != nil {
			return func(string) string { return "" }
		}
		return func(slug string) string { return d.base + "/" + t.Slug + "/" + prefix + url.PathEscape(slug) }
	}
}

// runTool runs an operation for an agent. It answers with what was made, not
// with all that it holds: the model has just written that itself.
func (d *Daemon) runTool(ctx context.Context, who op.Caller, name, key string, args []byte) (string, error) {
	o := d.table.Lookup(name)
	if o == nil {
		return "", fmt.Errorf("run %s: there is no such operation", name)
	}
	res, refused := d.table.Call(ctx, op.Request{Op: o, Caller: who, Args: op.Args{Body: args}, IdempotencyKey: key})
	if refused != nil {
		return "", refused
	}
	answer, err := o.Answer(res)
	if err != nil {
		return "", fmt.Errorf("run %s: %w", name, err)
	}
	switch v := answer.(type) {
	case api.PostCreated:
		return v.Post.ID, nil
	case api.Article:
		return v.ID, nil
	case api.JobStarted:
		return v.JobID, nil
	}
	return "", fmt.Errorf("run %s: %T names nothing that was made", name, answer)
}

// teamFacts are what tasks may say of the team.
func (d *Daemon) teamFacts(ctx context.Context, id string) (map[string]any, error) {
	t, err := d.team.TeamByID(ctx, id)
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": t.ID, "name": t.Name, "slug": t.Slug}, nil
}

func (d *Daemon) activeAgent(ctx context.Context, teamID string) (a api.Agent, ok bool, err error) {
	err = d.store.View(ctx, func(tx kv.Tx) (err error) {
		a, ok, err = d.agents.Active(tx, teamID)
		return err
	})
	return a, ok, err
}

// answer has an agent answer a conversation.
func (d *Daemon) answer(ctx context.Context, q chat.Question) (chat.Answered, error) {
	turns := make([]agents.Turn, len(q.Turns))
	for i, t := range q.Turns {
		turns[i] = agents.Turn(t)
	}
	answer, err := d.agents.Answer(ctx, agents.Question{
		Team: q.Team, AgentID: q.AgentID, Turns: turns, Caller: q.Caller, Waiting: q.Waiting,
		Conversation: q.Conversation, After: q.After,
		OnStart: q.OnStart, OnDelta: q.OnDelta, OnRestart: q.OnRestart, OnTool: q.OnTool,
	})
	// The event of the hand-over, which notes it else, comes once.
	again := q.Waiting && answer.HandoffReason == api.HandoffUnknown
	if err == nil && (answer.Unanswered || again) {
		if err := d.helpdesk.Gap(ctx, q.Team, turns[len(turns)-1].Text); err != nil {
			slog.WarnContext(ctx, "a question that nothing answers was not noted", "team", q.Team, "err", err)
		}
	}
	return chat.Answered(answer), err
}

// gapPause is how long the recording of one question may take.
const gapPause = 10 * time.Second

// react tells the helpdesk which questions it did not answer, and agents how
// they were rated. It hears of both at least once: a crash may count one twice.
func (d *Daemon) react(ctx context.Context) error {
	return d.log.Follow(ctx, "reactions", func(ctx context.Context, events []api.Event) error {
		for _, e := range events {
			if err := d.reactTo(ctx, e); err != nil {
				return fmt.Errorf("react to %s: %w", e.Type, err)
			}
		}
		return nil
	}, "conversation.handed_off", "conversation.rated", "conversation.started")
}

func (d *Daemon) reactTo(ctx context.Context, e api.Event) error {
	ctx, cancel := context.WithTimeout(ctx, gapPause)
	defer cancel()
	switch e.Type {
	case "conversation.rated":
		return d.countRating(ctx, e)
	default:
		var c api.Conversation
		if err := op.Decode(e.Data.Object, &c); err != nil {
			return err
		}
		if e.Type == "conversation.started" {
			return d.store.Update(ctx, func(tx kv.Tx) error { return d.agents.Began(tx, e.TeamID, c.AgentID) })
		}
		if c.HandoffReason == api.HandoffUnknown && c.LastMessage != nil {
			return d.helpdesk.Gap(ctx, e.TeamID, c.LastMessage.Text)
		}
		return nil
	}
}

// countRating counts a rating for the agent that wrote the message, and takes
// back the one before.
func (d *Daemon) countRating(ctx context.Context, e api.Event) error {
	var m api.Message
	var before struct {
		Rating int `json:"rating"`
	}
	if err := op.Decode(e.Data.Object, &m); err != nil {
		return err
	}
	if len(e.Data.Previous) > 0 {
		if err := op.Decode(e.Data.Previous, &before); err != nil {
			return err
		}
	}
	count := func(v int) (good, bad int) { return max(v, 0), max(-v, 0) }
	good, bad := count(m.Rating)
	goodBefore, badBefore := count(before.Rating)
	return d.store.Update(ctx, func(tx kv.Tx) error {
		return d.agents.Rated(tx, e.TeamID, m.Author.ID, good-goodBefore, bad-badBefore)
	})
}
