package chat

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/time/rate"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/live"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Identity is who a visitor is, as the site has proven.
type Identity struct {
	ID    string // the site's own
	Email string
	Name  string
}

// Arrival is a visitor's connection.
type Arrival struct {
	Team    string
	Site    api.Site
	Address string     // of the client
	Origin  string     // of its page; "" is a client that is no browser
	Hello   api.ChatIn // its first frame
	// Brief says that it ends with the answer to one more frame. It takes none of
	// the team's places, so that open connections shut nobody out of it.
	Brief    bool
	Verified *Identity // nil when the site proved nothing
	// Verify checks the proof in an identify frame that comes later; nil where
	// the site proves nothing.
	Verify func(ctx context.Context, claim api.ChatUser) (*Identity, error)
}

// Visit is one connection of a visitor. It is safe for concurrent use: the
// transport reads and writes at the same time.
type Visit struct {
	s       *Service
	keys    keyring
	address string
	network string // stands for it in the store
	origin  string
	brief   bool
	site    site
	verify  func(context.Context, api.ChatUser) (*Identity, error)
	frames  *rate.Limiter

	// Guarded by the hub's lock.
	box     live.Box[api.ChatOut]
	early   []happening // what came before begin
	begun   bool
	who     api.Visitor // as it will stand in the conversation
	until   api.Time    // the end of the site's proof; 0 is none
	conv    string      // "" before the first message
	seq     int         // of the latest message handed over
	writing string      // id of the answer that the visitor sees being written
	closed  bool
	over    *api.Error // why nothing more is accepted
}

// site is what a visit needs of its site.
type site struct{ id, name, color, greeting string }

// Visit lets a visitor in. The first frames are ready, then what was missed
// since Hello.Since, then the answer being written. A token that is not this
// site's makes a new visitor. Close is owed.
func (s *Service) Visit(ctx context.Context, a Arrival) (*Visit, error) {
	keys, err := s.keys(ctx)
	if err != nil {
		return nil, err
	}
	v := &Visit{
		s: s, keys: keyring{keys, a.Team, a.Site.ID, a.Site.Secret.Version}, verify: a.Verify,
		address: a.Address, network: keys.network(clientOf(a.Team, a.Address).from.String()), origin: a.Origin, brief: a.Brief,
		site:   site{a.Site.ID, a.Site.Name, a.Site.Color, a.Site.Greeting},
		frames: rate.NewLimiter(framesPerSecond, frameBurst),
	}
	id, until, known := v.keys.visitor(a.Hello.Visitor, s.Now())
	if !known {
		if id, known, err = s.formerVisitor(ctx, v.keys, a.Hello.Visitor); err != nil {
			return nil, err
		}
	}
	if !known {
		id, until = newVisitorID(), 0
	}
	proven := until > 0
	if a.Site.Identity == identityRequired && a.Verified == nil && !proven {
		return nil, api.NewError(http.StatusUnauthorized, api.CodeInvalidCredentials, "This site asks its visitors to be signed in.")
	}
	v.until = until
	v.who = api.Visitor{ID: id, Verified: proven, Locale: field.Clip(a.Hello.Lang, maxLocale)}
	v.look(a.Hello.Page)
	v.claim(a.Hello.User)
	if err := s.hub.enter(v, &s.o); err != nil {
		return nil, err
	}
	if a.Verified != nil {
		err = v.become(ctx, *a.Verified)
	}
	if err == nil {
		err = v.begin(ctx, "", a.Hello.Since)
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// formerVisitor returns whom a token of the earlier form is for. It is worth
// nothing for a visitor whom the site had proven: whoever has the key of then
// could make one.
func (s *Service) formerVisitor(ctx context.Context, k keyring, token string) (id string, known bool, err error) {
	id, known = k.former(token, s.Now())
	if !known {
		return "", false, nil
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		_, r, err := conversations.Find(tx, k.team, byVisitor, kv.Key(id))
		if missing(err) {
			return nil
		}
		known = err == nil && !r.C.Visitor.Verified
		return err
	})
	return id, known, err
}

// enter counts the visit, within the limits. Only what stays open takes one of
// the team's places.
func (h *hub) enter(v *Visit, o *Options) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	full := h.counts(v).full(v.keys.team, v.address, o)
	switch {
	case full && v.brief:
		return slowDown(3*time.Second, "Too many messages from your address are being answered. Try again in a moment.")
	case full:
		return slowDown(10*time.Second, "There are too many chats open from your address. Close one.")
	case !v.brief && h.streams.team[v.keys.team] >= o.PerTeam:
		return slowDown(30*time.Second, "The chat is full. Try again in a moment.")
	}
	h.counts(v).add(v.keys.team, v.address)
	h.visits.Join(v.who.ID, v)
	h.sites.Join(v.site.id, v)
	return nil
}

