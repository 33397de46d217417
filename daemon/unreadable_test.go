package daemon_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/kv/kvtest"
)

// wantWhole wants the data file to pass the check, and a copy of it too.
func wantWhole(t *testing.T, data string) {
	t.Helper()
	store, err := bolt.Open(daemon.DataFile(data), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := store.BackupFile(t.Context(), backup); err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	copied, err := os.Open(backup)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	restored := filepath.Join(t.TempDir(), "svc.db")
	if err := bolt.Restore(copied, restored); err != nil {
		t.Error(err)
	}
	for _, path := range []string{daemon.DataFile(data), restored} {
		if _, err := bolt.Check(path, func(key []byte, reason string) { t.Errorf("%q: %s", key, reason) }, daemon.Checkers()...); err != nil {
			t.Error(err)
		}
	}
}

// TestHeadersThatAreNotText signs a viewer in with a User-Agent that is not
// UTF-8, one that is cut inside a character, and one with control characters.
// Everything that reads the session goes on, and the data stays whole.
func TestHeadersThatAreNotText(t *testing.T) {
	data := t.TempDir()
	in := start(t, func(c *daemon.Config) { c.Data = data })
	owner := in.session(t, in.A)
	viewer, token := in.member(t, owner, "viewer", "viewer")
	for _, agent := range []string{"Mozilla\xff", strings.Repeat("x", 299) + "ä", "a\u0085b", strings.Repeat("\xff", 2000)} {
		a := in.ask(t, "auth.login", "", `{"email":"viewer@example.test","password":"correct horse battery"}`, "User-Agent", agent)
		if a.StatusCode != 200 {
			t.Fatalf("login as %.20q: %s %s", agent, a.Status, a.Body)
		}
		stored, _ := a.JSON(t)["userAgent"].(string)
		if len(stored) > 300 || !utf8.ValidString(stored) || strings.ContainsRune(stored, '\u0085') {
			t.Errorf("%.20q is stored as %q", agent, stored)
		}
		token = a.JSON(t)["token"].(string)
	}
	for _, c := range []struct{ op, by, body string }{
		{"auth.sessions", token, `{}`},
		{"auth.changePassword", token, `{"currentPassword":"correct horse battery","newPassword":"another horse battery"}`},
		{"team.remove", owner, `{"id":"` + viewer + `"}`},
		{"team.auditLog", owner, `{}`},
	} {
		if a := in.ask(t, c.op, c.by, c.body); a.StatusCode != 200 {
			t.Errorf("%s: %s %s", c.op, a.Status, a.Body)
		}
	}
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, data)
}

// TestAddressesThatAreNot has a stranger lock an account out from an address that
// a header made up.
func TestAddressesThatAreNot(t *testing.T) {
	data := t.TempDir()
	in := start(t, proxied, func(c *daemon.Config) { c.Data = data })
	owner := in.session(t, in.A)
	for range 11 {
		a := in.ask(t, "auth.login", "", `{"email":"a@example.test","password":"is it this one?"}`, "X-Forwarded-For", "\xff\x9b31m")
		if a.StatusCode < 400 || a.StatusCode > 429 {
			t.Fatalf("%s %s", a.Status, a.Body)
		}
	}
	if err := in.stop(); err != nil { // writes the notes
		t.Fatal(err)
	}
	wantWhole(t, data)
	again := reopen(t, data)
	if a := again.ask(t, "team.auditLog", owner, `{}`); a.StatusCode != 200 || !utf8.Valid(a.Body) {
		t.Errorf("%s %s", a.Status, a.Body)
	}
}

// TestIdempotencyKeysAreText refuses others.
func TestIdempotencyKeysAreText(t *testing.T) {
	in := start(t)
	for key, want := range map[string]int{"\xff": 400, "a\u0085": 400, "a\tb": 400, "schlüssel": 201} {
		if a := in.send(t, "POST", "/svc-api/v1/posts", in.A.Key, `{"title":"x","content":"y"}`, "Idempotency-Key", key); a.StatusCode != want {
			t.Errorf("%q: %s %s", key, a.Status, a.Body)
		}
	}
}

