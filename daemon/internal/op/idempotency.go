package op

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// IdempotencyTTL is how long a key answers as the first request did.
const IdempotencyTTL = 24 * time.Hour

const maxIdempotencyKey = 255

// answers holds what was answered under each idempotency key.
var answers = kv.NewTable[answer]("idem")

type answer struct {
	Hash     [32]byte `json:"h"`
	Status   int      `json:"s"`
	Location string   `json:"l"`
	Version  int      `json:"v"`
	Body     []byte   `json:"b"`
	Expires  int64    `json:"e"` // Unix milliseconds
}

// claim is one request's use of an idempotency key.
type claim struct {
	op      *Op
	team    string
	id      string
	hash    [32]byte
	item    bool // part of a batch, which puts its answer together itself
	expired bool // an answer is stored whose time is over
	stored  *answer
}

// errReplay ends an operation whose answer is already stored.
var errReplay = errors.New("op: answer is stored")

func newClaim(r *Request) (*claim, error) {
	if len(r.IdempotencyKey) > maxIdempotencyKey {
		return nil, api.NewError(http.StatusBadRequest, api.CodeInvalidParameter,
			"The Idempotency-Key may have at most %d characters.", maxIdempotencyKey)
	}
	if strings.ContainsFunc(r.IdempotencyKey, func(c rune) bool { return c < ' ' || c >= 0x7f && c < 0xa0 || c == utf8.RuneError }) {
		return nil, api.NewError(http.StatusBadRequest, api.CodeInvalidParameter, "The Idempotency-Key must be UTF-8 text without control characters.")
	}
	h := sha256.New()
	h.Write([]byte(r.Op.Name))
	for _, p := range r.Args.Params {
		h.Write([]byte("\x00" + p.Name + "\x00" + p.Value))
	}
	h.Write([]byte{0})
	h.Write(r.Args.Body)
	c := &claim{op: r.Op, team: r.Caller.Team, id: claimID(r.Caller.Team, r.IdempotencyKey)}
	h.Sum(c.hash[:0])
	return c, nil
}

// claimID keeps the keys of teams apart: they choose the same ones.
func claimID(team, key string) string { return team + "/" + key }

func (c *claim) check(tx kv.Tx) error {
	a, err := answers.Get(tx, c.team, c.id)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		c.expired = false
		return nil
	}
	if err != nil {
		return err
	}
	if c.expired = a.Expires < time.Now().UnixMilli(); c.expired {
		return nil
	}
	if a.Hash != c.hash {
		return api.NewError(http.StatusUnprocessableEntity, api.CodeIdempotencyKeyReused,
			"This Idempotency-Key was used for another request in the last 24 hours.")
	}
	c.stored = a
	return errReplay
}

func (c *claim) keep(tx kv.Tx, out any) error {
	res := describe(c.op, Result{}, out)
	if res.JSON == nil {
		var err error
		if res.JSON, err = Encode(nil, res.Value); err != nil {
			return err
		}
	}
	store := answers.Insert
	if c.expired {
		store = answers.Put
	}
	return store(tx, c.team, c.id, &answer{
		Hash: c.hash, Status: res.Status, Location: res.Location, Version: res.Version,
		Body: res.JSON, Expires: time.Now().Add(IdempotencyTTL).UnixMilli(),
	})
}

func (c *claim) replay(res Result) Result {
	res.Status, res.JSON, res.Location, res.Version = c.stored.Status, c.stored.Body, c.stored.Location, c.stored.Version
	res.Replayed = true
	return res
}

// SweepAnswers deletes the answers that had expired at now, a page at a time. It
// leaves them all when the newest has been expired for long: then nothing grows,
// and the clock may be wrong.
func SweepAnswers(ctx context.Context, store kv.Store, now time.Time) error {
	newest, err := newestAnswer(ctx, store)
	if err != nil || newest < now.Add(-IdempotencyTTL).UnixMilli() {
		return err
	}
	for after := ""; ; {
		next := ""
		err := store.Update(ctx, func(tx kv.Tx) (err error) {
			next, err = sweepPage(tx, after, now.UnixMilli())
			return err
		})
		if err != nil || next == "" {
			return err
		}
		after = next
	}
}

// newestAnswer is when the last answer expires.
func newestAnswer(ctx context.Context, store kv.Store) (expires int64, err error) {
	for after, more := "", true; more && err == nil; more = after != "" {
		err = store.View(ctx, func(tx kv.Tx) (err error) {
			after, err = answers.EachReadable(tx, after, 500, Unreadable, func(_, _ string, a *answer) error {
				expires = max(expires, a.Expires)
				return nil
			})
			return err
		})
	}
	return expires, err
}

func sweepPage(tx kv.Tx, after string, now int64) (next string, err error) {
	var dead [][2]string
	next, err = answers.EachReadable(tx, after, 500, Unreadable, func(team, id string, a *answer) error {
		if a.Expires < now {
			dead = append(dead, [2]string{team, id})
		}
		return nil
	})
	for _, d := range dead {
		if err == nil {
			err = answers.Delete(tx, d[0], d[1])
		}
	}
	return next, err
}

// Tables are the tables of this package, for the store's checker.
func Tables() []kv.Checker { return []kv.Checker{answers} }
