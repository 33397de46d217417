// Package event is the team's event log: every change that others may care for
// is appended in the transaction that makes it, so an event exists exactly when
// its change does. Webhooks, search indexes and live screens follow the one log.
//
// It knows the envelope and the order. What happened, and what the object of an
// event holds, is the domain's that declares the Kind and appends it.
package event

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

	reading     sync.Mutex // guards the two below, and is held while they are read
	recent      []head     // the latest part of the log that a consumer asked for
	recentAfter uint64     // the position that it follows
}

// New returns the log kept in store, of events of these types.
func New(store kv.Store, types ...[]Type) *Log {
	return &Log{Now: time.Now, store: store, types: slices.Concat(types...), waiters: map[chan struct{}]struct{}{}}
}

// record is one stored event. Its id in the table is its position in the log of
// all teams, which is read in one direction and only ever grows at its end. Teams
// see the number among their own events instead, for the position tells how much
// all others do. The event's public id says the time and that number: with the
// index by time that leads back to the record.
type record struct {
	Number    uint64          `json:"n,omitempty"` // 0 for events of releases that showed the position
	Type      string          `json:"t"`
	At        api.Time        `json:"at"`
	ActorType string          `json:"ak"`
	ActorID   string          `json:"ai"`
	Object    json.RawMessage `json:"o"`
	Previous  json.RawMessage `json:"p,omitempty"`
	RequestID string          `json:"q,omitempty"`
	Person    string          `json:"pe,omitempty"` // whom the object is about
}

// events has two indexes within the team, by time and by person and time: what a
// team lists never leads over another team's events.
var events = kv.NewTable("event", kv.Index[record]{
	Name: "t",
	Keys: func(v *record, add func([]byte)) { add(timeKey(v.At)) },
}, kv.Index[record]{
	Name: "p",
	Keys: func(v *record, add func([]byte)) {
		if v.Person != "" {
			add(append(kv.Key(v.Person), timeKey(v.At)...))
		}
	},
})

// head is what a consumer chooses an event by. heads reads the records of events
// as no more than that.
type head struct {
	Type string `json:"t"`

	team     string
	position uint64
}

var heads = kv.NewTable[head]("event")

func timeKey(at api.Time) []byte { return kv.Key(kv.Uint64(uint64(max(at, 0)))) }

// sequenceKey counts the events of all teams.
var sequenceKey = kv.Key("eventsequence")

// latest is the number and time of a team's latest event; its id is the team's.
type latest struct {
	Number uint64   `json:"n"`
	At     api.Time `json:"at"`
}

var latests = kv.NewTable[latest]("eventlatest")

// everyone owns the row firstNumber, whose number is that of the last event that
// showed its position. Each team's own numbers go on from there: an event has a
// higher number than all that its team saw before.
const (
	everyone    = ""
	firstNumber = "first"
)

// Tables are what verifies the log in a store.
func Tables() []kv.Checker { return []kv.Checker{events, cursors, latests} }

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
	return l.append(tx, who, k.Name, k.person(v), object, previous)
}

// AppendEncoded is Append for an object that its domain has as JSON already. A
// kind that tells of a person reads that of v.Of.
func AppendEncoded[T any](l *Log, tx kv.Tx, who op.Caller, k Kind[T], v op.Encoded[T], previous map[string]any) error {
	return l.append(tx, who, k.Name, k.person(&v.Of), v.JSON, previous)
}

func (l *Log) append(tx kv.Tx, who op.Caller, name, person string, object []byte, previous map[string]any) error {
	if _, ok := l.typeOf(name); !ok {
		return fmt.Errorf("append event: there is no type %q", name)
	}
	rec := &record{
		Type: name, Person: person, Object: object,
		ActorType: who.Actor.Type, ActorID: who.Actor.ID, RequestID: who.RequestID,
	}
	var err error
	if len(previous) > 0 {
		if rec.Previous, err = op.Encode(nil, previous); err != nil {
			return fmt.Errorf("encode previous of %s: %w", name, err)
		}
	}
	if err := l.number(tx, who.Team, rec); err != nil {
		return fmt.Errorf("number %s: %w", name, err)
	}
	position, err := kv.Next(tx, sequenceKey)
	if err != nil {
		return err
	}
	tx.OnCommit(l.wake)
	return events.Append(tx, who.Team, recordID(position), rec)
}

// clockSlack is how far the clocks of those who write one log may differ. A time
// further ahead came from a clock that was wrong.
const clockSlack = api.Time(5 * time.Minute / time.Millisecond)

