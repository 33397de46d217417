package kv

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// anything takes what a record may be made of.
type anything struct {
	Text string            `json:"text"`
	List []anything        `json:"list,omitempty"`
	Map  map[string]string `json:"map,omitempty"`
	Raw  []byte            `json:"raw,omitempty"`
	N    []int64           `json:"n,omitempty"`
	F    float64           `json:"f"`
	P    *anything         `json:"p"`
	At   time.Time         `json:"at"`
	Any  any               `json:"any,omitempty"`
}

var anythings = NewTable[anything]("anything")

func nested(n int) anything {
	v := anything{Text: "innermost"}
	for range n {
		inner := v
		v = anything{P: &inner}
	}
	return v
}

// A record is refused exactly when the decoder would refuse it.
func TestWhatCannotBeReadIsNotEncoded(t *testing.T) {
	long := strings.Repeat("ä", 3000)
	for name, c := range map[string]struct {
		v      anything
		team   string
		refuse string
	}{
		"plain":                   {v: anything{Text: "é" + long, Map: map[string]string{"a": "ü"}, N: []int64{0, -1, 23, 24, 255, 256, 65535, 65536, -1 << 63, 1<<63 - 1}, F: 1.5}},
		"bytes need no encoding":  {v: anything{Raw: []byte{0xff, 0xfe, 0}}},
		"text":                    {v: anything{Text: "Mozilla\xff"}, refuse: "UTF-8"},
		"a character cut in two":  {v: anything{Text: "ä"[:1]}, refuse: "UTF-8"},
		"a surrogate":             {v: anything{Text: "\xed\xa0\x80"}, refuse: "UTF-8"},
		"long text":               {v: anything{Text: long + "\xff"}, refuse: "UTF-8"},
		"in a list":               {v: anything{List: []anything{{}, {Text: "\xc0\xaf"}}}, refuse: "UTF-8"},
		"key of a map":            {v: anything{Map: map[string]string{"\xff": ""}}, refuse: "UTF-8"},
		"value of a map":          {v: anything{Map: map[string]string{"": "\xff"}}, refuse: "UTF-8"},
		"behind a time":           {v: anything{At: time.Now(), Any: "\xff"}, refuse: "UTF-8"},
		"as deep as can be":       {v: nested(31)},
		"too deep":                {v: nested(32), refuse: "nested"},
		"as long as can be":       {v: anything{N: make([]int64, 1<<20)}},
		"too long":                {v: anything{N: make([]int64, 1<<20+1)}, refuse: "too long"},
		"a number without bounds": {v: anything{Any: new(big.Int).Lsh(big.NewInt(1), 100)}},
		"text in pieces":          {v: anything{Any: cbor.RawMessage{0x7f, 0x61, 'a', 0xff}}},
		"bad text in pieces":      {v: anything{Any: cbor.RawMessage{0x7f, 0x61, 0xff, 0xff}}, refuse: "UTF-8"},
		"a team of 255 bytes":     {team: strings.Repeat("t", 255)},
		"a team of 256 bytes":     {team: strings.Repeat("t", 256), refuse: "team"},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := anythings.encode([]byte("key"), c.team, "id", &c.v, false)
			if c.refuse == "" {
				if err != nil {
					t.Fatal(err)
				}
				f, reason := openValue([]byte("key"), value)
				if reason != "" || string(f.team) != c.team {
					t.Fatal(reason, string(f.team))
				}
				if _, err := decode[anything]([]byte("key"), f); err != nil {
					t.Fatalf("stored and not to be read again: %v", err)
				}
				return
			}
			u, ok := errors.AsType[*UnreadableError](err)
			if !ok || u.Table != "anything" || u.ID != "id" || !strings.Contains(u.Reason, c.refuse) {
				t.Fatalf("got %v, want a refusal that speaks of %s", err, c.refuse)
			}
			if payload, err := encMode.Marshal(&c.v); err == nil && c.team == "" && decMode.Unmarshal(payload, new(anything)) == nil {
				t.Fatal("refused, though it can be read")
			}
		})
	}
}

// FuzzUnreadable compares with the decoder itself, whatever the bytes.
func FuzzUnreadable(f *testing.F) {
	for _, v := range []anything{{}, {Text: "\xff"}, nested(33), {Map: map[string]string{"a": "\xff"}}, {At: time.Now()}} {
		payload, err := encMode.Marshal(&v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
	}
	f.Add([]byte{0x7f, 0x61, 0xff, 0xff})
	f.Add([]byte{0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, payload []byte) {
		reason, sure := unreadable(payload)
		err := decMode.Wellformed(payload)
		if strings.Contains(reason, "UTF-8") { // the one thing that takes decoding
			var v any
			err = decMode.Unmarshal(payload, &v)
		}
		if sure && (reason == "") != (err == nil) {
			t.Fatalf("%x: %q, but the decoder says %v", payload, reason, err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	v := &anything{Text: strings.Repeat("All work and no play. ", 40), Map: map[string]string{"a": "b"}, List: []anything{{}, {}}}
	b.Run("marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			payload, _ := encMode.Marshal(v)
			sealValue(nil, []byte("key"), "team", payload, false)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = anythings.encode([]byte("key"), "team", "id", v, false)
		}
	})
}