// counts are where the visit is counted.
func (h *hub) counts(v *Visit) *tally {
	if v.brief {
		return &h.posts
	}
	return &h.streams
}

// Close ends the visit.
func (v *Visit) Close() {
	h := &v.s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if v.closed {
		return
	}
	v.closed = true
	v.box.Wake(nil)
	h.counts(v).remove(v.keys.team, v.address)
	h.visits.Leave(v.who.ID, v)
	h.sites.Leave(v.site.id, v)
	if v.conv != "" && !h.online(v.who.ID) {
		h.pass(&happening{kind: presence, team: v.keys.team, conv: v.conv, visitor: v.who.ID, from: api.AuthorVisitor})
	}
}

// Notify has wake called when frames have come, at once when some have already:
// once from each Take to the next, and not after Close. wake is called with the
// hub's lock held, which Take and Close need: it only leaves word.
func (v *Visit) Notify(wake func()) {
	v.s.hub.mu.Lock()
	defer v.s.hub.mu.Unlock()
	if v.closed {
		return
	}
	v.box.Wake(wake)
}

// Take returns the frames since the last Take. A fatal error among them is the
// last: the transport sends it and closes.
func (v *Visit) Take() []api.ChatOut {
	v.s.hub.mu.Lock()
	defer v.s.hub.mu.Unlock()
	return v.box.Take()
}

// begin reads what the visitor has missed and lets the frames flow. It is also
// how a visit goes on as another visitor: since then counts for the conversation
// of that id.
func (v *Visit) begin(ctx context.Context, conv string, since int) error {
	agent, available, err := v.s.available(ctx, v.keys.team)
	if err != nil {
		return err
	}
	r, missed, err := v.history(ctx, conv, since)
	if err != nil {
		return err
	}
	h := &v.s.hub
	attended := available || h.attended(v.keys.team)
	h.mu.Lock()
	defer h.mu.Unlock()
	ready := v.ready(agent, available)
	ready.Agent.Online = attended
	if r != nil {
		v.conv, v.seq = r.C.ID, r.C.LastSeq
		v.recall(&r.C.Visitor)
		ready.Conv, ready.Resumed = v.conv, true
		if r.waits() {
			ready.To, ready.State = fromOperator, stateWaiting
		} else if r.TakenOver && r.C.State == api.ConversationOpen {
			ready.To = fromOperator
		}
	}
	v.begun = true
	v.box.Bound(false)
	v.put(ready)
	for i := range missed {
		v.put(frameOf(&missed[i]))
	}
	if a := h.answers[v.conv]; a != nil {
		v.writing = a.id
		v.put(api.ChatOut{T: "snapshot", ID: a.id, N: a.units, Text: a.text.String()})
	}
	v.box.Bound(true)
	for i := range v.early {
		v.tell(&v.early[i])
	}
	v.early = nil
	if v.conv != "" {
		h.pass(&happening{kind: presence, team: v.keys.team, conv: v.conv, visitor: v.who.ID, from: api.AuthorVisitor, on: true, by: v})
	}
	return nil
}

func (v *Visit) ready(agent api.Agent, available bool) api.ChatOut {
	out := api.ChatOut{
		T: "ready", Visitor: v.keys.token(v.who.ID, v.until), Color: v.site.color, Greet: v.site.greeting,
		Agent:  &api.ChatAgent{Name: v.site.name},
		Limits: &api.ChatLimits{Chars: maxChars, PerMinute: v.s.o.PerMinute},
	}
	if available {
		out.Agent.Name, out.Agent.Avatar = agent.Name, agent.AvatarURL
	}
	return out
}

// The most messages that a visitor gets at once: of a first look, and of what
// was missed.
const (
	maxHistory = 100
	maxMissed  = 500
)

// history is the visitor's conversation and its messages after since; nil when
// there is none yet.
func (v *Visit) history(ctx context.Context, conv string, since int) (r *record, missed []message, err error) {
	err = v.s.store.View(ctx, func(tx kv.Tx) error {
		_, r, err = conversations.Find(tx, v.keys.team, byVisitor, kv.Key(v.who.ID))
		if missing(err) {
			r = nil
			return nil
		}
		if err != nil {
			return err
		}
		most := maxMissed
		if since <= 0 || since > r.C.LastSeq || conv != "" && conv != r.C.ID { // of another conversation
			since, most = 0, maxHistory
		}
		return readMessages(tx, v.keys.team, r.C.ID, max(since, r.C.LastSeq-most), func(m *message) error {
			if !m.M.Note {
				missed = append(missed, *m)
			}
			return nil
		})
	})
	return r, missed, err
}