// number gives an event its number and time among those of its team: one more
// than the event before, and no earlier, or who asks for what came since then
// would miss it.
func (l *Log) number(tx kv.Tx, team string, rec *record) error {
	rec.At = api.TimeOf(l.Now())
	before, err := latests.Get(tx, team, team)
	_, first := errors.AsType[*kv.NotFoundError](err)
	if first {
		before, err = firstOf(tx)
	}
	if err != nil {
		return err
	}
	if ahead := before.At - rec.At; ahead > 0 && ahead <= clockSlack {
		rec.At = before.At
	}
	rec.Number = before.Number + 1
	if first {
		return latests.Insert(tx, team, team, &latest{rec.Number, rec.At})
	}
	return latests.Put(tx, team, team, &latest{rec.Number, rec.At})
}

// firstOf is what the first event of a team follows.
func firstOf(tx kv.Tx) (*latest, error) {
	v, err := latests.Get(tx, everyone, firstNumber)
	if _, fresh := errors.AsType[*kv.NotFoundError](err); !fresh {
		return v, err
	}
	v = &latest{}
	if v.Number, err = kv.Count(tx, sequenceKey); err != nil {
		return nil, err
	}
	return v, latests.Insert(tx, everyone, firstNumber, v)
}

// Last is the position of the latest event of all teams, 0 before the first.
func (l *Log) Last(tx kv.Tx) (uint64, error) { return kv.Count(tx, sequenceKey) }

// Read returns up to limit events of all teams that follow the position after, in
// order, and the position of the last that it looked at. It leaves out, and
// counts for limit, an event that cannot be read. At the end of the log the
// position stays what it was.
func (l *Log) Read(tx kv.Tx, after uint64, limit int) (out []api.Event, position uint64, err error) {
	position = after
	pass, skip := stepper(&position)
	_, err = events.EachReadable(tx, recordID(after), limit, skip, func(team, id string, r *record) error {
		out = append(out, l.event(r, team, id))
		return pass(id)
	})
	return out, position, err
}

// stepper returns what moves a position over a record, and over one that cannot be
// read.
func stepper(position *uint64) (pass func(id string) error, skip func(*kv.CorruptError)) {
	pass = func(id string) (err error) {
		*position, err = parseRecordID(id)
		return err
	}
	skip = func(e *kv.CorruptError) {
		op.Unreadable(e)
		if id, _, ok := kv.SplitPart(bytes.TrimPrefix(e.Key, recordPrefix)); ok {
			_ = pass(id) // a key that is no position is stepped over too
		}
	}
	return pass, skip
}

var recordPrefix = kv.Key("event", "r")

// sequence is the number that the team sees.
func (r *record) sequence(id string) uint64 {
	if r.Number != 0 {
		return r.Number
	}
	position, err := parseRecordID(id)
	if err != nil {
		return 0
	}
	return position
}

// event is the envelope of a record.
func (l *Log) event(r *record, team, id string) api.Event {
	seq := r.sequence(id)
	return api.Event{
		ID: eventID(r.At, seq), Type: r.Type, Category: l.category(r.Type),
		Timestamp: r.At, APIVersion: apiVersion, TeamID: team,
		Actor: api.Actor{Type: r.ActorType, ID: r.ActorID}, PersonID: r.Person, Sequence: seq,
		Data: api.EventData{Object: r.Object, Previous: r.Previous},
	}
}

const sweepPage = 500

// ErrClock says that a sweep refused to delete everything: the newest record is
// older than all are kept, so the clock is more likely wrong than nothing has
// happened since.
var ErrClock = errors.New("the newest record is older than records are kept: nothing is deleted, for the clock may be wrong")

// Sweep deletes the events that are older than age, a page at a time, and
// returns how many there were. It deletes none, with ErrClock, when all are.
func (l *Log) Sweep(ctx context.Context, age time.Duration) (deleted int, err error) {
	before := api.TimeOf(l.Now().Add(-age))
	err = l.store.View(ctx, func(tx kv.Tx) error {
		_, _, newest, err := events.Last(tx)
		if _, none := errors.AsType[*kv.NotFoundError](err); none {
			return nil
		}
		if err == nil && newest.At < before {
			err = ErrClock
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for after, more := "", true; more; more = after != "" {
		n, next := 0, ""
		err := l.store.Update(ctx, func(tx kv.Tx) (err error) {
			n, next, err = sweep(tx, after, before)
			return err
		})
		if err != nil {
			return deleted, err
		}
		deleted, after = deleted+n, next
	}
	return deleted, nil
}

// sweep looks at one page of events. next is "" behind the last old one.
func sweep(tx kv.Tx, after string, before api.Time) (n int, next string, err error) {
	var dead [][2]string
	next, err = events.EachReadable(tx, after, sweepPage, op.Unreadable, func(team, id string, r *record) error {
		if r.At >= before {
			return kv.Stop
		}
		dead = append(dead, [2]string{team, id})
		return nil
	})
	for _, d := range dead {
		if err == nil {
			err = events.Delete(tx, d[0], d[1])
		}
	}
	return len(dead), next, err
}
