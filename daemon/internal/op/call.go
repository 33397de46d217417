package op

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Request is one invocation as a surface read it from its wire.
type Request struct {
	Op     *Op
	Caller Caller
	Args   Args
	// IdempotencyKey makes a repeated write answer as the first did. It counts
	// only for operations that change something.
	IdempotencyKey string
	// Class counts in place of the row's where that is for any read or write.
	Class Class
	// Do runs in place of the row's function where the input is not JSON: it has
	// read Args by itself. nil for every row of the table.
	Do func(ctx context.Context, who Caller) (any, error)
}

// Result is what a surface answers with.
type Result struct {
	Status   int
	Value    any    // the answer, nil when JSON holds it
	JSON     []byte // the answer where it is at hand encoded, as under an idempotency key
	Location string // below the version prefix, "" for none
	Version  int    // for the ETag, 0 for none
	Replayed bool
	Rate     Rate
}

// Call runs one operation. Its error is always an *api.Error.
func (t *Table) Call(ctx context.Context, r Request) (Result, *api.Error) {
	res, err := t.call(ctx, &r)
	if err == nil {
		return res, nil
	}
	return res, t.refuse(ctx, err, &r)
}

func (t *Table) call(ctx context.Context, r *Request) (res Result, err error) {
	if err := r.Op.admit(&r.Caller); err != nil {
		return res, err
	}
	r.Caller.limits = t.limits
	if res.Rate, err = t.limits.Take(&r.Caller, r.class()); err != nil {
		return res, err
	}
	do, in := r.Do, any(nil)
	if do == nil {
		if in, err = r.Op.input.decode(t.Registry, &r.Args); err != nil {
			return res, err
		}
		do = func(ctx context.Context, who Caller) (any, error) { return r.Op.Do.run(ctx, who, in) }
	}
	d, err := t.owed(ctx, r, in)
	r.Caller.due, r.Caller.charge = d, charge{t.Quota, r.Op.Frees, r.Op.Urgent}
	var out any
	if err == nil {
		out, err = do(ctx, r.Caller)
	}
	if err == nil {
		err = d.settle(ctx, t.store, out)
	}
	if errors.Is(err, errReplay) {
		return d.claim.replay(res), nil
	}
	if err != nil {
		return res, err
	}
	return describe(r.Op, res, out), nil
}

func (r *Request) class() Class {
	if r.Class != 0 && (r.Op.Class == ClassRead || r.Op.Class == ClassWrite) {
		return r.Class
	}
	return r.Op.Class
}

// What an answer may say of itself. The contract's types implement them.
type (
	withStatus   interface{ HTTPStatus() int }
	withLocation interface{ Location() string }
	withVersion  interface{ ETagVersion() int }
)

func describe(o *Op, res Result, out any) Result {
	res.Value, res.Status = out, o.Status
	if e, ok := out.(interface{ parts() (any, []byte) }); ok {
		if out, res.JSON = e.parts(); res.JSON == nil {
			res.Value = out
		} else {
			res.Value = nil
		}
	}
	if v, ok := out.(withStatus); ok {
		res.Status = v.HTTPStatus()
	}
	if v, ok := out.(withLocation); ok {
		res.Location = v.Location()
	}
	if v, ok := out.(withVersion); ok {
		res.Version = v.ETagVersion()
	}
	return res
}

// refuse turns any error into one that the client may see. Unknown causes are
// logged here, once, and never sent.
func (t *Table) refuse(ctx context.Context, err error, r *Request) *api.Error {
	e := Refusal(err)
	if e.Status >= http.StatusInternalServerError && e.Status != http.StatusInsufficientStorage {
		slog.ErrorContext(ctx, "operation failed", "op", r.Op.Name, "team", r.Caller.Team, "request", r.Caller.RequestID, "err", err)
	}
	return e
}

// Refusal translates err: an *api.Error as it is (a copy, so that surfaces may
// fill in the request), the store's errors into theirs, everything else into
// internal without its cause.
func Refusal(err error) *api.Error {
	if e, ok := errors.AsType[*api.Error](err); ok {
		out := *e
		return &out
	}
	if nf, ok := errors.AsType[*kv.NotFoundError](err); ok {
		return api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such %s.", noun(nf.Table))
	}
	if u, ok := errors.AsType[*kv.UnreadableError](err); ok {
		return api.NewError(http.StatusBadRequest, api.CodeInvalidRequest, "The request cannot be stored: %s. Nothing was changed.", u.Reason)
	}
	if full, ok := errors.AsType[*kv.TeamFullError](err); ok {
		refusals.TeamFull.Count()
		return api.NewError(http.StatusInsufficientStorage, api.CodeStorageFull,
			"Your team's storage is full: with this it would hold %d bytes, and the limit of each team is %d. Nothing was changed. Delete what you do not need.",
			full.Size, full.Limit)
	}
	switch {
	case errors.Is(err, kv.ErrFull):
		refusals.StorageFull.Count()
		return api.NewError(http.StatusInsufficientStorage, api.CodeStorageFull,
			"The server's storage is full, not yours alone. Nothing was changed; reading and deleting still work.")
	case errors.Is(err, kv.ErrClosed), errors.Is(err, context.Canceled):
		e := api.NewError(http.StatusServiceUnavailable, api.CodeOverloaded, "The server is stopping. Try again.")
		e.RetryAfter = 1
		return e
	}
	return api.NewError(http.StatusInternalServerError, api.CodeInternal, "Something went wrong on our side. The request id names it in the log.")
}

// noun is the word for a table's records in messages.
func noun(table string) string {
	if table == "" {
		return "object"
	}
	return table
}
