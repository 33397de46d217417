package team

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// entry is one privileged act. Each holds the hash of the one before it, so that
// an entry that is changed, dropped or slipped in later breaks the chain.
type entry struct {
	N         uint64   `json:"n"` // counts the team's entries from 1
	Action    string   `json:"a"`
	ActorType string   `json:"ak"`
	ActorID   string   `json:"ai"`
	Target    string   `json:"t,omitempty"`
	Detail    detail   `json:"d,omitempty"`
	RequestID string   `json:"q,omitempty"`
	At        api.Time `json:"at"`
	Prev      []byte   `json:"p,omitempty"`
	Hash      []byte   `json:"h"`
}

// detail says more about an act. It holds no secret.
type detail = map[string]string

// chainEnd is the last entry of a team's chain.
type chainEnd struct {
	N    uint64 `json:"n"`
	Hash []byte `json:"h"`
}

var (
	entries = kv.NewTable("audit", kv.Index[entry]{
		Name: "n",
		Keys: func(v *entry, add func([]byte)) { add(kv.Key(kv.Uint64(v.N))) },
	})
	chainEnds = kv.NewTable[chainEnd]("auditend")
)

// Note adds an act of another domain to the audit log of the caller's team, in
// the transaction of the act.
func (s *Service) Note(tx kv.Tx, who *op.Caller, action, target string) error {
	return s.Audit(tx, who, action, target, nil)
}

// Audit is Note with a detail that says more about the act and holds no secret.
func (s *Service) Audit(tx kv.Tx, who *op.Caller, action, target string, more map[string]string) error {
	end, err := chainEnds.Get(tx, who.Team, who.Team)
	_, first := errors.AsType[*kv.NotFoundError](err)
	if err != nil && !first {
		return err
	}
	if first {
		end = &chainEnd{}
	}
	e := &entry{
		N: end.N + 1, Action: action, ActorType: who.Actor.Type, ActorID: who.Actor.ID, Target: target,
		Detail: more, RequestID: who.RequestID, At: s.now(), Prev: end.Hash,
	}
	id := kv.IDAt("aud", s.Now())
	e.Hash = e.sum(who.Team, id)
	if err := entries.Insert(tx, who.Team, id, e); err != nil {
		return err
	}
	end = &chainEnd{N: e.N, Hash: e.Hash}
	if first {
		return chainEnds.Insert(tx, who.Team, who.Team, end)
	}
	return chainEnds.Put(tx, who.Team, who.Team, end)
}

// sum is the hash of everything an entry says and of where it is. Each part
// is preceded by its length, so that no two entries say the same bytes.
func (e *entry) sum(team, id string) []byte {
	h := sha256.New()
	parts(h, team, id, kv.Uint64(e.N), e.Action, e.ActorType, e.ActorID, e.Target, e.RequestID,
		kv.Uint64(uint64(e.At)), string(e.Prev))
	for _, k := range slices.Sorted(maps.Keys(e.Detail)) {
		parts(h, k, e.Detail[k])
	}
	return h.Sum(nil)
}

func parts(h hash.Hash, texts ...string) {
	for _, t := range texts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(t)))
		h.Write(n[:])
		h.Write([]byte(t))
	}
}

// VerifyAudit walks the chain of a team from its first entry to its last. It
// returns a *kv.CorruptError where the chain is broken, nil when it is whole. An
// entry that cannot be read, or that a repair had to drop, leaves a gap that is
// not verified; every other gap breaks the chain.
func VerifyAudit(tx kv.Tx, team string) error {
	gaps, err := kv.CountDropped(tx, entries.Name(), team)
	if err != nil {
		return err
	}
	last := chainEnd{}
	page := kv.Page[entry]{Index: "n", Ascending: true, Limit: 500, Skip: func(*kv.CorruptError) { gaps++ }}
	for more := true; more; {
		res, err := entries.List(tx, team, page)
		if err != nil {
			return err
		}
		for i, e := range res.Records {
			if missing := int(e.N - last.N - 1); missing > 0 && missing <= gaps {
				gaps -= missing
				last = chainEnd{e.N - 1, e.Prev}
			}
			if e.N != last.N+1 || !bytes.Equal(e.Prev, last.Hash) || !bytes.Equal(e.Hash, e.sum(team, res.IDs[i])) {
				return broken(team, res.IDs[i], "chain is broken at entry %d", last.N+1)
			}
			last = chainEnd{e.N, e.Hash}
		}
		page.After, more = res.Next, res.More
	}
	end, err := chainEnds.Get(tx, team, team)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		end, err = &chainEnd{}, nil
	}
	if err != nil || end.N > last.N && end.N-last.N <= uint64(gaps) {
		return err
	}
	if end.N != last.N || !bytes.Equal(end.Hash, last.Hash) {
		return broken(team, team, "chain ends at entry %d, not at %d", last.N, end.N)
	}
	return nil
}

func broken(team, id, reason string, args ...any) error {
	return &kv.CorruptError{
		Key:    kv.Key(entries.Name(), "r", id),
		Reason: "audit log of " + team + ": " + fmt.Sprintf(reason, args...),
	}
}

// AuditLog lists the privileged acts in the caller's team.
func (s *Service) AuditLog(ctx context.Context, who op.Caller, q api.PageQuery) (page api.Page[api.AuditEntry], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		page, err = op.List(tx, entries, who.Team, "", q, kv.Page[entry]{Index: "n"}, showEntry)
		return err
	})
	return page, err
}

func showEntry(id string, e *entry) (api.AuditEntry, error) {
	return api.AuditEntry{
		ID: id, Action: e.Action, Actor: api.Actor{Type: e.ActorType, ID: e.ActorID}, Target: e.Target,
		Detail: e.Detail, RequestID: e.RequestID, CreatedAt: e.At,
	}, nil
}
