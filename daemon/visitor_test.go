package daemon_test

import (
	"encoding/hex"
	"net/http"
	"testing"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// visitor chats on a site over the wire that needs no websocket.
type visitor struct {
	in    *instance
	site  string
	token string
	conv  string
}

// post sends one frame and returns the answer's.
func (v *visitor) post(t testing.TB, frame api.ChatIn) []api.ChatOut {
	t.Helper()
	body := encode(t, map[string]any{"visitor": v.token, "frame": frame})
	a := v.in.send(t, http.MethodPost, "/svc-api/widget/frames?site="+v.site, "", string(body))
	var answer struct{ Frames []api.ChatOut }
	mustJSON(t, a.Body, &answer)
	for _, f := range answer.Frames {
		if f.T == "ready" {
			v.token = f.Visitor
		}
		if f.Conv != "" {
			v.conv = f.Conv
		}
	}
	return answer.Frames
}

// say sends a message; cid names it.
func (v *visitor) say(t testing.TB, cid, text string) {
	t.Helper()
	for _, f := range v.post(t, api.ChatIn{T: "msg", CID: cid, Text: text}) {
		if f.T == "ack" {
			return
		}
	}
	t.Fatal("no acknowledgement")
}

// until asks for the conversation with a key until it is as wanted.
func (in *instance) until(t testing.TB, key, path string, ok func(map[string]any) bool) map[string]any {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		got := in.send(t, http.MethodGet, "/svc-api/v1"+path, key, "").JSON(t)
		if ok(got) {
			return got
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s stays %v", path, got)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// handedOver is a conversation that ended with a question nobody could answer, and
// the wish for a person.
func (in *instance) handedOver(t testing.TB, site, key string) string {
	t.Helper()
	v := &visitor{in: in, site: site}
	v.say(t, "c1", "Do giraffes of "+site+" yodel?")
	some := func(page map[string]any) bool { return len(page["data"].([]any)) > 0 }
	in.until(t, key, "/helpdesk/gaps", some)
	v.say(t, "c2", "I want to talk to a person")
	list := in.until(t, key, "/conversations?state=open", some)
	return list["data"].([]any)[0].(map[string]any)["id"].(string)
}

func firstID(list map[string]any) string {
	data, _ := list["data"].([]any)
	if len(data) == 0 {
		return ""
	}
	return data[0].(map[string]any)["id"].(string)
}

func has(list map[string]any) bool { return firstID(list) != "" }

// TestIdentifyOverPost proves who the visitor is by a POST, at a site that lets
// in nobody else: the answer has the token that goes on as that visitor.
func TestIdentifyOverPost(t *testing.T) {
	in := start(t)
	session := in.session(t, in.A)
	site := in.procedure(t, "sites.create", session, `{"name":"Shop","identity":"required"}`).JSON(t)["id"].(string)
	secret := in.procedure(t, "sites.rotateSecret", session, `{"id":"`+site+`"}`).JSON(t)["secret"].(string)
	proof := func(id string) *api.ChatUser {
		return &api.ChatUser{ID: id, Token: hex.EncodeToString([]byte(sum(sum(secret, "svc identity hmac v1"), id)))}
	}
	ada := &visitor{in: in, site: site}
	if ada.post(t, api.ChatIn{T: "identify", User: &api.ChatUser{ID: "ada", Token: "00"}}); ada.token != "" {
		t.Errorf("a wrong proof gives the token %q", ada.token)
	}
	for _, cid := range []string{"page 1", "page 2"} {
		ada.token = ""
		frames := ada.post(t, api.ChatIn{T: "identify", User: proof("ada")})
		if len(frames) != 1 || frames[0].T != "ready" || ada.token == "" {
			t.Fatalf("%+v", frames)
		}
		ada.say(t, cid, "It is me")
	}
	bob := &visitor{in: in, site: site, token: ada.token}
	bob.post(t, api.ChatIn{T: "identify", User: proof("bob")})
	bob.say(t, "c", "And I am Bob")
	all := in.send(t, http.MethodGet, "/svc-api/v1/conversations", in.A.Key, "").JSON(t)["data"].([]any)
	if len(all) != 2 || ada.conv == bob.conv {
		t.Errorf("%d conversations", len(all))
	}
	for _, c := range all {
		if c.(map[string]any)["visitor"].(map[string]any)["verified"] != true {
			t.Errorf("%v", c)
		}
	}
}
