package daemon_test

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"edgesvc.dev/svc/sdk/api"
)

// ended reads until the daemon closes the connection: the last error that it
// sent, and with which code it closed.
func (s *socket) ended() (last api.ChatOut, code websocket.StatusCode) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for {
		var f api.ChatOut
		if err := wsjson.Read(ctx, s.conn, &f); err != nil {
			return last, websocket.CloseStatus(err)
		}
		if f.T == "error" {
			last = f
		}
	}
}

func sum(key, text string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return string(h.Sum(nil))
}

// streamOf follows the chat over server-sent events and returns what ends it.
func (in *instance) streamOf(t *testing.T, site, origin string) func() string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.URL+"/svc-api/widget/events?site="+site, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", origin)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"ready"`) {
		t.Fatalf("%s %s", res.Status, lines.Text())
	}
	return func() (last string) {
		for lines.Scan() {
			if lines.Text() != "" {
				last = lines.Text()
			}
		}
		if ctx.Err() != nil {
			t.Error("the stream does not end")
		}
		return last
	}
}

// TestChangedSiteClosesItsChats: of an origin that was taken off the list, of
// visitors whose proof rests on an earlier secret, and all when the site is
// deleted. The others go on.
func TestChangedSiteClosesItsChats(t *testing.T) {
	in := start(t)
	in.silence(t)
	session := in.session(t, in.A)
	const left, kept = "https://left.example", "https://kept.example"
	site := in.procedure(t, "sites.create", session, `{"name":"Shop","allowedOrigins":["`+left+`","`+kept+`"],"identity":"optional"}`).JSON(t)["id"].(string)
	change := func(name, members string) map[string]any {
		a := in.procedure(t, name, session, `{"id":"`+site+`"`+members+`}`)
		if a.StatusCode >= 300 {
			t.Fatalf("%s: %s %s", name, a.Status, a.Body)
		}
		return a.JSON(t)
	}
	secret := change("sites.rotateSecret", "")["secret"].(string)
	user := &api.ChatUser{ID: "u1", Token: hex.EncodeToString([]byte(sum(sum(secret, "svc identity hmac v1"), "u1")))}

	gone, stays := in.connect(t, site, left, api.ChatIn{}), in.connect(t, site, kept, api.ChatIn{})
	gone.until("ready")
	stays.until("ready")
	stream := in.streamOf(t, site, left)
	change("sites.update", `,"allowedOrigins":["`+kept+`"]`)
	if f, code := gone.ended(); code != api.ChatOrigin || f.Code != string(api.CodeOriginNotAllowed) || !f.Fatal {
		t.Errorf("a socket of an origin that was removed: %d after %+v", code, f)
	}
	if f := stream(); !strings.Contains(f, `"origin_not_allowed"`) {
		t.Errorf("a stream of it: %s", f)
	}
	stays.rounds(1, "still there")

	proven := in.connect(t, site, kept, api.ChatIn{User: user})
	token := last(proven.until("ready")).Visitor
	proven.rounds(1, "proven")
	rolled := change("sites.rotateSecret", "")["secret"].(string)
	if f, _ := proven.ended(); f.Code != string(api.CodeInvalidCredentials) {
		t.Errorf("who was proven with the former secret: %+v", f)
	}
	impostor := in.connect(t, site, kept, api.ChatIn{Visitor: token})
	if r := last(impostor.until("ready")); r.Resumed || r.Visitor == token {
		t.Errorf("the token of the former secret: %+v", r)
	}
	user.Token = hex.EncodeToString([]byte(sum(sum(rolled, "svc identity hmac v1"), "u1")))
	if r := last(in.connect(t, site, kept, api.ChatIn{Visitor: token, User: user}).until("ready")); !r.Resumed {
		t.Errorf("the site signs again: %+v", r)
	}
	stays.rounds(1, "there all the time")

	change("sites.delete", "")
	if f, code := stays.ended(); code != api.ChatBadSite || f.Code != string(api.CodeNotFound) {
		t.Errorf("a socket of a deleted site: %d after %+v", code, f)
	}
}
