package chat

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// usage is how many bytes visitors have had written in one day (UTC): those of
// a network at a team, of a site, or of a team. It is in the store, so that
// a restart forgets none of it, and grows in the transaction that writes.
type usage struct {
	Bytes int64 `json:"b"`
	// Noted are the kinds of limit that the audit log says were reached; in the
	// row of the team.
	Noted []string `json:"n,omitempty"`
}

var usages = kv.NewTable[usage]("chatuse")

// The kinds of limit.
const (
	ofNetwork = "network"
	ofSite    = "site"
	ofTeam    = "team"
)

// usageKept is how long rows are kept: a day ends everywhere on earth within it.
const usageKept = 48 * time.Hour

// usageCost is about what a row of its own takes, and gapCost what an unanswered
// question has others write: the gap and its event.
const (
	usageCost = 200
	gapCost   = 8 << 10
)

// source is whose doing it is that something is written.
type source struct {
	team, site string
	network    string // as a keyed hash; "" is unknown
}

// bound is one row that is counted on.
type bound struct {
	kind, id string
	limit    int64
}

// bounds begin with the team's.
func (s *Service) bounds(from source) []bound {
	day := s.Now().UTC().Format(time.DateOnly)
	all := []bound{{ofTeam, day + "/team/" + from.team, s.o.DailyPerTeam}, {ofSite, day + "/site/" + from.team + "/" + from.site, s.o.DailyPerSite}}
	if from.network != "" {
		all = append(all, bound{ofNetwork, day + "/network/" + from.team + "/" + from.network, s.o.DailyPerNetwork})
	}
	return all
}

// overLimit refuses what would have gone beyond a limit.
type overLimit struct {
	kind string
	e    *api.Error
}

func (o *overLimit) Error() string { return o.e.Error() }

func refuseUsage(kind string) *overLimit {
	detail := "The chat has taken all the messages that it can today. Try again tomorrow, or write an e-mail."
	if kind == ofNetwork {
		detail = "Your network has sent all that the chat takes from it in a day. Try again tomorrow, or write an e-mail."
	}
	return &overLimit{kind, api.NewError(http.StatusTooManyRequests, api.CodeUsageLimit, "%s", detail)}
}

// charge counts bytes that were written for from. Unless force, it refuses with
// an *overLimit what goes beyond a limit.
func (s *Service) charge(tx kv.Tx, from source, bytes int64, force bool) error {
	for _, b := range s.bounds(from) {
		u, err := usages.Get(tx, from.team, b.id)
		fresh := missing(err)
		if fresh {
			u, err = &usage{Bytes: usageCost}, nil
		}
		if err != nil {
			return err
		}
		u.Bytes += bytes
		if !force && b.limit > 0 && u.Bytes > b.limit {
			return refuseUsage(b.kind)
		}
		if fresh {
			err = usages.Insert(tx, from.team, b.id, u)
		} else {
			err = usages.Put(tx, from.team, b.id, u)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// meter counts what a transaction writes.
type meter struct {
	kv.Tx
	bytes int64
}

// Put implements kv.Tx.
func (m *meter) Put(key, value []byte) error {
	m.bytes += int64(len(key) + len(value))
	return m.Tx.Put(key, value)
}

// metered is an Update whose bytes are counted, and which a team's share of the
// store bounds. What writes nothing costs nothing, and is not committed.
func (s *Service) metered(ctx context.Context, from source, fn func(tx kv.Tx) error) error {
	err := s.Quota.Update(ctx, s.store, from.team, func(tx kv.Tx) error {
		m := &meter{Tx: tx}
		if err := fn(m); err != nil || m.bytes == 0 {
			return err
		}
		return s.charge(tx, from, m.bytes, false)
	})
	if errors.Is(err, kv.ErrFull) {
		return refuseFull(err)
	}
	over, ok := errors.AsType[*overLimit](err)
	if !ok {
		return err
	}
	s.noteLimit(ctx, from, over.kind)
	return over.e
}

// refuseFull is what a visitor reads when the team or the server has no room for
// more: nothing of whose fault it is, nor how large it is.
func refuseFull(err error) *api.Error {
	kind := refusals.StorageFull
	if _, ok := errors.AsType[*kv.TeamFullError](err); ok {
		kind = refusals.TeamFull
	}
	kind.Count()
	return api.NewError(http.StatusInsufficientStorage, api.CodeStorageFull,
		"The chat cannot take messages at the moment. Try again later, or write an e-mail.")
}

// noteLimit says in the team's audit log that a limit was reached: each kind
// once a day.
func (s *Service) noteLimit(ctx context.Context, from source, kind string) {
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		kv.UseReserve(tx)
		row := s.bounds(from)[0]
		u, err := usages.Get(tx, from.team, row.id)
		if missing(err) {
			u = &usage{}
			err = usages.Insert(tx, from.team, row.id, u)
		}
		if err != nil || slices.Contains(u.Noted, kind) {
			return err
		}
		u.Noted = append(u.Noted, kind)
		if err := usages.Put(tx, from.team, row.id, u); err != nil {
			return err
		}
		target := kind
		if kind == ofSite {
			target = from.site
		}
		who := op.Caller{Kind: op.System, Team: from.team, Actor: api.Actor{Type: "system", ID: "chat"}}
		return s.Audit(tx, &who, "conversations.usageLimit", target)
	})
	if err != nil {
		slog.WarnContext(ctx, "the audit log does not say that a limit of the chat was reached", "team", from.team, "limit", kind, "err", err)
	}
}

// network is what stands for a client's network in the store: nobody who reads
// it learns the address.
func (k *keys) network(address string) string {
	sum := keyring{keys: k}.sum(k.ids, "network", address)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// sweepPage is how many rows one transaction removes.
const sweepPage = 500

// Sweep removes the counts of days that are over.
func (s *Service) Sweep(ctx context.Context) error {
	before := s.Now().Add(-usageKept).UTC().Format(time.DateOnly)
	for after, more := "", true; more; more = after != "" {
		next := ""
		err := s.store.Update(ctx, func(tx kv.Tx) (err error) {
			var over [][2]string
			next, err = usages.EachReadable(tx, after, sweepPage, op.Unreadable, func(team, id string, _ *usage) error {
				if id >= before {
					return kv.Stop
				}
				over = append(over, [2]string{team, id})
				return nil
			})
			for _, row := range over {
				if err == nil {
					err = usages.Delete(tx, row[0], row[1])
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		after = next
	}
	return nil
}
