package chat

import (
	"slices"

	"edgesvc.dev/svc/sdk/api"
)

// The sides of a conversation, as frames name them.
const (
	fromVisitor  = "visitor"
	fromAgent    = "agent"
	fromOperator = "operator"
	fromSystem   = "system"
)

// stateWaiting says that no person has taken over yet.
const stateWaiting = "waiting"

var sides = map[string]string{
	api.AuthorVisitor: fromVisitor, api.AuthorAgent: fromAgent, api.AuthorUser: fromOperator, api.AuthorSystem: fromSystem,
}

// frameOf is a stored message as its visitor gets it.
func frameOf(m *message) api.ChatOut {
	out := api.ChatOut{
		T: "msg", ID: m.M.ID, Seq: m.M.Seq, From: sides[m.M.Author.Type], Name: m.M.Author.Name,
		Text: m.M.Text, At: m.M.CreatedAt, Rated: m.M.Rating, CID: m.CID, Stop: m.M.Stop,
	}
	if len(m.M.Citations) > 0 {
		out.Cards = cards(m.M.Citations)
	}
	return out
}

// ended is the frame that ends the answer being written.
func ended(m *message) api.ChatOut {
	out := frameOf(m)
	out.T, out.From, out.Name, out.CID = "done", "", "", ""
	return out
}

// frameSize is about what a frame takes beside its text.
const frameSize = 256

var (
	// lostFrames ends a visit whose reader does not keep up.
	lostFrames = api.ChatOut{T: "error", Code: "too_slow", Message: "The connection is too slow. Connect again.", RetryIn: 1, Fatal: true}
	// otherVisitor ends a visit whose visitor has become another one elsewhere.
	otherVisitor = api.ChatOut{T: "error", Code: "signed_in", Message: "You have signed in. Connect again.", RetryIn: 1, Fatal: true}
)

func (v *Visit) put(f api.ChatOut) {
	size := frameSize + len(f.Text)
	for _, c := range f.Cards {
		size += len(c.Quote) + len(c.Title) + len(c.URL)
	}
	v.box.Add(f, size, lostFrames)
}

// tell gives the visitor its frame of what happens, if it has one.
func (v *Visit) tell(e *happening) {
	if !v.begun {
		if e.lasts() {
			v.early = append(v.early, *e)
		}
		return
	}
	switch e.kind {
	case written:
		v.message(e)
	case started:
		if v.writing == e.id { // anew
			v.put(api.ChatOut{T: "snapshot", ID: e.id})
			return
		}
		v.writing = e.id
		v.put(api.ChatOut{T: "start", ID: e.id})
	case delta:
		v.delta(e)
	case tool:
		v.put(api.ChatOut{T: "tool", ID: e.id, Name: e.tool.Name, State: e.tool.State})
	case canceled:
		if v.writing == e.id {
			v.cancel()
		}
	case gone:
		v.cancel()
		v.conv, v.seq = "", 0
	case elsewhere:
		if e.by != v {
			v.box.End(otherVisitor)
		}
	default:
		v.signal(e)
	}
}

// cancel takes back the answer that the visitor sees being written.
func (v *Visit) cancel() {
	if v.writing != "" {
		v.put(api.ChatOut{T: "done", ID: v.writing, Stop: "canceled"})
		v.writing = ""
	}
}

// signal is for what is no part of a message.
func (v *Visit) signal(e *happening) {
	switch {
	case e.kind == typing && e.from != api.AuthorVisitor:
		v.put(api.ChatOut{T: "typing", From: sides[e.from], On: e.on})
	case e.kind == seen && e.by != v:
		v.put(api.ChatOut{T: "read", Seq: e.seq, From: sides[e.from]})
	case e.kind == handed:
		out := api.ChatOut{T: "handoff", To: sides[e.from]}
		if e.on {
			out.State = stateWaiting
		}
		v.put(out)
	}
}

// message hands over a message once: as the visitor's own, as the end of the
// answer that it sees being written, or as one that came.
func (v *Visit) message(e *happening) {
	m := e.m
	v.conv = e.conv
	if m.M.Seq <= v.seq {
		return
	}
	v.seq = m.M.Seq
	switch {
	case m.M.Note:
	case e.by == v:
		v.put(acknowledged(m))
	case v.writing == m.M.ID:
		v.writing = ""
		v.put(ended(m))
	default:
		v.put(frameOf(m))
	}
}

func acknowledged(m *message) api.ChatOut {
	return api.ChatOut{T: "ack", CID: m.CID, ID: m.M.ID, Seq: m.M.Seq, At: m.M.CreatedAt}
}

func (v *Visit) delta(e *happening) {
	if v.writing != e.id {
		return
	}
	if last := v.box.Last(); last != nil && last.T == "delta" && last.ID == e.id && v.box.Grow(len(e.text)) {
		last.Text += e.text
		return
	}
	v.put(api.ChatOut{T: "delta", ID: e.id, N: e.n, Text: e.text})
}

// cards are the articles that were quoted, each once with its first quote.
func cards(cited []api.Citation) []api.Citation {
	var out []api.Citation
	for _, c := range cited {
		if !slices.ContainsFunc(out, func(o api.Citation) bool { return o.ArticleID == c.ArticleID }) {
			out = append(out, c)
		}
	}
	return out
}
