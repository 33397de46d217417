package daemon_test

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/sdk/api"
)

// fill creates posts with a key until one is refused, and returns their ids and
// the refusal.
func (in *instance) fill(t *testing.T, key, status string) (ids []string, refused map[string]any) {
	t.Helper()
	text := strings.Repeat("What fills a store. ", 5000)
	for range 1000 {
		a := in.send(t, "POST", v1+"/posts", key, `{"title":"a","status":"`+status+`","content":"`+text+`"}`)
		switch a.StatusCode {
		case http.StatusCreated:
			ids = append(ids, a.JSON(t)["id"].(string))
		case http.StatusInsufficientStorage:
			return ids, a.JSON(t)
		default:
			t.Fatalf("%s %.300s", a.Status, a.Body)
		}
	}
	t.Fatal("never full")
	return nil, nil
}

// smallStore has room for some fifty posts; a team may have most of them.
func smallStore(c *daemon.Config) { c.MaxSize = 16 << 20 }

// TestFullStoreCanBeEnteredAndCleanedUp fills the store of two teams. Their
// members can still sign in, end what they want to end, and make space.
func TestFullStoreCanBeEnteredAndCleanedUp(t *testing.T) {
	in := start(t, smallStore, func(c *daemon.Config) { c.TeamSize = 1 << 30 })
	owner := in.session(t, in.A)
	viewer := in.ask(t, "team.invite", owner, `{"email":"v@example.test","role":"viewer"}`).JSON(t)["user"].(map[string]any)["id"].(string)
	key := in.ask(t, "apiKeys.create", owner, `{"name":"spare","scopes":["publisher"]}`).JSON(t)["id"].(string)
	published, _ := in.fill(t, in.A.Key, "PUBLISHED")
	drafts, refused := in.fill(t, in.A.Key, "DRAFT")
	if len(drafts) > 0 || refused["code"] != "storage_full" || !strings.Contains(refused["detail"].(string), "server's storage") {
		t.Errorf("%d more; %v", len(drafts), refused)
	}
	if a := in.send(t, "POST", v1+"/posts", in.B.Key, `{"title":"a","content":"b"}`); a.StatusCode != http.StatusInsufficientStorage {
		t.Errorf("the other team's post: %s", a.Status)
	}
	if a := in.send(t, "GET", v1+"/posts/"+published[0], in.A.Key, ""); a.StatusCode != http.StatusOK {
		t.Errorf("reading: %s", a.Status)
	}
	again := in.ask(t, "auth.login", "", `{"email":"a@example.test","password":"correct horse battery"}`)
	if again.StatusCode != http.StatusOK {
		t.Fatalf("signing in: %s %s", again.Status, again.Body)
	}
	session := again.JSON(t)["token"].(string)
	in.session(t, in.B) // by link, with another password
	for _, c := range []struct{ name, body string }{
		{"apiKeys.revoke", `{"id":"` + key + `"}`},
		{"team.remove", `{"id":"` + viewer + `"}`},
		{"posts.archive", `{"id":"` + published[0] + `"}`},
		{"posts.delete", `{"id":"` + published[0] + `"}`},
		{"posts.update", `{"id":"` + published[1] + `","content":"less"}`},
		{"posts.unpublish", `{"id":"` + published[2] + `"}`},
		{"posts.delete", `{"id":"` + published[2] + `"}`},
		{"posts.batch", `{"items":[{"op":"archive","id":"` + published[3] + `"},{"op":"delete","id":"` + published[3] + `"}]}`},
		{"auth.logout", `{}`},
	} {
		a := in.ask(t, c.name, session, c.body)
		if a.StatusCode != http.StatusOK || strings.Contains(string(a.Body), "storage_full") {
			t.Errorf("%s: %s %.300s", c.name, a.Status, a.Body)
		}
	}
	for i, id := range published[4:] {
		in.drop(t, in.A.Key, id)
		if a := in.send(t, "POST", v1+"/posts", in.B.Key, `{"title":"a","content":"b"}`); i > 10 && a.StatusCode == http.StatusCreated {
			return
		}
	}
	t.Error("there was space, and no write passed")
}

// TestLockoutsOfAFullStore: who guesses passwords while nothing can be stored is
// in the audit log all the same.
func TestLockoutsOfAFullStore(t *testing.T) {
	data := t.TempDir()
	in := start(t, smallStore, func(c *daemon.Config) { c.Data, c.TeamSize = data, 1<<30 })
	owner := in.session(t, in.A)
	in.fill(t, in.A.Key, "DRAFT")
	for range 10 {
		if a := in.ask(t, "auth.login", "", `{"email":"a@example.test","password":"is it this one?"}`); a.StatusCode != http.StatusUnauthorized {
			t.Fatalf("%s %s", a.Status, a.Body)
		}
	}
	if err := in.stop(); err != nil { // writes the notes
		t.Fatal(err)
	}
	if a := reopen(t, data, smallStore).ask(t, "team.auditLog", owner, `{}`); !strings.Contains(string(a.Body), "auth.lockout") {
		t.Errorf("%s %s", a.Status, a.Body)
	}
}

