package chat_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/sdk/api"
)

// TestCorpus sends each attack as a visitor and as a member: what members are
// shown of it can do nothing, and the text stays as it was.
func TestCorpus(t *testing.T) {
	corpus := xsstest.Corpus(t)
	w := newWorld(t, unlimited)
	w.activate(nil)
	v := w.arrive(chat.Arrival{})
	seq := v.say("hello").Seq
	conv := v.conv()
	want := map[int]string{}
	for i, attack := range corpus {
		if !utf8.ValidString(attack) || utf8.RuneCountInString(attack) > 4000 {
			continue
		}
		if i%40 == 0 {
			v = v.again(seq)
		}
		if err := v.try(api.ChatIn{T: "msg", CID: fmt.Sprint(i), Text: attack}); err == nil { // empty ones are refused
			seq++
			want[seq] = attack
		}
		quoted, _ := json.Marshal(attack)
		if _, refusal := optest.Call[api.Message](w, ada, "conversations.reply", `{"id":"`+conv+`","text":`+string(quoted)+`}`); refusal == nil {
			seq++
			want[seq] = attack
		}
		v.visit.Take()
	}
	seen := 0
	for since, more := 0, true; more; {
		page := optest.Must[api.MessageList](w, "conversations.messages", fmt.Sprintf(`{"id":%q,"since":%d,"limit":200}`, conv, since))
		for _, m := range page.Data {
			since = m.Seq
			if active := xsstest.Active(t, m.HTML); len(active) > 0 {
				t.Errorf("%q became %q, in which %q", m.Text, m.HTML, active)
			}
			if m.Seq > 1 && m.Text != want[m.Seq] {
				t.Errorf("%q is kept as %q", want[m.Seq], m.Text)
			}
			seen++
		}
		more = page.HasMore
	}
	if seen < 2*900 {
		t.Errorf("only %d messages were looked at", seen)
	}
}
