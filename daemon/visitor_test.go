package daemon_test

import (
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

// handedOver is a conversation that ended with a question nobody could answer.
func (in *instance) handedOver(t testing.TB, site, key string) string {
	t.Helper()
	v := &visitor{in: in, site: site}
	v.say(t, "c1", "Do giraffes of "+site+" yodel?")
	list := in.until(t, key, "/conversations?state=open", func(page map[string]any) bool { return len(page["data"].([]any)) > 0 })
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
