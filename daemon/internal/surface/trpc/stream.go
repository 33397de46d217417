package trpc

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"edgesvc.dev/svc/daemon/internal/live"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"
)

// serveLines streams a batch: a head that promises every call, then a line for
// each as it finishes.
func (r *Router) serveLines(ctx *fasthttp.RequestCtx, b *plan) {
	first := make([][]byte, len(b.calls)) // lines that are there before the head
	for i := range b.calls {
		if c := &b.calls[i]; c.proc != nil && c.proc.First {
			out, err := r.answer(ctx, c, nil, "")
			first[i] = line(i, c.Path, out, err)
		}
	}
	r.Bridge.Handler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		head := []byte(`{"json":{`)
		lines := make(chan []byte, len(b.calls))
		var running conc.WaitGroup
		defer running.Wait()
		for i := range b.calls {
			if i > 0 {
				head = append(head, ',')
			}
			head = fmt.Appendf(head, `"%d":[[0],[null,0,%d]]`, i, i)
			running.Go(func() {
				if first[i] != nil {
					lines <- first[i]
					return
				}
				out, err := r.run(req.Context(), &b.calls[i], nil)
				lines <- line(i, b.calls[i].Path, out, err)
			})
		}
		w.Header().Set("Content-Type", "application/json")
		s := live.NewStream(req.Context(), w, r.Ping, " ")
		defer s.Close()
		if s.Send(append(head, "}}\n"...)) != nil {
			return
		}
		for range b.calls {
			if s.Await(lines) != nil {
				return
			}
		}
	}))(ctx)
}

// line is the fulfilled promise of a call. The value's own annotations move to
// where the value stands in the line.
func line(i int, path string, out []byte, err error) []byte {
	b := fmt.Appendf(nil, `{"json":[%d,0,[[`, i)
	if err != nil {
		return append(append(append(b, `{"error":`...), failure(err).shape(path)...), "}]]]}\n"...)
	}
	body, values := split(out)
	b = append(append(append(b, `{"result":{"data":`...), body...), `}}]]]`...)
	if values != nil {
		b = append(append(append(b, `,"meta":{"values":{"2.0.0.result.data":`...), values...), `},"v":1}`...)
	}
	return append(b, "}\n"...)
}

// serveEvents runs a subscription.
func (r *Router) serveEvents(ctx *fasthttp.RequestCtx, b *plan) {
	head := &ctx.Response.Header
	head.Set("Cache-Control", "no-cache, no-transform")
	head.Set("X-Accel-Buffering", "no")
	if err := b.calls[0].err; err != nil && failure(err).Allow != "" {
		head.Set("Allow", failure(err).Allow)
	}
	if r.Ending.Err() != nil { // a client that is let in and loses the stream comes again; one that is refused does not
		head.SetContentType(live.EventType)
		ctx.Response.SetBody(r.connected())
		return
	}
	r.Bridge.Handler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", live.EventType)
		s := live.NewStream(req.Context(), w, r.Ping, string(live.Event("ping", nil)))
		defer s.Close()
		if s.Send(r.connected()) != nil {
			return
		}
		r.follow(req.Context(), s, &b.calls[0], b.lastID)
	}))(ctx)
}

// connected is the first event. It tells the client when to take the
// connection for dead.
func (r *Router) connected() []byte {
	options := ""
	if r.Quiet > 0 {
		options = fmt.Sprintf(`"reconnectAfterInactivityMs":%d`, r.Quiet.Milliseconds())
	}
	return live.Event("connected", []byte("{"+options+"}"))
}

func (r *Router) follow(ctx context.Context, s *live.Stream, c *planned, lastID string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.Ending, cancel)()
	s.Follow(ctx, func(ctx context.Context, send func([]byte) error) []byte {
		return r.subscribe(ctx, c, lastID, send)
	}, func() (last []byte, now bool) {
		if err := r.Present(ctx, &c.Call); err != nil {
			return stopped(c.Path, err), true
		}
		return nil, false
	})
}

// stopped is the last event of a subscription that failed.
func stopped(path string, err error) []byte {
	return live.Event("serialized-error", fmt.Appendf(nil, `{"json":%s}`, failure(err).shape(path)))
}

// subscribe runs the procedure and returns the stream's last event.
func (r *Router) subscribe(ctx context.Context, c *planned, lastID string, send func([]byte) error) []byte {
	err := c.err
	if err == nil {
		err = c.proc.Subscribe(ctx, &c.Call, func(e Event) error {
			if err := r.Present(ctx, &c.Call); err != nil {
				return err
			}
			return send(event(e, &lastID))
		})
	}
	if err != nil {
		return stopped(c.Path, err)
	}
	return live.Event("return", nil)
}

// event writes one value. One without an id must not change the id that the
// client resumes from.
func event(e Event, lastID *string) []byte {
	data := e.Data
	if data == nil {
		data = []byte(undefined)
	}
	b := append(append([]byte("data: "), data...), '\n')
	id := strings.NewReplacer("\x00", "", "\r", "", "\n", "").Replace(e.ID)
	switch {
	case id != "":
		*lastID = id
		return append(append(append(b, "id: "...), id...), "\n\n"...)
	case *lastID != "":
		return append(append(append(b, "id: \n\nevent: restore-id\ndata: \nid: "...), *lastID...), "\n\n"...)
	}
	return append(b, '\n')
}

// split parts an envelope into its JSON and its annotations. References are
// left behind: the values that they join are written out in full.
func split(envelope []byte) (body, values jsontext.Value) {
	var parts struct {
		JSON jsontext.Value `json:"json"`
		Meta struct {
			Values jsontext.Value `json:"values"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(envelope, &parts); err != nil {
		return jsontext.Value("null"), nil // a procedure's own envelope is always whole
	}
	return parts.JSON, parts.Meta.Values
}
