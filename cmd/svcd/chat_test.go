package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	contract "edgesvc.dev/svc/sdk/api"
)

const (
	chatRounds   = 6
	chatVisitors = 4
	chatMessages = 5 // of each visitor
)

// TestKillWhileAnswering ends the daemon with SIGKILL while visitors write and
// are answered (W16). Afterwards each message of theirs is stored once, whether
// or not it was acknowledged; none has two answers; and what a visitor has seen,
// before and after, is what is stored, each message once.
func TestKillWhileAnswering(t *testing.T) {
	data := t.TempDir()
	key, site := siteOf(t, data)
	url := model(t, 20, 10*time.Millisecond, nil)
	cut := 0
	for round := range chatRounds {
		p := started(t, raced(receiving(data, url)))
		all := make([]*visitor, chatVisitors)
		// The kill comes at a frame, not at a time: in the middle of it on any machine.
		var left atomic.Int64
		left.Store(chatVisitors + rand.Int64N(100))
		for i := range all {
			all[i] = newVisitor(site, fmt.Sprintf("192.0.2.%d", round*chatVisitors+i))
			all[i].heard = func() {
				if left.Add(-1) == 0 {
					_ = p.Process.Kill()
				}
			}
		}
		crowd(all, func(_ int, v *visitor) { v.talk(t.Context(), p.URL) })
		<-p.exited
		for _, v := range all {
			if cut += len(v.waiting); v.writing {
				cut++
			}
			v.writing, v.heard = false, nil
		}

		p = started(t, raced(receiving(data, url)))
		crowd(all, func(i int, v *visitor) { v.settle(t, p, key, i) })
		p.stop(t)
	}
	verify(t, data)
	if cut == 0 {
		t.Error("nothing was under way when it was killed; the run proves nothing")
	}
	t.Logf("%d rounds of %d messages, %d messages or answers under way when it was killed", chatRounds, chatVisitors*chatMessages, cut)
}

// talk sends the visitor's messages and reads until the daemon is gone. What
// could not be sent waits.
func (v *visitor) talk(ctx context.Context, url string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := v.come(ctx, url)
	for n := range chatMessages {
		if err != nil {
			v.waiting = append(v.waiting, contract.ChatIn{T: "msg", CID: fmt.Sprint(n), Text: fmt.Sprint("Message ", n)})
			continue
		}
		err = v.say(ctx, fmt.Sprint(n), fmt.Sprint("Message ", n))
		// Every other one is followed by the next while it is being answered.
		for f := (contract.ChatOut{}); err == nil && n%2 == 0 && f.T != "delta"; {
			f, err = v.read(ctx)
		}
	}
	for err == nil {
		_, err = v.read(ctx)
	}
}

// settle comes back, waits until the agent has answered all, and compares what
// was seen with what is stored.
func (v *visitor) settle(t *testing.T, p *process, key string, name int) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := v.come(ctx, p.URL); err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = v.conn.CloseNow() }()
	conversation := ""
	for {
		f, err := v.read(ctx)
		if err != nil {
			t.Errorf("visitor %d after %v: %v", name, v.seen, err)
			return
		}
		if f.Conv != "" {
			conversation = f.Conv
		}
		if len(v.waiting) == 0 && v.seen[v.since].From != "visitor" && v.seen[v.since].T != "ack" && v.since > chatMessages {
			break
		}
	}
	if conversation == "" { // nothing of it was stored before the kill
		conversation = v.conversation(t, p, key)
	}
	v.compare(t, get[contract.MessageList](t, p.URL+api+"/conversations/"+conversation+"/messages?limit=200", key).Data)
}

// conversation finds the visitor's own by the latest message that it has seen.
func (v *visitor) conversation(t *testing.T, p *process, key string) string {
	for _, c := range get[contract.Page[contract.Conversation]](t, p.URL+api+"/conversations?limit=100", key).Data {
		for _, m := range get[contract.MessageList](t, p.URL+api+"/conversations/"+c.ID+"/messages?limit=200", key).Data {
			if m.ID == v.seen[v.since].ID {
				return c.ID
			}
		}
	}
	t.Fatal("the visitor's conversation is not in the inbox")
	return ""
}

// compare wants each message stored once and in order, at most one answer to
// each, and nothing seen that is not stored, nor twice.
func (v *visitor) compare(t *testing.T, stored []contract.Message) {
	t.Helper()
	written, answers := 0, 0
	for i, m := range stored {
		switch m.Author.Type {
		case contract.AuthorVisitor:
			if m.Text != fmt.Sprint("Message ", written) {
				t.Errorf("stored %q as message %d", m.Text, written)
			}
			written++
		default:
			answers++
			if answers > written {
				t.Errorf("message %d is one answer too many: %+v", i, stored)
			}
		}
		if got := v.seen[m.Seq]; got.ID != m.ID {
			t.Errorf("message %d is %s, the visitor saw %+v", m.Seq, m.ID, got)
		}
	}
	if written != chatMessages || answers == 0 || answers > written || len(v.seen) != len(stored) || len(v.twice) > 0 {
		t.Errorf("%d messages, %d answers stored; %d seen, twice %+v", written, answers, len(v.seen), v.twice)
	}
}
