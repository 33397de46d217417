package op

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"time"

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

// claim is one request's use of an idempotency key. It travels in the context,
// so that the answer is stored in the transaction that makes the change.
type claim struct {
	op     *Op
	team   string
	id     string
	hash   [32]byte
	item   bool // part of a batch, which puts its answer together itself
	stored *answer
}

type claimKey struct{}

// errReplay ends an operation whose answer is already stored.
var errReplay = errors.New("op: answer is stored")

func newClaim(r *Request) (*claim, error) {
	if len(r.IdempotencyKey) > maxIdempotencyKey {
		return nil, api.NewError(http.StatusBadRequest, api.CodeInvalidParameter,
			"The Idempotency-Key may have at most %d characters.", maxIdempotencyKey)
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

// Item derives the context for item i of a batch, whose answer is kept under
// the batch's key and the item's number.
func Item(ctx context.Context, i int) context.Context {
	c, _ := ctx.Value(claimKey{}).(*claim)
	if c == nil {
		return ctx
	}
	item := *c
	item.id += "/" + strconv.Itoa(i)
	item.item = true
	return context.WithValue(ctx, claimKey{}, &item)
}

// Update runs fn in one transaction and returns its answer. When the request
// carries an idempotency key, the answer is stored in the same transaction; a
// repeated request gets that answer and fn does not run. Every operation that
// changes something goes through it.
func Update[Out any](ctx context.Context, store kv.Store, fn func(kv.Tx) (Out, error)) (Out, error) {
	var out Out
	c, _ := ctx.Value(claimKey{}).(*claim)
	err := store.Update(ctx, func(tx kv.Tx) error {
		if c != nil {
			if err := c.check(tx); err != nil {
				return err
			}
		}
		var err error
		if out, err = fn(tx); err != nil {
			return err
		}
		if n, ok := ctx.Value(noteKey{}).(*note); ok {
			if err := n.write(tx, out); err != nil {
				return err
			}
		}
		if c == nil {
			return nil
		}
		return c.keep(tx, out)
	})
	if errors.Is(err, errReplay) && c.item {
		return out, Decode(c.stored.Body, &out)
	}
	return out, err
}

func (c *claim) check(tx kv.Tx) error {
	a, err := answers.Get(tx, c.team, c.id)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return nil
	}
	if err != nil {
		return err
	}
	if a.Expires < time.Now().UnixMilli() {
		return answers.Delete(tx, c.team, c.id)
	}
	if a.Hash != c.hash {
		return api.NewError(http.StatusUnprocessableEntity, api.CodeIdempotencyKeyReused,
			"This Idempotency-Key was used for another request in the last 24 hours.")
	}
	c.stored = a
	return errReplay
}

func (c *claim) keep(tx kv.Tx, out any) error {
	body, err := Encode(nil, out)
	if err != nil {
		return err
	}
	res := describe(c.op, Result{}, out)
	return answers.Insert(tx, c.team, c.id, &answer{
		Hash: c.hash, Status: res.Status, Location: res.Location, Version: res.Version,
		Body: body, Expires: time.Now().Add(IdempotencyTTL).UnixMilli(),
	})
}

func (c *claim) replay(res Result) Result {
	res.Status, res.JSON, res.Location, res.Version = c.stored.Status, c.stored.Body, c.stored.Location, c.stored.Version
	res.Replayed = true
	return res
}

// SweepAnswers deletes the answers that expired, a page at a time.
func SweepAnswers(ctx context.Context, store kv.Store) error {
	for after := ""; ; {
		next := ""
		err := store.Update(ctx, func(tx kv.Tx) (err error) {
			next, err = sweepPage(tx, after)
			return err
		})
		if err != nil || next == "" {
			return err
		}
		after = next
	}
}

func sweepPage(tx kv.Tx, after string) (next string, err error) {
	var dead [][2]string
	now := time.Now().UnixMilli()
	next, err = answers.Each(tx, after, 500, func(team, id string, a *answer) error {
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
