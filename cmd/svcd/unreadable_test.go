package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/kv/kvtest"
)

// spoil makes the text of the first stored record of a table that has it invalid,
// as older releases could, and returns the record's id.
func spoil(t *testing.T, data, table, old, text string) (id string) {
	t.Helper()
	store, err := bolt.Open(dataFile(data), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records := kv.Key(table, "r")
	err = store.Update(t.Context(), func(tx kv.Tx) error {
		var key []byte
		err := tx.Scan(kv.Prefix(records), func(k, v []byte) error {
			if bytes.Contains(v, []byte(old)) {
				key = bytes.Clone(k)
				return kv.Stop
			}
			return nil
		})
		if err != nil {
			return err
		}
		id, _, _ = kv.SplitPart(key[len(records):])
		return kvtest.Respell(tx, key, old, text)
	})
	if err := errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	return id
}

// TestRecordsThatCannotBeRead has data that holds some, as older releases could
// write them. Check names them, a backup of it is restored, the daemon goes on
// beside them, and a repair takes them out and keeps what they were.
func TestRecordsThatCannotBeRead(t *testing.T) {
	data, key, id := stored(t)
	lost := spoil(t, data, "key", "first key", "first ke\xff")
	event := spoil(t, data, "event", "post.created", "post.create\xff")
	entry := spoil(t, data, "audit", "team.invite", "team.invit\xff")
	named := []string{"key " + lost, "event " + event, "audit " + entry, "not valid UTF-8", "--repair"}
	wants := func(what, out string) {
		t.Helper()
		for _, name := range named {
			if !strings.Contains(strings.ReplaceAll(out, "invalid UTF-8", "not valid UTF-8"), name) {
				t.Errorf("%s does not name %s:\n%s", what, name, out)
			}
		}
	}
	out, _, status := run(t, svcd("check", "--data", data))
	if wants("check", out); status != 1 {
		t.Errorf("check: exit %d", status)
	}
	backup, restored := filepath.Join(t.TempDir(), "b.db"), filepath.Join(t.TempDir(), "data")
	does(t, "backup", "--data", data, backup)
	wants("restore", does(t, "restore", "--data", restored, backup))

	if out, said, _ := run(t, svcd("doctor", "--data", data, "--listen", "127.0.0.1:0", "--site-hosts", "blog.example=acme")); !strings.Contains(out, "✓ daemon") {
		t.Errorf("doctor:\n%s%s", out, said)
	}
	p := serve(t, restored)
	if got := get[struct{ Data []struct{ ID string } }](t, p.URL+api+"/events", key); len(got.Data) == 0 {
		t.Error("no event is listed")
	}
	if said := refuses(t, svcd("check", "--repair", "--data", restored)); !strings.Contains(said, "running") {
		t.Error(said)
	}
	p.stop(t)

	out = does(t, "check", "--repair", "--data", restored)
	if !strings.Contains(out, "dropped key "+lost) || !strings.Contains(out, " 0 problems") {
		t.Error(out)
	}
	kept, err := filepath.Glob(dataFile(restored) + ".dropped-*.jsonl")
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	lines, err := os.ReadFile(kept[0])
	for _, want := range []string{`"what":"key ` + lost + `"`, "first ke", `"what":"secret `} { // what led to the key goes too
		if err != nil || !strings.Contains(string(lines), want) {
			t.Errorf("no %s: %s %v", want, lines, err)
		}
	}
	verify(t, restored)
	if out := does(t, "check", "--repair", "--data", restored); !strings.Contains(out, " 0 problems") {
		t.Errorf("a second repair: %s", out)
	}
	p = serve(t, restored)
	if status, _ := call(t.Context(), "GET", p.URL+api+"/posts/"+id, key, ""); status != 401 {
		t.Errorf("the dropped key: %d", status)
	}
	p.stop(t)
}

// TestDataThatIsLost says what has happened to the file, and where the newest
// backup is.
func TestDataThatIsLost(t *testing.T) {
	data, _, _ := stored(t)
	whole, err := os.ReadFile(dataFile(data))
	if err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "kept.db")
	for name, c := range map[string]struct {
		bytes []byte
		says  string
	}{
		"empty": {nil, "it is empty (0 bytes)"}, "a few bytes": {whole[:5000], "cut off after 5000 bytes"},
		"half": {whole[:6*4096], "cut off"}, "zeros": {make([]byte, len(whole)), "damaged"},
	} {
		if err := os.WriteFile(dataFile(data), c.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"doctor"}, {"check"}} {
			out, said, status := run(t, svcd(append(args, "--data", data)...))
			for _, want := range []string{c.says, "svcd restore", "No backup of this data is known"} {
				if status != 1 || !strings.Contains(out+said, want) {
					t.Errorf("%s, %s: exit %d, no word of %q\n%s%s", name, args[0], status, want, out, said)
				}
			}
		}
	}
	if err := os.WriteFile(dataFile(data), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	does(t, "backup", "--data", data, backup)
	if err := os.Truncate(dataFile(data), 0); err != nil {
		t.Fatal(err)
	}
	if said := refuses(t, svcd("check", "--data", data)); !strings.Contains(said, "svcd restore "+backup) || strings.Contains(said, "not there any more") {
		t.Error(said)
	}
	if err := os.Remove(backup); err != nil {
		t.Fatal(err)
	}
	if said := refuses(t, svcd("check", "--data", data)); !strings.Contains(said, backup) || !strings.Contains(said, "not there any more") {
		t.Error(said)
	}
}