// drop archives and deletes a post.
func (in *instance) drop(t *testing.T, key, id string) {
	t.Helper()
	for _, c := range [][2]string{{"POST", "/archive"}, {"DELETE", ""}} {
		if a := in.send(t, c[0], v1+"/posts/"+id+c[1], key, ""); a.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s %s", c[0], c[1], a.Status, a.Body)
		}
	}
}

// TestTeamFillsItsOwnShareOnly: one team comes to its limit, is told so, and sees
// it; another team notices nothing.
func TestTeamFillsItsOwnShareOnly(t *testing.T) {
	in := start(t, smallStore)
	owner := in.session(t, in.A)
	usage := func() (bytes, limit float64) {
		t.Helper()
		s := in.ask(t, "team.usage", owner, `{}`).JSON(t)["storage"].(map[string]any)
		return s["bytes"].(float64), s["limit"].(float64)
	}
	before, _ := usage()
	ids, refused := in.fill(t, in.A.Key, "DRAFT")
	if refused["code"] != "storage_full" || !strings.Contains(refused["detail"].(string), "Your team's storage") {
		t.Errorf("%v", refused)
	}
	if bytes, limit := usage(); limit != 8<<20 || before > limit/100 || bytes < limit*9/10 || bytes > limit {
		t.Errorf("%.0f, then %.0f bytes of %.0f", before, bytes, limit)
	}
	picture := image.NewRGBA(image.Rect(0, 0, 300, 300))
	if _, err := rand.NewChaCha8([32]byte{}).Read(picture.Pix); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	if a := in.send(t, "POST", v1+"/media", in.A.Key, file.String(), "Content-Type", "image/png"); a.StatusCode != http.StatusInsufficientStorage {
		t.Errorf("an upload: %s %s", a.Status, a.Body)
	}
	if a := in.send(t, "POST", v1+"/posts", in.B.Key, `{"title":"a","content":"b"}`); a.StatusCode != http.StatusCreated {
		t.Errorf("the other team: %s %s", a.Status, a.Body)
	}
	if a := in.send(t, "DELETE", v1+"/posts/"+ids[0], in.A.Key, ""); a.StatusCode != http.StatusOK {
		t.Errorf("deleting a draft: %s %s", a.Status, a.Body)
	}
	if id := in.post(t, in.A.Key, `{"title":"a","content":"b","status":"PUBLISHED"}`); id == "" {
		t.Error("no id")
	} else if a := in.send(t, "DELETE", v1+"/posts/"+id, in.A.Key, ""); a.StatusCode != http.StatusConflict || a.JSON(t)["from"] != "PUBLISHED" {
		t.Errorf("deleting what is public: %s %s", a.Status, a.Body)
	}
}

// TestFullTeamIsInTheAuditLog: the owner of a team that is refused for its size
// reads so once a day, a restart included; another team's owner reads nothing.
func TestFullTeamIsInTheAuditLog(t *testing.T) {
	data := t.TempDir()
	in := start(t, smallStore, func(c *daemon.Config) { c.Data = data })
	owner, other := in.session(t, in.A), in.session(t, in.B)
	in.fill(t, in.A.Key, "DRAFT")
	entries := in.awaitAudit(t, owner, "team.storageFull")
	if e := entries[0]; e["target"] != in.A.TeamID || e["actor"].(map[string]any)["type"] != "system" ||
		e["detail"].(map[string]any)["limit"] != "8388608" {
		t.Errorf("%v", e)
	}
	key := in.A.Key
	if err := in.stop(); err != nil {
		t.Fatal(err)
	}
	in = reopen(t, data, smallStore)
	in.fill(t, key, "DRAFT")
	if err := in.stop(); err != nil { // writes what waits to be noted
		t.Fatal(err)
	}
	in = reopen(t, data, smallStore)
	if n := len(in.audit(t, owner, "team.storageFull")); n != 1 {
		t.Errorf("%d entries", n)
	}
	if n := len(in.audit(t, other, "team.storageFull")); n != 0 {
		t.Errorf("%d entries of the other team", n)
	}
}

