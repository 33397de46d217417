// Package event is the team's event log: every change that others may care for
// is appended in the transaction that makes it, so an event exists exactly when
// its change does. Webhooks, search indexes and live screens follow the one log.
//
// It knows the envelope and the order. What happened, and what the object of an
// event holds, is the domain's that declares the Kind and appends it.
package event

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Retention is how long events are kept.
const Retention = 90 * 24 * time.Hour

// apiVersion is the contract that the objects of events follow.
const apiVersion = "v1"

// Log is the event log of all teams. It is safe for concurrent use.
type Log struct {
	// Now is the clock; set it before first use only.
	Now func() time.Time

	store kv.Store
	types []Type

	mu      sync.Mutex // guards waiters
	waiters map[chan struct{}]struct{}
}

// New returns the log kept in store, of events of these types.
func New(store kv.Store, types ...[]Type) *Log {
	return &Log{Now: time.Now, store: store, types: slices.Concat(types...), waiters: map[chan struct{}]struct{}{}}
}

// record is one stored event. Its id in the table is its sequence number, so
// that the log of all teams is read in one direction and only ever grows at its
// end; the event's public id says the time and the sequence and needs no index.
type record struct {
	Type      string          `json:"t"`
	At        api.Time        `json:"at"`
	ActorType string          `json:"ak"`
	ActorID   string          `json:"ai"`
	Object    json.RawMessage `json:"o"`
	Previous  json.RawMessage `json:"p,omitempty"`
	RequestID string          `json:"q,omitempty"`
}

// events has one index, by time within the team: what a team lists never leads
// over another team's events.
var events = kv.NewTable("event", kv.Index[record]{
	Name: "t",
	Keys: func(v *record, add func([]byte)) { add(timeKey(v.At)) },
})

func timeKey(at api.Time) []byte { return kv.Key(kv.Uint64(uint64(max(at, 0)))) }

// sequenceKey counts the events of all teams.
var sequenceKey = kv.Key("eventsequence")

// Tables are what verifies the log in a store.
func Tables() []kv.Checker { return []kv.Checker{events, cursors} }

// Append adds an event of a kind in the transaction that makes the change. v
// becomes the event's data.object, so it leaves out what is too large to send to
// every webhook, such as the content of a post. previous holds the earlier values
// of changed members only. A kind that the log was not told of is an error: a
// mistake of the program.
func Append[T any](l *Log, tx kv.Tx, who op.Caller, k Kind[T], v *T, previous map[string]any) error {
	object, err := op.Encode(nil, v)
	if err != nil {
		return fmt.Errorf("encode object of %s: %w", k.Name, err)
	}
	return l.append(tx, who, k.Name, object, previous)
}

// AppendEncoded is Append for an object that its domain has as JSON already.
func AppendEncoded[T any](l *Log, tx kv.Tx, who op.Caller, k Kind[T], v op.Encoded[T], previous map[string]any) error {
	return l.append(tx, who, k.Name, v.JSON, previous)
}

func (l *Log) append(tx kv.Tx, who op.Caller, name string, object []byte, previous map[string]any) error {
	if _, ok := l.typeOf(name); !ok {
		return fmt.Errorf("append event: there is no type %q", name)
	}
	rec := &record{
		Type: name, At: api.TimeOf(l.Now()), Object: object,
		ActorType: who.Actor.Type, ActorID: who.Actor.ID, RequestID: who.RequestID,
	}
	var err error
	if len(previous) > 0 {
		if rec.Previous, err = op.Encode(nil, previous); err != nil {
			return fmt.Errorf("encode previous of %s: %w", name, err)
		}
	}
	seq, err := kv.Next(tx, sequenceKey)
	if err != nil {
		return err
	}
	tx.OnCommit(l.wake)
	return events.Insert(tx, who.Team, recordID(seq), rec)
}

// Last is the sequence number of the latest event of all teams, 0 before the
// first.
func (l *Log) Last(tx kv.Tx) (uint64, error) { return kv.Count(tx, sequenceKey) }

// Read returns up to limit events of all teams that follow the sequence number
// after, in order.
func (l *Log) Read(tx kv.Tx, after uint64, limit int) ([]api.Event, error) {
	var out []api.Event
	_, err := events.Each(tx, recordID(after), limit, func(team, id string, r *record) error {
		e, err := l.event(r, team, id)
		out = append(out, e)
		return err
	})
	return out, err
}

// event is the envelope of a record.
func (l *Log) event(r *record, team, id string) (api.Event, error) {
	seq, err := parseRecordID(id)
	return api.Event{
		ID: eventID(r.At, seq), Type: r.Type, Category: l.category(r.Type),
		Timestamp: r.At, APIVersion: apiVersion, TeamID: team,
		Actor: api.Actor{Type: r.ActorType, ID: r.ActorID}, Sequence: seq,
		Data: api.EventData{Object: r.Object, Previous: r.Previous},
	}, err
}

const sweepPage = 500

// Sweep deletes the events that are older than age, a page at a time, and
// returns how many there were.
func (l *Log) Sweep(ctx context.Context, age time.Duration) (deleted int, err error) {
	before := api.TimeOf(l.Now().Add(-age))
	for {
		n := 0
		err := l.store.Update(ctx, func(tx kv.Tx) (err error) {
			n, err = sweep(tx, before)
			return err
		})
		deleted += n
		if err != nil || n < sweepPage {
			return deleted, err
		}
	}
}

func sweep(tx kv.Tx, before api.Time) (int, error) {
	var dead [][2]string
	_, err := events.Each(tx, "", sweepPage, func(team, id string, r *record) error {
		if r.At >= before {
			return kv.Stop
		}
		dead = append(dead, [2]string{team, id})
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, d := range dead {
		if err := events.Delete(tx, d[0], d[1]); err != nil {
			return 0, err
		}
	}
	return len(dead), nil
}
