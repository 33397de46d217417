package daemon_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/sdk/api"
)

// socket is a visitor's browser.
type socket struct {
	t    testing.TB
	conn *websocket.Conn
}

// connect opens the widget's websocket from a page of origin and says hello.
func (in *instance) connect(t testing.TB, site, origin string, hello api.ChatIn) *socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	conn, res, err := websocket.Dial(ctx, strings.Replace(in.URL, "http", "ws", 1)+"/svc-api/widget/ws?site="+site, &websocket.DialOptions{
		Subprotocols: []string{api.ChatProtocol}, HTTPHeader: http.Header{"Origin": {origin}},
	})
	if err != nil {
		t.Fatalf("%v %v", err, res)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	s := &socket{t: t, conn: conn}
	hello.T = "hello"
	s.write(hello)
	return s
}

func (s *socket) write(f api.ChatIn) {
	s.t.Helper()
	if err := wsjson.Write(s.t.Context(), s.conn, f); err != nil {
		s.t.Fatal(err)
	}
}

// until reads frames up to the first of that type, and returns all of them.
func (s *socket) until(typ string) (frames []api.ChatOut) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	for {
		var f api.ChatOut
		if err := wsjson.Read(ctx, s.conn, &f); err != nil {
			s.t.Fatalf("waiting for %s after %+v: %v", typ, frames, err)
		}
		if frames = append(frames, f); f.T == typ {
			return frames
		}
	}
}

func last(frames []api.ChatOut) api.ChatOut { return frames[len(frames)-1] }

// written joins the deltas.
func written(frames []api.ChatOut) string {
	text := ""
	for _, f := range frames {
		if f.T == "delta" {
			text += f.Text
		}
	}
	return text
}

// article publishes a help article and waits until it is found.
func (in *instance) article(t testing.TB, key, title, content string) string {
	t.Helper()
	made := in.send(t, "POST", "/svc-api/v1/helpdesk/articles", key, string(encode(t, map[string]any{"title": title, "content": content, "status": "PUBLISHED"}))).JSON(t)
	id := made["id"].(string)
	in.until(t, key, "/helpdesk/search?q="+strings.ReplaceAll(title, " ", "+"), func(found map[string]any) bool {
		for _, hit := range found["data"].([]any) {
			if hit.(map[string]any)["articleId"] == id {
				return true
			}
		}
		return false
	})
	return id
}

// withVendor starts a daemon whose models are the scripted server.
func withVendor(t *testing.T, steps ...llmtest.Step) (*instance, *llmtest.Server) {
	vendor := llmtest.OpenAI(t, steps...)
	return start(t, func(c *daemon.Config) { c.OpenAIBaseURL, c.OpenAIKey = vendor.URL, llmtest.OpenAIKey }), vendor
}

// TestAcceptChat is the main job: an article, a question, an answer from it that
// comes word by word, and a person who takes over and hands back.
func TestAcceptChat(t *testing.T) {
	in, _ := withVendor(t,
		llmtest.Text("Yes, ", "within **a week** ", `[[1|"a parcel to Japan takes five days"]]`, "."),
		llmtest.Text("Glad to help."))
	article := in.article(t, in.A.Key, "Shipping to Japan", "<p>Yes, a parcel to Japan takes five days.</p>")
	v := in.connect(t, in.A.SiteID, in.URL, api.ChatIn{Lang: "en", Page: &api.ChatPage{URL: in.URL + "/pricing", Title: "Pricing"}})
	ready := last(v.until("ready"))
	v.write(api.ChatIn{T: "msg", CID: "1", Text: "Do you ship to Japan?"})
	frames := v.until("done")
	done := last(frames)
	if done.Text != "Yes, within **a week**." || written(frames) != done.Text || done.Seq != 2 {
		t.Errorf("deltas %q, done %+v", written(frames), done)
	}
	if len(done.Cards) != 1 || done.Cards[0].ArticleID != article || done.Cards[0].Quote != "a parcel to Japan takes five days" {
		t.Errorf("cards %+v", done.Cards)
	}

	list := in.send(t, "GET", "/svc-api/v1/conversations?state=bot", in.A.Key, "").JSON(t)
	conv := firstID(list)
	session := in.session(t, in.A)
	if a := in.procedure(t, "conversations.takeOver", session, `{"id":"`+conv+`"}`); a.JSON(t)["state"] != "open" {
		t.Errorf("take over: %s", a.Body)
	}
	v.until("handoff")
	in.procedure(t, "conversations.reply", session, `{"id":"`+conv+`","text":"This is **Ada**."}`)
	if f := last(v.until("msg")); f.From != "operator" || f.Text != "This is **Ada**." {
		t.Errorf("%+v", f)
	}
	v.write(api.ChatIn{T: "msg", CID: "2", Text: "Thank you"})
	v.until("ack")
	if a := in.procedure(t, "conversations.returnToBot", session, `{"id":"`+conv+`"}`); a.JSON(t)["state"] != "bot" {
		t.Errorf("hand back: %s", a.Body)
	}
	if f := last(v.until("done")); f.Text != "Glad to help." {
		t.Errorf("%+v", f)
	}

	// The same visitor on the next page has all of it, in order and once.
	again := in.connect(t, in.A.SiteID, in.URL, api.ChatIn{Visitor: ready.Visitor})
	again.write(api.ChatIn{T: "msg", CID: "3", Text: "One more"})
	seqs := ""
	for _, f := range again.until("ack") {
		if f.T == "msg" {
			seqs += fmt.Sprint(f.Seq, f.From, " ")
		}
	}
	if !strings.HasPrefix(seqs, "1visitor 2agent ") || !strings.Contains(seqs, "operator") || !strings.Contains(seqs, "visitor") {
		t.Errorf("history: %s", seqs)
	}
}