// TestFullTeamAndItsVisitors: visitors of a team that has no room left are
// refused with words for them, in which nothing is said of the team; its members
// still sign in, read, reply and delete, and then there is room again.
func TestFullTeamAndItsVisitors(t *testing.T) {
	in := start(t, smallStore)
	owner := in.session(t, in.A)
	v, theirs := &visitor{in: in, site: in.A.SiteID}, &visitor{in: in, site: in.B.SiteID}
	v.say(t, "c0", "hello")
	drafts, _ := in.fill(t, in.A.Key, "DRAFT")
	var refused api.ChatOut
	said, long := 0, strings.Repeat("é", 4000)
	for ; refused.Code != string(api.CodeStorageFull); said++ {
		if refused.Code != "" || said > 400 {
			t.Fatalf("after %d: %+v", said, refused)
		}
		if said%15 == 0 { // more than one visitor may say
			v = &visitor{in: in, site: in.A.SiteID}
		}
		refused = api.ChatOut{}
		for _, f := range v.post(t, api.ChatIn{T: "msg", CID: "c" + strconv.Itoa(said), Text: long}) {
			if f.T == "error" {
				refused = f
			}
		}
	}
	if refused.CID == "" || refused.Fatal || refused.RetryIn != 0 || !strings.HasPrefix(refused.Message, "The chat cannot take messages") {
		t.Errorf("%+v", refused)
	}
	in.awaitAudit(t, owner, "team.storageFull")
	theirs.say(t, "c", "another team's visitor")

	conversation := firstID(in.send(t, "GET", v1+"/conversations?order=asc", in.A.Key, "").JSON(t))
	for range 20 {
		if a := in.send(t, "POST", v1+"/conversations/"+conversation+"/reply", in.A.Key, `{"text":"`+long+`"}`); a.StatusCode >= 300 {
			t.Fatalf("a reply: %s %s", a.Status, a.Body)
		}
	}
	if a := in.ask(t, "auth.login", "", `{"email":"a@example.test","password":"correct horse battery"}`); a.StatusCode != http.StatusOK {
		t.Errorf("signing in: %s %s", a.Status, a.Body)
	}
	if a := in.ask(t, "conversations.delete", owner, `{"id":"`+conversation+`"}`); a.StatusCode != http.StatusOK {
		t.Errorf("deleting a conversation: %s %s", a.Status, a.Body)
	}
	for _, id := range drafts[:10] {
		if a := in.send(t, "DELETE", v1+"/posts/"+id, in.A.Key, ""); a.StatusCode != http.StatusOK {
			t.Errorf("deleting a draft: %s %s", a.Status, a.Body)
		}
	}
	v.say(t, "again", long)
}

// TestRepliesHaveAnEnd: what a member may still do in a team that is full takes
// it a sixteenth beyond its share and not further.
func TestRepliesHaveAnEnd(t *testing.T) {
	in := start(t, smallStore, func(c *daemon.Config) { c.TeamSize = 1 << 20 })
	v := &visitor{in: in, site: in.A.SiteID}
	v.say(t, "c", "hello")
	in.fill(t, in.A.Key, "DRAFT")
	reply := v1 + "/conversations/" + firstID(in.send(t, "GET", v1+"/conversations", in.A.Key, "").JSON(t)) + "/reply"
	bytes := 0
	for range 100 {
		a := in.send(t, "POST", reply, in.A.Key, `{"text":"`+strings.Repeat("é", 4000)+`"}`)
		if a.StatusCode == http.StatusInsufficientStorage {
			if bytes < 1<<15 {
				t.Errorf("refused after %d bytes of replies", bytes)
			}
			return
		}
		if bytes += 8000; a.StatusCode >= 300 {
			t.Fatalf("%s %s", a.Status, a.Body)
		}
	}
	t.Error("replies go on without end")
}

// audit returns the entries of an action in the audit log of a session's team.
func (in *instance) audit(t *testing.T, session, action string) (all []map[string]any) {
	t.Helper()
	for _, e := range in.ask(t, "team.auditLog", session, `{"limit":100}`).JSON(t)["data"].([]any) {
		if e := e.(map[string]any); e["action"] == action {
			all = append(all, e)
		}
	}
	return all
}

// awaitAudit waits until there are such entries.
func (in *instance) awaitAudit(t *testing.T, session, action string) []map[string]any {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if all := in.audit(t, session, action); len(all) > 0 {
			return all
		}
	}
	t.Fatalf("the audit log does not say %s", action)
	return nil
}

// TestEveryDeletionMayUseTheReserve finds rows that delete and forgot to say so.
func TestEveryDeletionMayUseTheReserve(t *testing.T) {
	in := start(t)
	ownRule := map[string]bool{"posts.delete": true, "posts.archive": true, "helpdesk.articles.delete": true, "posts.update": true, "helpdesk.articles.update": true}
	n := 0
	for _, o := range in.Table().Ops {
		verb := o.Name[strings.LastIndexByte(o.Name, '.')+1:]
		switch verb {
		case "delete", "remove", "revoke", "logout", "revokeSession", "cancel", "dismiss":
			n++
			if !o.Frees && !ownRule[o.Name] {
				t.Errorf("%s is not marked", o.Name)
			}
		}
	}
	if n < 12 {
		t.Errorf("only %d rows were looked at", n)
	}
}
