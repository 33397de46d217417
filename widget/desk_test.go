package widget_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/widget"
)

// desk is in for the conversations: it keeps them in memory and answers by
// script, with the frames of the protocol.
type desk struct {
	mu     sync.Mutex // guards everything below and in the conversations
	sites  map[string]widget.Site
	chats  map[string]*conversation // by the visitor's token
	visits int                      // ever made
	away   bool
	script func(c *conversation, text string)
	heard  []api.ChatIn // everything but messages
}

// conversation is one visitor's.
type conversation struct {
	d        *desk
	token    string
	messages []api.ChatOut
	cids     map[string]api.ChatOut
	visits   map[*visit]bool
	stand    api.ChatOut // who answers, as ready says it
}

type visit struct {
	c     *conversation
	wake  func()
	woken bool // since the last Take
	box   []api.ChatOut
}

func newDesk() *desk {
	return &desk{sites: map[string]widget.Site{}, chats: map[string]*conversation{}}
}

func (d *desk) Admit(_ context.Context, id, origin string) (widget.Site, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	site, ok := d.sites[id]
	switch {
	case !ok:
		return site, api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such site.")
	case origin != "" && !slices.Contains(site.AllowedOrigins, origin):
		return site, api.NewError(http.StatusForbidden, api.CodeOriginNotAllowed, "Pages of this origin may not use the site.")
	}
	return site, nil
}

func (d *desk) Call(ctx context.Context, site widget.Site, hello api.ChatIn, address string) (widget.Visit, error) {
	return d.Visit(ctx, site, hello, address)
}

func (d *desk) Visit(_ context.Context, site widget.Site, hello api.ChatIn, _ string) (widget.Visit, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if site.Identity == "required" {
		return nil, api.NewError(http.StatusUnauthorized, api.CodeInvalidCredentials, "Sign in.")
	}
	d.visits++
	token := hello.Visitor
	if d.chats[token] == nil {
		token = fmt.Sprintf("token-%d", d.visits)
	}
	v := &visit{c: d.chat(proven(token, hello.User))}
	v.begin(hello.Since)
	return v, nil
}

// proven is the token of whom the site proves to be there, else the one given.
func proven(token string, u *api.ChatUser) string {
	if u != nil && u.Token != "" {
		return "proven-" + u.ID
	}
	return token
}

func (d *desk) chat(token string) *conversation {
	c := d.chats[token]
	if c == nil {
		c = &conversation{d: d, token: token, cids: map[string]api.ChatOut{}, visits: map[*visit]bool{}}
		d.chats[token] = c
	}
	return c
}

// begin says who the visitor is and what came since.
func (v *visit) begin(since int) {
	v.c.visits[v] = true
	v.put(api.ChatOut{T: "ready", Visitor: v.c.token, Conv: "conv_" + v.c.token, Agent: &api.ChatAgent{Name: "Nova", Online: !v.c.d.away},
		Limits: &api.ChatLimits{Chars: 4000, PerMinute: 10}, To: v.c.stand.To, State: v.c.stand.State})
	for _, m := range v.c.messages {
		if m.Seq > since {
			v.put(m)
		}
	}
}

func (v *visit) put(f api.ChatOut) {
	v.box = append(v.box, f)
	if !v.woken && v.wake != nil {
		v.wake()
	}
	v.woken = true
}

func (v *visit) Notify(wake func()) {
	v.c.d.mu.Lock()
	defer v.c.d.mu.Unlock()
	v.wake = wake
	if v.woken {
		wake()
	}
}

func (v *visit) Take() []api.ChatOut {
	v.c.d.mu.Lock()
	defer v.c.d.mu.Unlock()
	box := v.box
	v.box, v.woken = nil, false
	return box
}

func (v *visit) Close() {
	v.c.d.mu.Lock()
	defer v.c.d.mu.Unlock()
	delete(v.c.visits, v)
}

func (v *visit) Receive(_ context.Context, f api.ChatIn) error {
	d := v.c.d
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case f.T == "identify" && f.User.Token != "":
		delete(v.c.visits, v)
		v.c = d.chat(proven("", f.User))
		v.begin(0)
		return nil
	case f.T != "msg":
		d.heard = append(d.heard, f)
		return nil
	case strings.HasPrefix(f.Text, "flood"):
		e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "You send too much at once.")
		e.RetryAfter = 1
		return e
	}
	if old, ok := v.c.cids[f.CID]; ok {
		v.put(api.ChatOut{T: "ack", CID: f.CID, ID: old.ID, Seq: old.Seq})
		return nil
	}
	m := v.c.store(api.ChatOut{T: "msg", From: "visitor", Text: f.Text, CID: f.CID})
	v.c.cids[f.CID] = m
	for o := range v.c.visits {
		if o == v {
			v.put(api.ChatOut{T: "ack", CID: f.CID, ID: m.ID, Seq: m.Seq})
		} else {
			o.put(m)
		}
	}
	if d.script != nil {
		d.script(v.c, f.Text)
	}
	return nil
}

func (c *conversation) store(m api.ChatOut) api.ChatOut {
	m.Seq = len(c.messages) + 1
	m.ID = fmt.Sprintf("msg_%s_%d", c.token, m.Seq)
	c.messages = append(c.messages, m)
	return m
}

// tell sends a frame to all that watch the conversation.
func (c *conversation) tell(f api.ChatOut) {
	for v := range c.visits {
		v.put(f)
	}
}

// say stores a message of the other side and sends it.
func (c *conversation) say(f api.ChatOut) {
	f.T = "msg"
	c.tell(c.store(f))
}

// answer streams a text word by word, and stores it at its end.
func (c *conversation) answer(text string, cards ...api.Citation) {
	m := c.store(api.ChatOut{T: "msg", From: "agent", Name: "Nova", Text: text, Cards: cards})
	c.tell(api.ChatOut{T: "start", ID: m.ID})
	n := 0
	for word := range strings.SplitAfterSeq(text, " ") {
		c.tell(api.ChatOut{T: "delta", ID: m.ID, N: n, Text: word})
		n += len([]rune(word))
	}
	m.T = "done"
	c.tell(m)
}

// known runs f on the conversation of a visitor whom the site proves.
func (d *desk) known(id string, f func(*conversation)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(d.chat("proven-" + id))
}

func (d *desk) conversations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.chats)
}

// with runs f on the only conversation.
func (d *desk) with(f func(*conversation)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.chats {
		f(c)
	}
}

// awaitHeard waits for a frame that is no message.
func (w *world) awaitHeard(is func(api.ChatIn) bool) {
	w.t.Helper()
	for w.t.Context().Err() == nil {
		w.desk.mu.Lock()
		found := slices.ContainsFunc(w.desk.heard, is)
		w.desk.mu.Unlock()
		if found {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatal("the frame did not come")
}

// texts are what the visitors have written.
func (d *desk) texts() (all []string) {
	d.with(func(c *conversation) {
		for _, m := range c.messages {
			if m.From == "visitor" {
				all = append(all, m.Text)
			}
		}
	})
	return all
}