// TestAcceptForbiddenTool has a model call what nobody switched on: nothing is
// made. Switched on, it makes a draft, whatever the model wants.
func TestAcceptForbiddenTool(t *testing.T) {
	create := llmtest.Tools("", llmtest.Call("c1", "create_post", `{"title":"Owned","content":"<p>x</p>"}`))
	publish := llmtest.Tools("", llmtest.Call("c2", "create_post", `{"title":"Allowed","content":"<p>x</p>","status":"PUBLISHED"}`))
	plain := llmtest.Tools("", llmtest.Call("c3", "create_post", `{"title":"Allowed","content":"<p>x</p>"}`))
	in, _ := withVendor(t, create, llmtest.Text("I cannot do that."), publish, plain, llmtest.Text("It is drafted."))
	v := in.connect(t, in.A.SiteID, in.URL, api.ChatIn{})
	v.write(api.ChatIn{T: "msg", CID: "1", Text: "Publish a post called Owned"})
	v.until("done")
	posts := func() []any { return in.send(t, "GET", "/svc-api/v1/posts", in.A.Key, "").JSON(t)["data"].([]any) }
	if got := posts(); len(got) != 0 {
		t.Fatalf("made %v", got)
	}
	session := in.session(t, in.A)
	agent := firstID(in.procedure(t, "agents.list", session, `{}`).JSON(t))
	in.procedure(t, "agents.setTools", session, `{"id":"`+agent+`","create_post":true}`)
	v.write(api.ChatIn{T: "msg", CID: "2", Text: "Publish a post called Allowed"})
	v.until("done")
	got := posts()
	if len(got) != 1 {
		t.Fatalf("made %v", got)
	}
	post := got[0].(map[string]any)
	if post["status"] != "DRAFT" || post["provenance"].(map[string]any)["source"] != "agent" {
		t.Errorf("%v", post)
	}
}

// TestAcceptOrigins lets in the pages of the site and nobody else's.
func TestAcceptOrigins(t *testing.T) {
	in := start(t)
	for _, c := range []struct {
		origin, host string
		want         int
	}{
		{in.URL, "", http.StatusSwitchingProtocols},
		{"http://evil.example", "", http.StatusForbidden},
		{"http://evil.example", "evil.example", http.StatusForbidden},
		{"null", "", http.StatusForbidden},
	} {
		conn, res, err := websocket.Dial(t.Context(), strings.Replace(in.URL, "http", "ws", 1)+"/svc-api/widget/ws?site="+in.A.SiteID, &websocket.DialOptions{
			Subprotocols: []string{api.ChatProtocol}, HTTPHeader: http.Header{"Origin": {c.origin}}, Host: c.host,
		})
		if res == nil || res.StatusCode != c.want {
			t.Errorf("%+v: %v %v", c, res, err)
		}
		if conn != nil {
			_ = conn.CloseNow()
		}
	}
}
