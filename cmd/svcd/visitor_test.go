package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	contract "edgesvc.dev/svc/sdk/api"
)

// receiving prepares svcd serve behind a proxy, so that visitors may come from
// many addresses, with a model that is asked at url.
func receiving(data, url string) *exec.Cmd {
	cmd := serving(data, "--behind-proxy", "--openai-base-url", url+"/v1")
	cmd.Env = append(cmd.Env, "OPENAI_API_KEY=sk-test")
	return cmd
}

// model answers like OpenAI's chat completions, each answer in so many words
// with a pause between two. told hears when an answer begins and its first word
// is sent.
func model(t testing.TB, words int, pause time.Duration, told func(first bool)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if told != nil {
			told(false)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		chunk := func(delta, finish string) {
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
			_ = http.NewResponseController(w).Flush()
		}
		for i := range words {
			if i > 0 {
				pausing := time.NewTimer(pause)
				select {
				case <-pausing.C:
				case <-r.Context().Done():
					return
				}
			}
			if i == 0 && told != nil {
				told(true)
			}
			chunk(fmt.Sprintf(`{"content":"word%d "}`, i), "null")
		}
		chunk("{}", `"stop"`)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// siteOf is the site that a team began with.
func siteOf(t testing.TB, data string, args ...string) (key, site string) {
	t.Helper()
	var made struct{ Key, SiteID string }
	out := does(t, append([]string{"init", "--json", "--data", data}, args...)...)
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.SiteID == "" {
		t.Fatal(out, err)
	}
	return made.Key, made.SiteID
}

// visitor is a browser with the widget: it keeps its token, what it has seen and
// what was not acknowledged, and sends that again when it comes back.
type visitor struct {
	site, address string
	conn          *websocket.Conn

	token   string
	seen    map[int]contract.ChatOut // messages by seq
	twice   []contract.ChatOut       // that came under a seq that was there
	waiting []contract.ChatIn        // not acknowledged
	since   int

	writing bool   // an answer has begun that has not ended
	heard   func() // each frame; nil is nobody
}

func newVisitor(site, address string) *visitor {
	return &visitor{site: site, address: address, seen: map[int]contract.ChatOut{}}
}

// come connects and says hello, and sends again what was not acknowledged.
func (v *visitor) come(ctx context.Context, url string) error {
	conn, _, err := websocket.Dial(ctx, strings.Replace(url, "http", "ws", 1)+"/svc-api/widget/ws?site="+v.site, &websocket.DialOptions{
		Subprotocols: []string{contract.ChatProtocol}, HTTPHeader: http.Header{"X-Forwarded-For": {v.address}},
	})
	if err != nil {
		return err
	}
	conn.SetReadLimit(1 << 20)
	v.conn = conn
	if err := v.write(ctx, contract.ChatIn{T: "hello", Visitor: v.token, Since: v.since}); err != nil {
		return err
	}
	for _, f := range v.waiting {
		if err := v.write(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

func (v *visitor) write(ctx context.Context, f contract.ChatIn) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return v.conn.Write(ctx, websocket.MessageText, b)
}

// say sends a message, which waits for its acknowledgement.
func (v *visitor) say(ctx context.Context, cid, text string) error {
	f := contract.ChatIn{T: "msg", CID: cid, Text: text}
	v.waiting = append(v.waiting, f)
	return v.write(ctx, f)
}

// read takes in one frame.
func (v *visitor) read(ctx context.Context) (f contract.ChatOut, err error) {
	_, b, err := v.conn.Read(ctx)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(b, &f); err != nil {
		return f, err
	}
	if v.heard != nil {
		v.heard()
	}
	switch f.T {
	case "start":
		v.writing = true
	case "done":
		v.writing = false
	case "ready":
		v.token = f.Visitor
	case "ack":
		v.acknowledged(f)
	}
	// An acknowledgement may come twice: of a message that was sent twice.
	if old, known := v.seen[f.Seq]; f.T == "ack" && known && old.ID == f.ID {
		return f, nil
	} else if f.Seq > 0 && f.T != "read" {
		if known {
			v.twice = append(v.twice, f)
		}
		v.seen[f.Seq] = f
		v.since = max(v.since, f.Seq)
	}
	return f, nil
}

func (v *visitor) acknowledged(f contract.ChatOut) {
	for i, w := range v.waiting {
		if w.CID == f.CID {
			v.waiting = append(v.waiting[:i:i], v.waiting[i+1:]...)
			return
		}
	}
}

// crowd runs one function for each visitor and waits for all.
func crowd(all []*visitor, do func(i int, v *visitor)) {
	var wg sync.WaitGroup
	for i, v := range all {
		wg.Go(func() { do(i, v) })
	}
	wg.Wait()
}
