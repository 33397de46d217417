package chat_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

func withSecret(version int) api.Site {
	site := shop
	site.Identity, site.Secret = "optional", api.SiteSecret{Set: true, Version: version}
	return site
}

// TestProofEnds: with the secret that it rests on, and by itself. A visitor whom
// the site proves again has the same conversation.
func TestProofEnds(t *testing.T) {
	w := newWorld(t, chat.Options{PerAddress: 100})
	w.activate(nil)
	proof := &chat.Identity{ID: "42", Name: "Lin"}
	v := w.arrive(chat.Arrival{Site: withSecret(1), Verified: proof})
	v.say("my secret")
	token := v.ready().Visitor
	opens := func(what, token string, site api.Site, want bool) {
		t.Helper()
		if r := w.arrive(chat.Arrival{Site: site, Hello: api.ChatIn{Visitor: token}}).ready(); r.Resumed != want {
			t.Errorf("%s: %+v", what, r)
		}
	}
	v = w.arrive(chat.Arrival{Site: withSecret(1), Verified: proof})
	if r := v.ready(); r.Conv == "" {
		t.Fatal(r)
	}
	conv := v.ready().Conv
	opens("the token", token, withSecret(1), true)
	opens("after the secret was rotated", token, withSecret(2), false)
	id, rest, _ := strings.Cut(token, ".")
	end, sum, _ := strings.Cut(rest, ".")
	for what, forged := range map[string]string{
		"a later end": id + ".z" + end[1:] + "." + sum, "no end": id + "." + sum, "another form of the end": id + ".0" + end + "." + sum,
		"an upper case end": id + "." + strings.ToUpper(end) + "." + sum, "an empty end": id + ".." + sum,
	} {
		opens(what, forged, withSecret(1), false)
	}
	w.Pass(6 * 24 * time.Hour)
	v = w.arrive(chat.Arrival{Site: withSecret(1), Hello: api.ChatIn{Visitor: token}})
	if r := v.ready(); r.Visitor != token {
		t.Errorf("a connection without a proof makes the proof last longer: %s, then %s", token, r.Visitor)
	}
	w.Pass(2 * 24 * time.Hour)
	opens("after its end", token, withSecret(1), false)
	if _, err := w.chat.Visit(t.Context(), chat.Arrival{Team: "team_a", Site: api.Site{ID: "site_1", Identity: "required"}, Hello: api.ChatIn{Visitor: token}}); err == nil {
		t.Error("a proof that has ended lets a visitor in where one is required")
	}
	if r := w.arrive(chat.Arrival{Site: withSecret(2), Verified: proof, Hello: api.ChatIn{Visitor: token}}).ready(); r.Conv != conv {
		t.Errorf("the site proves it again: %+v", r)
	}
}

// stored is the row of the signing key as earlier releases wrote it.
type stored struct {
	Key []byte `json:"k"`
}

// formerToken is a token as earlier releases made it.
func formerToken(key []byte, purpose, id string) string {
	h := hmac.New(sha256.New, key)
	h.Write(kv.Key(purpose, "team_a", "site_1", id))
	return id + "." + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:24])
}

// formerID is the id that earlier releases gave a visitor whom the site proved.
func formerID(key []byte, siteID string) string {
	h := hmac.New(sha256.New, key)
	h.Write(kv.Key("identity", "team_a", "site_1", siteID))
	alphabet := base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	return "vis_" + alphabet.EncodeToString(append(make([]byte, 4), h.Sum(nil)[:16]...))[6:]
}

func (w *world) bytesOf(path string) []byte {
	w.T.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		w.T.Fatal(err)
	}
	return b
}