// respell makes the stored text of every record of a table that has it invalid, as
// older releases could store it.
func respell(t *testing.T, data, table, old, text string) (n int) {
	t.Helper()
	store, err := bolt.Open(daemon.DataFile(data), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(t.Context(), func(tx kv.Tx) error {
		var keys [][]byte
		err := tx.Scan(kv.Prefix(kv.Key(table, "r")), func(k, v []byte) error {
			if bytes.Contains(v, []byte(old)) {
				keys = append(keys, bytes.Clone(k))
			}
			return nil
		})
		for _, k := range keys {
			err = errors.Join(err, kvtest.Respell(tx, k, old, text))
		}
		n = len(keys)
		return err
	})
	if err := errors.Join(err, store.Close()); err != nil || n == 0 {
		t.Fatal(n, err)
	}
	return n
}

// TestOneBadRecordStopsNothing has a session and an audit entry that cannot
// be read among those that can.
func TestOneBadRecordStopsNothing(t *testing.T) {
	data := t.TempDir()
	in := start(t, func(c *daemon.Config) { c.Data = data })
	owner := in.session(t, in.A)
	viewer, token := in.member(t, owner, "viewer", "viewer")
	in.ask(t, "auth.login", "", `{"email":"viewer@example.test","password":"correct horse battery"}`, "User-Agent", "Mozilla/5.0 bad")
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	respell(t, data, "session", "Mozilla/5.0 bad", "Mozilla/5.0 ba\xff")
	respell(t, data, "audit", "team.invite", "team.invit\xff")
	again := reopen(t, data)
	for _, c := range []struct{ op, by, body string }{
		{"auth.sessions", token, `{}`},
		{"auth.changePassword", token, `{"currentPassword":"correct horse battery","newPassword":"another horse battery"}`},
		{"team.auditLog", owner, `{}`},
		{"team.remove", owner, `{"id":"` + viewer + `"}`},
	} {
		a := again.ask(t, c.op, c.by, c.body)
		if a.StatusCode != 200 {
			t.Errorf("%s: %s %s", c.op, a.Status, a.Body)
		}
		if list, ok := a.JSON(t)["data"].([]any); ok && len(list) == 0 {
			t.Errorf("%s: nothing is listed", c.op)
		}
	}
	if said := in.log.String(); !strings.Contains(said, "session ses_") || !strings.Contains(said, "audit aud_") {
		t.Errorf("the log does not name them: %s", said)
	}
}

// damage breaks every stored record under one of these ids, and says how many.
func damage(t *testing.T, data string, ids map[string]string) (n int) {
	t.Helper()
	store, err := bolt.Open(daemon.DataFile(data), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(t.Context(), func(tx kv.Tx) error {
		var keys [][]byte
		err := tx.Scan(kv.Range{}, func(k, _ []byte) error {
			_, rest, _ := kv.SplitPart(k)
			kind, rest, _ := kv.SplitPart(rest)
			id, _, _ := kv.SplitPart(rest)
			for _, bad := range ids {
				if kind == "r" && id == bad {
					keys = append(keys, bytes.Clone(k))
				}
			}
			return nil
		})
		for _, k := range keys {
			err = errors.Join(err, kvtest.Damage(tx, k))
		}
		n = len(keys)
		return err
	})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestBadObjectsStopNothing has a team with objects of every kind, of each kind
// another that cannot be read. Whatever reads lists or the objects that are whole
// goes on, and so do new ones, pages, and the chat.
func TestBadObjectsStopNothing(t *testing.T) {
	data := t.TempDir()
	in := start(t, unlimited, func(c *daemon.Config) { c.Data = data })
	bad, good := in.populate(t, in.A), in.populate(t, in.A)
	token := in.session(t, in.A)
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	for noun, id := range bad { // those that both have, and the text of the last event
		if good[noun] == id || noun == "events" || noun == "sessions" || strings.HasSuffix(noun, ".slug") {
			delete(bad, noun)
		}
	}
	bad["teams"] = in.B.TeamID
	if n := damage(t, data, bad); n < len(bad) {
		t.Fatalf("%d records of %d objects", n, len(bad))
	}
	again := reopen(t, data, func(c *daemon.Config) {
		c.Limits = strings.Split("read=0,write=0,ai=0,mcp=0,login=0,pages=0,search=0,trpc=0", ",")
	})
	of := func(member string) string { return good[nounOf(good, member)] }
	called := 0
	for _, o := range again.Table().Ops {
		if !o.Hints.ReadOnly {
			continue
		}
		noun := o.Name[:strings.LastIndexByte(o.Name, '.')]
		for _, i := range inputs(t, o) {
			body, _ := i.with(good[noun], of)
			if a := again.procedure(t, o.Name, token, body); a.StatusCode >= 500 {
				t.Errorf("%s %s: %s %s", o.Name, body, a.Status, a.Body)
			}
			called++
		}
	}
	for noun := range bad {
		if again.Table().Lookup(noun+".create") != nil && again.create(t, token, noun, of) == nil {
			t.Errorf("no further one of %s can be made", noun)
		}
	}
	for _, path := range []string{"/team-a/", "/team-a/feed.xml", "/team-a/sitemap.xml", "/team-a/help", "/team-a/help?q=word", "/", "/widget/demo"} {
		if a := again.send(t, "GET", path, "", ""); a.StatusCode >= 500 {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
	v := &visitor{in: again, site: in.A.SiteID}
	v.say(t, "c", "hello")
	if called < 40 {
		t.Errorf("%d calls", called)
	}
}
