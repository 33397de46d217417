package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// What visitors can have agents make, of drafts and of images each.
const (
	usesPerConversation = 3
	usesPerDay          = 50 // of one agent, UTC
)

// usesLife is how long it is known what was made in a conversation, after the last.
const usesLife = 30 * 24 * time.Hour

// uses are the calls of tools that made something in a conversation, under its id.
type uses struct {
	Made []use    `json:"m"`
	At   api.Time `json:"t"`
}

type use struct {
	Key   string `json:"k"`
	Image bool   `json:"i,omitempty"`
}

var toolUses = kv.NewTable[uses]("agent tool use")

// keyOf names a call of a tool: the same call for the same question has the same
// key, also when an answer was begun again.
func keyOf(q *Question, tool string, args []byte) string {
	h := sha256.New()
	for _, part := range []string{q.Conversation, strconv.Itoa(q.After), tool, string(args)} {
		fmt.Fprintf(h, "%d\x00%s", len(part), part)
	}
	return "agent-" + hex.EncodeToString(h.Sum(nil))
}

// reserve counts a call before it is carried out, or refuses it. One that was
// counted before, by an answer that came to no end, counts once.
func (s *Service) reserve(ctx context.Context, q *Question, agent string, u use) error {
	return s.store.Update(ctx, func(tx kv.Tx) error {
		r, err := usesOf(tx, q)
		if err != nil || slices.Contains(r.Made, u) {
			return err
		}
		made := 0
		for _, other := range r.Made {
			if other.Image == u.Image {
				made++
			}
		}
		if made >= usesPerConversation {
			return usedUp("in this conversation", usesPerConversation)
		}
		c, err := s.counter(tx, q.Team, agent)
		if err != nil {
			return err
		}
		if *c.used(u) >= usesPerDay {
			return usedUp("by this agent today", usesPerDay)
		}
		if err := s.count(tx, q.Team, agent, func(c *counter) { *c.used(u)++ }); err != nil {
			return err
		}
		r.Made, r.At = append(r.Made, u), s.now()
		return putUses(tx, q, r)
	})
}

// release takes back what was counted for a call that made nothing.
func (s *Service) release(ctx context.Context, q *Question, agent string, u use) error {
	return s.store.Update(ctx, func(tx kv.Tx) error {
		r, err := usesOf(tx, q)
		if err != nil || !slices.Contains(r.Made, u) {
			return err
		}
		r.Made = slices.DeleteFunc(r.Made, func(other use) bool { return other == u })
		if err := s.count(tx, q.Team, agent, func(c *counter) { *c.used(u) = max(0, *c.used(u)-1) }); err != nil {
			return err
		}
		return putUses(tx, q, r)
	})
}

// used is the agent's count of today for calls like u.
func (c *counter) used(u use) *int {
	if u.Image {
		return &c.Images
	}
	return &c.Drafts
}

func usedUp(where string, n int) error {
	return api.NewError(http.StatusTooManyRequests, api.CodeUsageLimit, "No more than %d are made %s. Tell the visitor that a colleague goes on from here.", n, where)
}

func usesOf(tx kv.Tx, q *Question) (*uses, error) {
	r, err := toolUses.Get(tx, q.Team, q.Conversation)
	if missing(err) {
		return &uses{}, nil
	}
	return r, err
}

func putUses(tx kv.Tx, q *Question, r *uses) error {
	err := toolUses.Put(tx, q.Team, q.Conversation, r)
	if missing(err) {
		return toolUses.Insert(tx, q.Team, q.Conversation, r)
	}
	return err
}

// Sweep forgets what was made in conversations long ago, a page at a time. It forgets
// nothing, with event.ErrClock, when all is that old.
func (s *Service) Sweep(ctx context.Context) error {
	before := api.TimeOf(s.Now().Add(-usesLife))
	var old [][2]string
	young := false
	err := s.eachUse(ctx, func(team, id string, r *uses) error {
		if r.At >= before {
			young = true
		} else if len(old) < 10_000 {
			old = append(old, [2]string{team, id})
		}
		return nil
	})
	if err == nil && len(old) > 0 && !young {
		return event.ErrClock
	}
	for page := range slices.Chunk(old, 200) {
		if err != nil {
			return err
		}
		err = s.store.Update(ctx, func(tx kv.Tx) error {
			for _, o := range page {
				r, err := toolUses.Get(tx, o[0], o[1])
				if missing(err) || err == nil && r.At >= before {
					continue
				}
				if err == nil {
					err = toolUses.Delete(tx, o[0], o[1])
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return err
}

func (s *Service) eachUse(ctx context.Context, fn func(team, id string, r *uses) error) (err error) {
	for after, more := "", true; more && err == nil; more = after != "" {
		err = s.store.View(ctx, func(tx kv.Tx) (err error) {
			after, err = toolUses.EachReadable(tx, after, 500, op.Unreadable, fn)
			return err
		})
	}
	return err
}
