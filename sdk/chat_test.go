package sdk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// site is the widget's wire of a site with one visitor.
type site struct {
	mu       sync.Mutex // guards what follows
	messages []api.ChatOut
	cids     map[string]int
	lose     int // answers to POST that get lost
	cut      int // streams that break after each message
}

func (s *site) frames(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var in struct {
		Visitor string     `json:"visitor"`
		Frame   api.ChatIn `json:"frame"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	out := []api.ChatOut{{T: "ready", Visitor: "vis_1.token"}}
	switch {
	case in.Frame.T != "msg":
	case in.Frame.Text == "too much":
		out = append(out, api.ChatOut{T: "error", Code: "rate_limited", Message: "Wait.", RetryIn: 7})
	case in.Visitor != "vis_1.token":
		http.Error(w, "no token", 500)
		return
	default:
		if s.cids[in.Frame.CID] == 0 {
			s.messages = append(s.messages, api.ChatOut{T: "msg", Seq: len(s.messages) + 1, From: "visitor", Text: in.Frame.Text})
			s.cids[in.Frame.CID] = len(s.messages)
		}
		if s.lose--; s.lose >= 0 {
			panic(http.ErrAbortHandler)
		}
		out = append(out, api.ChatOut{T: "ack", CID: in.Frame.CID, Seq: s.cids[in.Frame.CID]})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"frames": out})
}

func (s *site) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since, _ := strconv.Atoi(r.URL.Query().Get("since"))
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(f api.ChatOut) {
		b, _ := json.Marshal(f)
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
	send(api.ChatOut{T: "ready", Visitor: r.URL.Query().Get("visitor")})
	for _, m := range s.messages[max(0, since-1):] { // one is repeated
		send(m)
		if s.cut--; s.cut >= 0 && m.Seq > since {
			return
		}
	}
}

// TestChat: a lost answer doubles nothing, a broken stream loses nothing and
// repeats nothing, a refusal says how long to wait.
func TestChat(t *testing.T) {
	s := &site{cids: map[string]int{}, lose: 1, cut: 2}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /svc-api/widget/frames", s.frames)
	mux.HandleFunc("GET /svc-api/widget/events", s.events)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c, err := sdk.OpenChat(t.Context(), server.URL, "site_1", "")
	if err != nil || c.Token() != "vis_1.token" {
		t.Fatal(c.Token(), err)
	}
	for i := range 3 {
		ack, err := c.Send(t.Context(), fmt.Sprintf("message %d", i))
		if err != nil || ack.Seq != i+1 {
			t.Fatalf("%+v, %v", ack, err)
		}
	}
	_, err = c.Send(t.Context(), "too much")
	if e, ok := errors.AsType[*api.Error](err); !ok || e.Code != api.CodeRateLimited || e.RetryAfter != 7 {
		t.Errorf("%v", err)
	}
	var got []string
	for f, err := range c.Frames(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if f.T == "msg" {
			got = append(got, f.Text)
		}
		if len(got) == 3 {
			break
		}
	}
	if strings.Join(got, ",") != "message 0,message 1,message 2" {
		t.Errorf("got %v", got)
	}
}
