package agents

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// counter is what one agent did.
type counter struct {
	Answers       int       `json:"a"`
	Handoffs      int       `json:"h"`
	Conversations int       `json:"c"`
	Usage         api.Usage `json:"u"`
	Day           string    `json:"d"`           // UTC, that Today is about
	Today         int       `json:"t"`           // tokens
	Drafts        int       `json:"n,omitempty"` // of Day
	Images        int       `json:"i,omitempty"`
	Good          int       `json:"g"`
	Bad           int       `json:"b"`
}

// Stats returns an agent's counters.
func (s *Service) Stats(ctx context.Context, who op.Caller, in api.AgentRef) (out api.AgentStats, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		if ok, err := agents.Exists(tx, who.Team, in.ID); err != nil || !ok {
			_, err := agents.Get(tx, who.Team, in.ID) // for its error
			return err
		}
		c, err := s.counter(tx, who.Team, in.ID)
		out = api.AgentStats{
			Answers: c.Answers, Handoffs: c.Handoffs, Conversations: c.Conversations,
			Usage: c.Usage, TokensToday: c.Today, RatedGood: c.Good, RatedBad: c.Bad,
		}
		return err
	})
	return out, err
}

// counter reads the counters of an agent, with Today being today's.
func (s *Service) counter(tx kv.Tx, team, id string) (counter, error) {
	today := s.Now().UTC().Format("2006-01-02")
	c, err := counters.Get(tx, team, id)
	if missing(err) {
		return counter{Day: today}, nil
	}
	if err != nil {
		return counter{}, err
	}
	if c.Day != today {
		c.Day, c.Today, c.Drafts, c.Images = today, 0, 0, 0
	}
	return *c, nil
}

// count changes the counters of an agent. Those of a deleted agent are gone for
// good: an answer that is settled late does not bring them back.
func (s *Service) count(tx kv.Tx, team, id string, add func(*counter)) error {
	if ok, err := agents.Exists(tx, team, id); err != nil || !ok {
		return err
	}
	c, err := s.counter(tx, team, id)
	if err != nil {
		return err
	}
	add(&c)
	err = counters.Put(tx, team, id, &c)
	if missing(err) {
		return counters.Insert(tx, team, id, &c)
	}
	return err
}

// Began counts a conversation that an agent takes part in, in the transaction
// that gives it to the agent.
func (s *Service) Began(tx kv.Tx, team, agentID string) error {
	return s.count(tx, team, agentID, func(c *counter) { c.Conversations++ })
}

// Settled counts an answer, in the transaction that stores its message: an
// answer that nobody saw counts for nothing but its tokens.
func (s *Service) Settled(tx kv.Tx, team, agentID string, answer api.AgentAnswer) error {
	return s.count(tx, team, agentID, func(c *counter) {
		if answer.HandoffReason != "" {
			c.Handoffs++
		} else {
			c.Answers++
		}
	})
}

// Rated counts ratings; a rating that is taken back counts -1.
func (s *Service) Rated(tx kv.Tx, team, agentID string, good, bad int) error {
	return s.count(tx, team, agentID, func(c *counter) {
		c.Good, c.Bad = max(0, c.Good+good), max(0, c.Bad+bad)
	})
}

// spend adds tokens to what the agent used, today and ever.
func (s *Service) spend(ctx context.Context, team, id string, used api.Usage) error {
	if used == (api.Usage{}) {
		return nil
	}
	return s.store.Update(ctx, func(tx kv.Tx) error {
		return s.count(tx, team, id, func(c *counter) {
			c.Usage.InputTokens += used.InputTokens
			c.Usage.OutputTokens += used.OutputTokens
			c.Today += used.InputTokens + used.OutputTokens
		})
	})
}

// exhausted reports that an agent has no tokens left for today. Answers that
// run at the same time may together go over by what each of them takes.
func (s *Service) exhausted(ctx context.Context, team string, a *api.Agent) (over bool, err error) {
	if a.Limits.DailyTokens == 0 {
		return false, nil
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		c, err := s.counter(tx, team, a.ID)
		over = c.Today >= a.Limits.DailyTokens
		return err
	})
	return over, err
}
