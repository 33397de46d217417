package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A view after any changes, packings and snapshots finds what one finds that was
// made of the present documents alone: the same, in the same order, with the same
// scores.
func TestViewsEqualOnesBuiltAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs := map[string]*Document{}
		v := newView(pack(), 0)
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			changed := map[string]*Document{}
			for range rapid.IntRange(0, 40).Draw(t, "changes") {
				id := fmt.Sprint("d", rapid.IntRange(0, 120).Draw(t, "document"))
				if changed[id] = nil; rapid.IntRange(0, 9).Draw(t, "fate") > 1 {
					changed[id] = anyDocument(t, id)
				}
			}
			v = v.with(changed, v.turn+1)
			maps.Copy(docs, changed)
			maps.DeleteFunc(docs, func(_ string, d *Document) bool { return d == nil })
			if v.documents() != len(docs) {
				t.Fatalf("the view has %d documents, not %d", v.documents(), len(docs))
			}
			if rapid.Bool().Draw(t, "snapshot") {
				g, err := decode(v.packed().encode())
				if err != nil {
					t.Fatal(err)
				}
				v = newView(g, v.turn)
			}
		}
		v = newView(v.packed(), v.turn)
		ids := slices.Sorted(maps.Keys(docs))
		ordered := make([]*Document, len(ids))
		for i, id := range ids {
			ordered[i] = docs[id]
		}
		again := newView(pack(ordered...), v.turn)
		for range 10 {
			q := Query{Text: strings.Join(rapid.SliceOfN(vocabulary, 1, 6).Draw(t, "question"), " "), Limit: 10}
			q.Status = rapid.SampledFrom([]string{"", "PUBLISHED", "DRAFT"}).Draw(t, "status")
			q.Before = rapid.SampledFrom([]string{"", "refund"}).Draw(t, "before")
			if diff := cmp.Diff(again.find(q).Hits, v.find(q).Hits); diff != "" {
				t.Fatalf("%+v (-built again +changed)\n%s", q, diff)
			}
		}
	})
}

var vocabulary = rapid.SampledFrom(strings.Fields(`refund refunds parcel shipping sign-up setupKey the of and invoice rechnung der die das
	ist Bestellung factura el los two-factor code codes phone café résumé 返品 x y 42 password passwort ship shop sign up`))

func anyDocument(t *rapid.T, id string) *Document {
	text := func(label string, most int) string {
		return strings.Join(rapid.SliceOfN(vocabulary, 0, most).Draw(t, label), " ")
	}
	var b strings.Builder
	for i := range rapid.IntRange(0, 4).Draw(t, "sections") {
		fmt.Fprintf(&b, "<h%d>%s</h%[1]d><p>%s</p>", 1+i%3, text("heading", 3), text("text", 20))
	}
	return &Document{
		ID: id, Title: text("title", 4), Names: id, HTML: b.String(),
		Status: rapid.SampledFrom([]string{"PUBLISHED", "DRAFT"}).Draw(t, "status"),
		Locale: rapid.SampledFrom([]string{"", "en", "de-AT", "ja"}).Draw(t, "locale"),
	}
}

// Whatever is in a snapshot is read within its bounds, and what was read can be
// searched.
func FuzzDecode(f *testing.F) {
	docs, _ := centre(f)
	whole := pack(docs[:3]...).encode()
	f.Add(whole)
	f.Add(pack().encode())
	f.Add(whole[:len(whole)/2])
	for i := 0; i < len(whole); i += 97 {
		bad := slices.Clone(whole)
		bad[i] ^= 0xff
		f.Add(bad)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := decode(b)
		if err != nil {
			return
		}
		if len(g.docs) > len(b) || len(g.secs) > len(b) || len(g.ends) > len(b) || len(g.lists) > len(b) {
			t.Fatalf("%d bytes became %d documents, %d sections and %d words", len(b), len(g.docs), len(g.secs), len(g.ends))
		}
		v := newView(g, 1)
		v.find(Query{Text: "write an invoice with a discuont for the customer", Limit: 5})
		v.with(map[string]*Document{"new": {ID: "new", Title: "New"}}, 2).packed()
	})
}

func TestDecodeRefusesWhatIsCutOff(t *testing.T) {
	t.Parallel()
	docs, _ := centre(t)
	whole := pack(docs...).encode()
	for n := range len(whole) {
		if _, err := decode(whole[:n]); err == nil {
			t.Fatalf("%d bytes of %d were read as a snapshot", n, len(whole))
		}
	}
	if _, err := decode(append(slices.Clone(whole), 0)); err == nil {
		t.Error("a snapshot with a byte more was read")
	}
}

// A list of sections is read to its end and no further, whatever it holds; what was
// written is read again.
func FuzzPostings(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0x80})
	f.Add([]byte{3, 7, 1, 2, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add(appendPosting(appendPosting(nil, 0, 5, counts{1, 2, 3}), 5, 9, onceInBody))
	f.Fuzz(func(t *testing.T, list []byte) {
		var again []byte
		n, last, ascending := 0, uint32(0), true
		for p := (postings{rest: list}); p.next(); n++ {
			ascending = ascending && p.sec >= last
			again = appendPosting(again, last, p.sec, p.has)
			last = p.sec
		}
		if n > len(list) {
			t.Fatalf("%d sections of %d bytes", n, len(list))
		}
		if !ascending {
			return // it is damaged: sections were counted around
		}
		read := postings{rest: again}
		for p := (postings{rest: list}); p.next(); {
			if !read.next() || read.sec != p.sec || read.has != p.has {
				t.Fatalf("section %d is read again as %d", p.sec, read.sec)
			}
		}
	})
}
