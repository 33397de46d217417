package status_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/sdk/api"
)

type door struct {
	State string `json:"state"`
	Stuck bool   `json:"stuck"` // it looks shut
}

func kind(name string) event.Kind[door] { return event.Kind[door]{Name: name} }

var doors = status.Machine[door]{
	Noun:  "A door",
	Field: func(d *door) *string { return &d.State },
	Seen: func(d *door) string {
		if d.Stuck {
			return "SHUT"
		}
		return d.State
	},
	Moves: []status.Move[door]{
		{Verb: "open", From: []string{"SHUT"}, To: "OPEN", Events: []event.Kind[door]{kind("door.opened")}, Row: op.Op{Scope: op.PostsWrite, Doc: "Opens."}},
		{Verb: "open", From: []string{"LOCKED"}, To: "OPEN", Events: []event.Kind[door]{kind("door.unlocked"), kind("door.opened")}},
		{Verb: "shut", From: []string{"OPEN"}, To: "SHUT", Row: op.Op{Scope: op.PostsRead, Doc: "Shuts."}},
		{Verb: "lock", From: []string{"SHUT"}, To: "LOCKED", Events: []event.Kind[door]{kind("door.locked")}},
	},
}

func TestMoves(t *testing.T) {
	for _, tc := range []struct {
		from, verb, to string // no to is a refusal
		events         []string
	}{
		{"SHUT", "open", "OPEN", []string{"door.opened"}},
		{"LOCKED", "open", "OPEN", []string{"door.unlocked", "door.opened"}},
		{"OPEN", "open", "OPEN", nil},
		{"OPEN", "shut", "SHUT", nil},
		{"LOCKED", "shut", "", nil},
		{"SHUT", "lock", "LOCKED", []string{"door.locked"}},
		{"OPEN", "lock", "", nil},
	} {
		before := door{State: tc.from}
		after := before
		err := doors.Apply(&after, tc.verb)
		if tc.to == "" {
			e, ok := err.(*api.Error)
			if !ok || e.Status != http.StatusConflict || e.Code != api.CodeInvalidTransition || e.From != tc.from || after != before {
				t.Errorf("%s %s: %+v, and it is %s", tc.verb, tc.from, err, after.State)
			}
			continue
		}
		var events []string
		for _, k := range doors.Events(&before, &after) {
			events = append(events, k.Name)
		}
		if err != nil || after.State != tc.to || !cmp.Equal(events, tc.events) {
			t.Errorf("%s %s: %v, it is %s and tells %v", tc.verb, tc.from, err, after.State, events)
		}
	}
}

func TestWhatIsNotSeenIsNotTold(t *testing.T) {
	if told := doors.Events(&door{State: "SHUT"}, &door{State: "OPEN", Stuck: true}); told != nil {
		t.Errorf("a door that stays shut tells %v", told)
	}
	if told := doors.Events(&door{State: "OPEN", Stuck: true}, &door{State: "OPEN"}); len(told) != 1 || told[0].Name != "door.opened" {
		t.Errorf("a door that gives way tells %v", told)
	}
}

func TestRows(t *testing.T) {
	var asked []string
	rows := doors.Rows("doors", "/doors", func(verb string) op.Do {
		return op.Func(func(context.Context, op.Caller, api.Ref) (door, error) {
			asked = append(asked, verb)
			return door{}, nil
		})
	})
	var got []string
	for _, r := range rows {
		got = append(got, r.Name+" "+r.Method+" "+r.Path+" "+r.Scope.String())
	}
	want := []string{"doors.open POST /doors/{id}/open posts:write", "doors.shut POST /doors/{id}/shut posts:read", "doors.lock POST /doors/{id}/lock "}
	if !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	table := op.NewTable(nil, op.NewLimiter(nil), rows)
	if _, e := table.Call(t.Context(), op.Request{Op: table.Lookup("doors.shut"), Caller: op.Caller{Kind: op.System}, Args: op.Args{Body: []byte(`{"id":"d"}`)}}); e != nil || !cmp.Equal(asked, []string{"shut"}) {
		t.Errorf("%v, asked %v", e, asked)
	}
}
