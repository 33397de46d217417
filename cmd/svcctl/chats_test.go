package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"edgesvc.dev/svc/sdk/api"
	"github.com/rogpeppe/go-internal/testscript"
)

// chats is a daemon with one conversation in memory, whose visitor is hostile to
// terminals.
type chats struct {
	mu       sync.Mutex // guards what follows
	c        api.Conversation
	messages []api.Message
}

// startChats begins a daemon with a conversation and points the environment to
// it. It also signs in.
func startChats(ts *testscript.TestScript, _ bool, _ []string) {
	f := &chats{c: api.Conversation{
		ID: "conv_1", State: api.ConversationBot, Unread: 1, Tags: []string{}, Visitor: api.Visitor{ID: "vis_1234", Name: "Lin\x1b]0;owned\x07", Verified: true},
		StartedAt: 1_700_000_000_000, CreatedAt: 1_700_000_000_000, UpdatedAt: 1_700_000_000_000,
	}}
	f.add(api.MessageAuthor{Type: api.AuthorVisitor, Name: "Lin"}, "Do you ship \x1b[2Jto \u202eJapan?", false)
	f.add(api.MessageAuthor{Type: api.AuthorAgent, Name: "Nova"}, "Yes.", false)
	f.messages[1].Citations = []api.Citation{{Title: "Shipping", URL: "https://acme.example/shipping"}}
	mux := http.NewServeMux()
	const v1 = "/svc-api/v1/conversations"
	mux.HandleFunc("GET "+v1, f.list)
	mux.HandleFunc("GET "+v1+"/conv_1", f.answer(func(map[string]any) any { return api.ConversationDetail{Conversation: f.c, Messages: f.messages} }))
	mux.HandleFunc("GET "+v1+"/conv_1/messages", f.answer(func(map[string]any) any { return api.MessageList{Data: f.messages} }))
	mux.HandleFunc("POST "+v1+"/conv_1/{verb}", func(w http.ResponseWriter, r *http.Request) {
		f.answer(func(in map[string]any) any { return f.act(r.PathValue("verb"), in) })(w, r)
	})
	mux.HandleFunc("GET /svc-api/trpc/conversations.conversation", f.follow)
	session := (&fake{}).session
	mux.HandleFunc("POST /svc-api/trpc/{operation}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("operation") != "conversations.takeOver" {
			session(w, r)
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.c.State, f.c.AssigneeID = api.ConversationOpen, "usr_1"
		writeProcedure(w, f.c)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		write(w, 404, api.NewError(404, api.CodeNotFound, "There is no such conversation."))
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("SVC_URL", server.URL)
	ts.Setenv("SVC_API_KEY", fakeKey)
}

func (f *chats) add(author api.MessageAuthor, text string, note bool) api.Message {
	m := api.Message{
		ID: fmt.Sprintf("msg_%d", len(f.messages)+1), ConversationID: f.c.ID, Seq: len(f.messages) + 1, Author: author, Text: text, Note: note,
		Citations: []api.Citation{}, ToolCalls: []api.ToolCall{}, CreatedAt: 1_700_000_000_000,
	}
	f.messages = append(f.messages, m)
	f.c.LastMessage = &api.MessageSummary{Seq: m.Seq, Author: author.Type, Text: text, At: m.CreatedAt}
	return m
}

func (f *chats) list(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q, page := r.URL.Query(), api.Page[api.Conversation]{Data: []api.Conversation{}}
	if (q.Get("unread") == "" || f.c.Unread > 0) && (q.Get("state") == "" || q.Get("state") == f.c.State) && strings.Contains("lin", q.Get("q")) {
		page.Data = append(page.Data, f.c)
	}
	write(w, 200, page)
}

func (f *chats) answer(do func(map[string]any) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		write(w, 200, do(in))
	}
}

func (f *chats) act(verb string, in map[string]any) any {
	switch verb {
	case "reply", "note":
		text, _ := in["text"].(string)
		return f.add(api.MessageAuthor{Type: api.AuthorUser, Name: "ci"}, text, verb == "note")
	case "state":
		f.c.State, _ = in["state"].(string)
	case "return-to-bot":
		f.c.State = api.ConversationBot
	case "assign":
		f.c.AssigneeID, _ = in["assigneeId"].(string)
	case "tags":
		f.c.Tags = append(f.c.Tags, words(in["add"])...)
		f.c.Tags = slices.DeleteFunc(f.c.Tags, func(tag string) bool { return slices.Contains(words(in["remove"]), tag) })
	}
	return f.c
}

func words(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		out = append(out, fmt.Sprint(one))
	}
	return out
}

// follow is a live conversation that ends.
func (f *chats) follow(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(e api.ConversationEvent) {
		b, _ := json.Marshal(map[string]any{"json": e})
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
	send(api.ConversationEvent{Type: "conversation", Conversation: &f.c})
	send(api.ConversationEvent{Type: "message", Message: &f.messages[0]})
	send(api.ConversationEvent{Type: "start", MessageID: "msg_2"})
	send(api.ConversationEvent{Type: "delta", MessageID: "msg_2", Text: "Y"})
	send(api.ConversationEvent{Type: "message", Message: &f.messages[1]})
	send(api.ConversationEvent{Type: "presence", From: api.AuthorVisitor})
	fmt.Fprint(w, "event: return\ndata:\n\n")
}
