package chat

import (
	"net/netip"
	"strings"
	"sync"

	"edgesvc.dev/svc/daemon/internal/live"
	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/sdk/api"
)

// The kinds of happening.
const (
	changed   = "changed"   // the conversation is c
	gone      = "gone"      // the conversation was deleted
	written   = "written"   // m was stored; it may end an answer
	started   = "started"   // an answer began, or began anew
	delta     = "delta"     // a piece of it
	tool      = "tool"      // the agent uses a tool
	canceled  = "canceled"  // the answer will not come
	typing    = "typing"    // from is writing, or ceased to
	presence  = "presence"  // the visitor is there, or left
	seen      = "seen"      // from has read up to seq
	rated     = "rated"     // m was rated
	handed    = "handed"    // from answers now; with on, one is waited for
	elsewhere = "elsewhere" // the visitor is another one from now on
)

// happening is one thing that readers are told. They do not change it.
type happening struct {
	kind                string
	team, conv, visitor string

	c    *api.Conversation
	m    *message
	id   string // of the answer
	text string
	n    int // characters (UTF-16) of the answer before text
	tool *api.ToolCall
	from string
	on   bool
	seq  int
	by   *Visit // whose doing it is
}

// lasts reports what a reader must be told even when it happened while its
// beginning was read. The text of an answer is in the beginning already.
func (e *happening) lasts() bool {
	switch e.kind {
	case changed, gone, written, rated, handed, elsewhere:
		return true
	}
	return false
}

// hub tells readers what happens, as it happens. Nothing in it is stored. Every
// wake-up goes through publish, in the order of the commits. Readers are told
// with the lock held: they put it into their box and return. The zero hub is
// empty.
type hub struct {
	mu      sync.Mutex          // guards all that hangs on it
	visits  live.Groups[*Visit] // by visitor
	sites   live.Groups[*Visit] // the same by site
	watches live.Groups[*watch] // by conversation
	inboxes live.Groups[*watch] // by team
	answers map[string]*answer  // being written, by conversation
	streams tally               // connections that stay open
	posts   tally               // visits of one frame, while they are answered
}

// client is a network as the chat of one team counts it.
type client struct {
	team string
	from netip.Prefix
}

func clientOf(team, address string) client { return client{team, netaddr.Network(address)} }

// around is the most that a provider of IPv6 gives to one customer: its 65,536
// networks together cannot take all places of a team either.
func around(team, address string) client { return client{team, netaddr.Within(address, 32, 48)} }

// tally counts visits. The zero tally is empty.
type tally struct {
	team   map[string]int
	narrow map[client]int // by team and network
	wide   map[client]int // the same, by the network around it
}

func (c *tally) add(team, address string) {
	if c.team == nil {
		c.team, c.narrow, c.wide = map[string]int{}, map[client]int{}, map[client]int{}
	}
	c.team[team]++
	c.narrow[clientOf(team, address)]++
	c.wide[around(team, address)]++
}

func (c *tally) remove(team, address string) {
	uncount(c.team, team)
	uncount(c.narrow, clientOf(team, address))
	uncount(c.wide, around(team, address))
}

// full reports whether the address has as many as it may.
func (c *tally) full(team, address string, o *Options) bool {
	return c.narrow[clientOf(team, address)] >= o.PerAddress || c.wide[around(team, address)] >= max(o.PerAddress, o.PerTeam/5)
}

func uncount[K comparable](m map[K]int, k K) {
	if m[k]--; m[k] == 0 {
		delete(m, k)
	}
}

// answer is what has been written of one.
type answer struct {
	id    string
	text  strings.Builder
	units int // UTF-16
}

// publish tells everybody whom it concerns.
func (h *hub) publish(e *happening) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pass(e)
}

func (h *hub) pass(e *happening) {
	if !h.note(e) {
		return
	}
	for v := range h.visits[e.visitor] {
		v.tell(e)
	}
	for w := range h.watches[e.conv] {
		w.tell(e)
	}
	if e.kind == changed || e.kind == gone {
		for w := range h.inboxes[e.team] {
			w.tell(e)
		}
	}
}

// note keeps the text of the answer being written, for those who come later. It
// reports false for what belongs to an answer that is not being written any
// more.
func (h *hub) note(e *happening) bool {
	a := h.answers[e.conv]
	switch e.kind {
	case started:
		if h.answers == nil {
			h.answers = map[string]*answer{}
		}
		h.answers[e.conv] = &answer{id: e.id}
	case delta, tool, canceled:
		if a == nil || a.id != e.id {
			return false
		}
		if e.kind == canceled {
			delete(h.answers, e.conv)
		}
		e.n = a.units
		a.text.WriteString(e.text)
		a.units += units(e.text)
	case gone:
		delete(h.answers, e.conv)
	case written:
		if a != nil && a.id == e.m.M.ID {
			delete(h.answers, e.conv)
		}
	}
	return true
}

// cut ends the answer being written in a conversation, whatever its author
// still has to say.
func (h *hub) cut(team, conv, visitor string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a := h.answers[conv]; a != nil {
		h.pass(&happening{kind: canceled, team: team, conv: conv, visitor: visitor, id: a.id})
	}
}

// units is the length of s as browsers count it.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// attended reports whether a member of the team is looking.
func (h *hub) attended(team string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.inboxes[team]) > 0
}

func (h *hub) online(visitor string) bool { return len(h.visits[visitor]) > 0 }