// TestClearKeyIsSealed: a store of an earlier release keeps its visitors; their
// key is in the clear neither in its file nor in a backup any more. What somebody
// took from the file before names nobody and opens no proven visitor's
// conversation, and after a week none.
func TestClearKeyIsSealed(t *testing.T) {
	w := newWorld(t, chat.Options{PerAddress: 100})
	w.activate(nil)
	key := bytes.Repeat([]byte("0123456789abcdef"), 2)
	table := kv.NewTable[stored]("chatsecret")
	if err := w.Store.Update(t.Context(), func(tx kv.Tx) error { return table.Insert(tx, "", "visitors", &stored{key}) }); err != nil {
		t.Fatal(err)
	}
	anonymous := formerToken(key, "visitor", "vis_00000000000000000000000001")
	v := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: anonymous}})
	v.say("before")
	conv := v.conv()
	if v.ready().Visitor == anonymous {
		t.Error("the visitor goes on with a token of the earlier form")
	}
	// A conversation of the time before, of a visitor whom the site had proven.
	earlier := formerID(key, "7")
	seven := w.arrive(chat.Arrival{Verified: &chat.Identity{ID: "seven"}})
	seven.say("long ago")
	theirs := seven.conv()
	seven.visit.Close()
	if err := w.Store.Update(t.Context(), func(tx kv.Tx) error { return chat.SetVisitor(tx, "team_a", theirs, earlier) }); err != nil {
		t.Fatal(err)
	}

	proven := w.arrive(chat.Arrival{Verified: &chat.Identity{ID: "42"}})
	proven.say("mine")
	id, _, _ := strings.Cut(proven.ready().Visitor, ".")
	for what, token := range map[string]string{
		"proven": formerToken(key, "proven", id), "not proven": formerToken(key, "proven", "vis_00000000000000000000000001"),
		"for a proven visitor": formerToken(key, "visitor", id), "for a visitor that was proven": formerToken(key, "visitor", earlier),
	} {
		if r := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token}}).ready(); r.Resumed {
			t.Errorf("a token of the earlier form that is %s: %+v", what, r)
		}
	}
	if r := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: anonymous}}).ready(); r.Conv != conv {
		t.Error("a token of the earlier form opens nothing")
	}
	backup := filepath.Join(t.TempDir(), "copy.db")
	if err := w.Store.BackupFile(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{"file": w.Path(), "backup": backup} {
		if bytes.Contains(w.bytesOf(path), key) {
			t.Errorf("the key is in the %s", what)
		}
	}
	if id == formerID(key, "42") {
		t.Error("the key that was in the clear names visitors")
	}
	again := w.arrive(chat.Arrival{Verified: &chat.Identity{ID: "7"}})
	if r := again.ready(); r.Conv != theirs || strings.HasPrefix(r.Visitor, earlier) {
		t.Errorf("the site proves who came before: %+v", r)
	}
	w.restart()
	if r := w.arrive(chat.Arrival{Verified: &chat.Identity{ID: "7"}}).ready(); r.Conv != theirs {
		t.Errorf("after a restart the site proves who came before: %+v", r)
	}
	if r := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: anonymous}}).ready(); r.Conv != conv {
		t.Error("after a restart a token of the earlier form opens nothing")
	}
	w.Pass(8 * 24 * time.Hour)
	if r := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: anonymous}}).ready(); r.Resumed {
		t.Error("a token of the earlier form is accepted for ever")
	}
}

// TestBackupWithoutTheSecretKey: visitors' tokens end, and nothing else; with the
// right secret.key they are worth something again.
func TestBackupWithoutTheSecretKey(t *testing.T) {
	w := newWorld(t, chat.Options{PerAddress: 100})
	w.activate(nil)
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	token, conv := v.ready().Visitor, v.conv()
	v.visit.Close()
	file := filepath.Join(filepath.Dir(w.Path()), seal.File)
	right := w.bytesOf(file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	w.restart()
	v = w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token}})
	if v.ready().Resumed {
		t.Error("a token of another key opens a conversation")
	}
	v.say("again")
	other := v.ready().Visitor
	w.restart()
	if r := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: other}}).ready(); !r.Resumed {
		t.Error("the new key is not kept")
	}
	if err := os.WriteFile(file, right, 0o600); err != nil {
		t.Fatal(err)
	}
	w.restart()
	if r := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token}}).ready(); r.Conv != conv {
		t.Error("the former secret.key is back, its visitors are not")
	}
}

// TestFreshKeysAreSealed looks for what signs tokens in the file, given what it
// signed: nothing of 32 bytes there makes the token.
func TestFreshKeysAreSealed(t *testing.T) {
	w := newWorld(t, chat.Options{})
	token := w.arrive(chat.Arrival{}).ready().Visitor
	id, _, _ := strings.Cut(token, ".")
	w.Stop()
	if err := w.Store.Update(context.Background(), func(kv.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	file := w.bytesOf(w.Path())
	for i := 0; i+32 <= len(file); i++ {
		if key := file[i : i+32]; !bytes.Equal(key, make([]byte, 32)) && formerToken(key, "visitor", id) == token {
			t.Fatalf("the key is at byte %d of the file", i)
		}
	}
}