// become makes the visit that of a visitor whom the site has proven, who is the
// same on every device. A conversation that was begun before goes along, unless
// that visitor has one already.
func (v *Visit) become(ctx context.Context, id Identity) error {
	was, is := v.visitor(), v.keys.proven(id.ID)
	who := was
	who.ID, who.Name, who.Email, who.Verified = is, line(id.Name, maxName), line(id.Email, maxEmail), true
	if err := v.hand(ctx, was.ID, v.keys.earlier(id.ID), who); err != nil {
		return err
	}
	h := &v.s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if !v.closed && was.ID != is {
		h.visits.Leave(was.ID, v)
		h.visits.Join(is, v)
	}
	v.who, v.conv, v.writing, v.begun, v.early = who, "", "", false, nil
	v.until = api.TimeOf(v.s.Now().Add(proofLife))
	return nil
}

func (v *Visit) visitor() api.Visitor {
	v.s.hub.mu.Lock()
	defer v.s.hub.mu.Unlock()
	return v.who
}

// hand writes the proven visitor into the conversation that is theirs, by the id
// of today or the earlier one, or into the one of a visitor of whom nothing was
// proven, whose token opens it no more.
func (v *Visit) hand(ctx context.Context, from, earlier string, to api.Visitor) error {
	s, team, theirs := v.s, v.keys.team, false
	err := s.metered(ctx, v.source(), func(tx kv.Tx) error {
		r, err := v.toHand(tx, from, earlier, to.ID)
		if err != nil || r == nil || r.C.Visitor == to {
			return err
		}
		theirs = r.C.Visitor.ID == to.ID
		e := s.editOf(tx, v.caller(to.ID), r)
		if err := e.r.admitEdit(&s.o, s.Now()); err != nil {
			return err
		}
		e.touch()
		e.r.C.Visitor = to
		if e.was.Visitor.ID != to.ID {
			tx.OnCommit(func() { s.hub.publish(&happening{kind: elsewhere, team: team, visitor: e.was.Visitor.ID, by: v}) })
		}
		return e.save()
	})
	if e, refused := errors.AsType[*api.Error](err); refused && theirs && (e.Status == http.StatusTooManyRequests || e.Code == api.CodeStorageFull) {
		return nil // what is stored of the visitor stays as it was
	}
	return err
}

// toHand is the conversation that a proven visitor goes on with, nil for none.
func (v *Visit) toHand(tx kv.Tx, from, earlier, to string) (*record, error) {
	for _, c := range []struct {
		id string
		of func(api.Visitor) bool
	}{
		{to, func(api.Visitor) bool { return true }},
		{earlier, func(w api.Visitor) bool { return w.Verified }},
		{from, func(w api.Visitor) bool { return !w.Verified }},
	} {
		_, r, err := conversations.Find(tx, v.keys.team, byVisitor, kv.Key(c.id))
		if missing(err) {
			continue
		}
		if err != nil || c.of(r.C.Visitor) {
			return r, err
		}
	}
	return nil, nil
}

func (v *Visit) source() source {
	return source{team: v.keys.team, site: v.site.id, network: v.network}
}

// caller is the visitor where callers are asked for.
func (v *Visit) caller(visitor string) op.Caller {
	return op.Caller{Kind: op.System, Team: v.keys.team, Actor: api.Actor{Type: "system", ID: visitor}, Source: "widget"}
}

const identityRequired = "required"

const (
	maxName   = 120
	maxEmail  = 254
	maxLocale = 35
	maxURL    = 2048
	maxTitle  = 300
)

// claim takes over what the visitor says of itself, which proves nothing.
func (v *Visit) claim(u *api.ChatUser) {
	if u == nil || v.who.Verified {
		return
	}
	if u.Name != "" {
		v.who.Name = line(u.Name, maxName)
	}
	if u.Email != "" {
		v.who.Email = line(u.Email, maxEmail)
	}
}

// recall takes over what is stored of the visitor.
func (v *Visit) recall(known *api.Visitor) {
	if v.who.Name == "" {
		v.who.Name = known.Name
	}
	if v.who.Email == "" {
		v.who.Email = known.Email
	}
}

// line is one line of what a visitor says, of at most that many characters.
func line(s string, most int) string {
	return clip(strings.TrimSpace(field.Clip(s, utf8.UTFMax*most)), most)
}

func (v *Visit) look(p *api.ChatPage) {
	if p == nil {
		return
	}
	v.who.PageURL, v.who.PageTitle = "", line(p.Title, maxTitle)
	if strings.HasPrefix(p.URL, "https://") || strings.HasPrefix(p.URL, "http://") {
		v.who.PageURL = field.Clip(p.URL, maxURL)
	}
}
