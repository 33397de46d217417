package mailaddr_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/mailaddr"
)

func TestParse(t *testing.T) {
	long := strings.Repeat("a", 64)
	for _, c := range []struct{ in, key string }{
		{"ada@example.com", "ada@example.com"},
		{"  Ada@Example.COM\t", "ada@example.com"},
		{"ada@example.com\u00a0", "ada@example.com"},
		{"ada+news@example.com", "ada+news@example.com"},
		{"a.d.a@example.com", "a.d.a@example.com"},
		{"o'brien@example.com", "o'brien@example.com"},
		{"!#$%&'*+-/=?^_`.{|}~@example.com", "!#$%&'*+-/=?^_`.{|}~@example.com"},
		{"ada@bücher.example", "ada@xn--bcher-kva.example"},
		{"ada@BÜCHER.example", "ada@xn--bcher-kva.example"},
		{"ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"},
		{"e\u0301mile@example.com", "émile@example.com"},
		{"ÉMILE@example.com", "émile@example.com"},
		{"straße@example.com", "straße@example.com"},
		{"ada@straße.example", "ada@xn--strae-oqa.example"},
		{"ada@ｅｘａｍｐｌｅ.com", "ada@example.com"},
		{"ada@example。com", "ada@example.com"},
		{"用户@例子.example", "用户@xn--fsqu00a.example"},
		{"test@123.com", "test@123.com"},
		{long + "@example.com", long + "@example.com"},

		{"", ""}, {"@", ""}, {"ada", ""}, {"@example.com", ""}, {"ada@", ""}, {"ada.example.com", ""},
		{"ada@localhost", ""}, {"a@b@c.example", ""}, {`"a b"@example.com`, ""}, {"a b@example.com", ""},
		{"ada@[127.0.0.1]", ""}, {"ada@127.0.0.1", ""}, {"ada@example.123", ""},
		{"ada@example.com.", ""}, {"ada@.example.com", ""}, {"ada@exa..mple.com", ""}, {".ada@example.com", ""}, {"a..da@example.com", ""},
		{"ada@-example.com", ""}, {"ada@example-.com", ""}, {"ada@exam_ple.com", ""}, {"ada@xn--0.example", ""},
		{"Ada <ada@example.com>", ""}, {"ada(comment)@example.com", ""}, {"ada@example.com,eve@example.com", ""},
		{"ada@example.com\r\nBcc: eve@example.com", ""}, {"ada@example.com\n", ""}, {"\rada@example.com", ""}, {"a\x00da@example.com", ""},
		{"ada\u200b@example.com", ""}, {"ada\u202e@example.com", ""}, {"ada\xff@example.com", ""},
		{long + "a@example.com", ""},
		{"ada@" + strings.Repeat("a", 64) + ".com", ""},
		{"ada@" + strings.Repeat(strings.Repeat("a", 60)+".", 5) + "com", ""},
	} {
		a, err := mailaddr.Parse(c.in)
		if a.Key != c.key || (err == nil) != (c.key != "") {
			t.Errorf("%q has the key %q, %v; want %q", c.in, a.Key, err, c.key)
		}
		if err == nil && mailaddr.Key(a.Typed) != c.key {
			t.Errorf("%q is typed %q, which has the key %q", c.in, a.Typed, mailaddr.Key(a.Typed))
		}
	}
}

func TestParts(t *testing.T) {
	a, err := mailaddr.Parse(" Ada.L@Bücher.example")
	if err != nil || a.Typed != "Ada.L@Bücher.example" || a.Local() != "Ada.L" || a.Domain() != "xn--bcher-kva.example" || a.Wire() != "Ada.L@xn--bcher-kva.example" || !a.ASCII() {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := mailaddr.Parse("émile@example.com"); err != nil || a.ASCII() {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestOthersAddresses reads addresses that others collected, where they are.
func TestOthersAddresses(t *testing.T) {
	b, err := os.ReadFile("../../../../shared/corpora/mail/addresses.json")
	if os.IsNotExist(err) {
		return // the table above has each kind
	}
	var corpus struct {
		Addresses []struct {
			Address, Key, Why string
			Valid             *bool
		}
		Pairs []struct {
			A, B, Why string
			Same      bool
		}
	}
	if err == nil {
		err = json.Unmarshal(b, &corpus)
	}
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, c := range corpus.Addresses {
		if c.Valid == nil {
			continue
		}
		read++
		if got := mailaddr.Key(c.Address); *c.Valid != (got != "") || *c.Valid && got != c.Key {
			t.Errorf("%q has the key %q, want %t %q (%s)", c.Address, got, *c.Valid, c.Key, c.Why)
		}
	}
	for _, p := range corpus.Pairs {
		a, b := mailaddr.Key(p.A), mailaddr.Key(p.B)
		if a == "" || b == "" || (a == b) != p.Same {
			t.Errorf("%q and %q have the keys %q and %q (%s)", p.A, p.B, a, b, p.Why)
		}
	}
	t.Logf("%d addresses and %d pairs", read, len(corpus.Pairs))
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"ada@example.com", "Ä@ß.example", "a@b.c\r\n", "\xff@x.y", "a@xn--a.b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := mailaddr.Parse(s)
		if err != nil {
			return
		}
		if again, err := mailaddr.Parse(a.Key); err != nil || again.Key != a.Key {
			t.Errorf("the key %q of %q has the key %q, %v", a.Key, s, again.Key, err)
		}
		if strings.ContainsAny(a.Typed+a.Key, "\r\n\x00 <>,") {
			t.Errorf("%q is taken as %+v", s, a)
		}
	})
}
