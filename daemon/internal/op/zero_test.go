package op_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// scales has a member of every kind that a zero can be sent of.
type scales struct {
	Rating  int      `json:"rating" enum:"-1,0,1"`
	Helpful bool     `json:"helpful"`
	Amount  int64    `json:"amount" minimum:"0" maximum:"9007199254740991"`
	Share   float64  `json:"share" minimum:"-0.5" maximum:"0.5"`
	Label   string   `json:"label" maxLength:"5"`
	Loud    bool     `json:"loud,omitempty" default:"true"`
	Wait    int      `json:"wait,omitempty" minimum:"1" default:"7"`
	Steps   []step   `json:"steps,omitempty" maxItems:"3"`
	Next    *step    `json:"next,omitempty"`
	Colours []string `json:"colours,omitempty" enum:"red,blue"`
	At      api.Time `json:"at,omitzero"`
}

type step struct {
	N     int    `json:"n" maximum:"9"`
	Title string `json:"title" minLength:"1"`
}

func weigh(got *scales) *op.Table {
	return op.NewTable(nil, op.NewLimiter(nil), []op.Op{{Name: "scales.weigh", Method: "POST", Path: "/scales", Doc: "Weighs.",
		Do: op.Func(func(_ context.Context, _ op.Caller, in scales) (api.None, error) { *got = in; return api.None{}, nil })}})
}

// A zero that was sent is a value: it is held to the rules, keeps a default
// out, and is not taken for missing.
func TestZeroIsNotAbsence(t *testing.T) {
	const zeros = `"rating":0,"helpful":false,"amount":0,"share":0,"label":""`
	var got scales
	table := weigh(&got)
	for body, want := range map[string][]string{
		`{` + zeros + `}`: nil,
		`{}`:              {"/rating required", "/helpful required", "/amount required", "/share required", "/label required"},
		`{"rating":null,"helpful":false,"amount":0,"share":0,"label":""}`: {"/rating required"},
		`{` + zeros + `,"loud":false,"wait":3}`:                           nil,
		`{` + zeros + `,"wait":0}`:                                        {"/wait too_small"},
		`{` + zeros + `,"steps":[{"n":0,"title":"a"},{"title":""}]}`:      {"/steps/1/n required", "/steps/1/title required"},
		`{` + zeros + `,"next":{"n":0,"title":"a"}}`:                      nil,
		`{` + zeros + `,"next":{}}`:                                       {"/next/n required", "/next/title required"},
		`{` + zeros + `,"colours":["red","green"]}`:                       {"/colours/1 enum"},
		strings.Replace(`{`+zeros+`}`, `"rating":0`, `"rating":2`, 1):     {"/rating enum"},
		strings.Replace(`{`+zeros+`}`, `"share":0`, `"share":0.6`, 1):     {"/share too_large"},
	} {
		got = scales{}
		_, e := table.Call(t.Context(), op.Request{Op: table.Ops[0], Caller: keyCaller(0), Args: op.Args{Body: []byte(body)}})
		var bad []string
		if e != nil {
			for _, f := range e.Errors {
				bad = append(bad, f.Pointer+" "+f.Code)
			}
		}
		if d := cmp.Diff(want, bad); d != "" {
			t.Errorf("%s\n%s", body, d)
		}
		if loud := !strings.Contains(body, "loud"); e == nil && got.Loud != loud {
			t.Errorf("%s: loud is %v", body, got.Loud)
		}
	}
}

// Numbers are told from times by their type, in the value and in the refusal.
func TestNumbersAreNotTimes(t *testing.T) {
	var got scales
	table := weigh(&got)
	call := func(params ...op.Param) *api.Error {
		_, e := table.Call(t.Context(), op.Request{Op: table.Ops[0], Caller: keyCaller(0), Args: op.Args{Params: params, Query: true}})
		return e
	}
	whole := func(amount, share string) []op.Param {
		return []op.Param{{Name: "rating", Value: "0"}, {Name: "helpful", Value: "false"}, {Name: "label", Value: ""}, {Name: "amount", Value: amount}, {Name: "share", Value: share}}
	}
	if e := call(whole("9007199254740991", "-0.25")...); e != nil || got.Amount != 1<<53-1 || math.Abs(got.Share+0.25) > 0 {
		t.Fatalf("%v %+v", e, got)
	}
	for _, c := range []struct{ amount, share, want string }{
		{"2026-01-02T03:04:05Z", "0", "amount must be a whole number."}, {"1.5", "0", "amount must be a whole number."},
		{"0", "NaN", "share must be a number."}, {"0", "x", "share must be a number."}, {"-1", "0", "amount must be at least 0."},
		{"9007199254740992", "0", "amount may be at most 9007199254740991."}, {"0", "-0.75", "share must be at least -0.5."},
	} {
		if e := call(whole(c.amount, c.share)...); e == nil || e.Detail != c.want {
			t.Errorf("%s %s: %v, want %s", c.amount, c.share, e, c.want)
		}
	}
	if e := call(append(whole("0", "0"), op.Param{Name: "at", Value: "5"})...); e == nil || e.Detail != "at must be an RFC 3339 time." {
		t.Errorf("a number for a time: %v", e)
	}
}
