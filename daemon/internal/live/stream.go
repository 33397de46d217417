package live

import (
	"context"
	"net/http"
	"time"

	"github.com/sourcegraph/conc"
)

// EventType is the content type of server-sent events.
const EventType = "text/event-stream"

// Event is a server-sent event without an id.
func Event(name string, data []byte) []byte {
	b := append(append([]byte("event: "), name...), "\ndata: "...)
	return append(append(b, data...), "\n\n"...)
}

// Stream writes an answer that goes on, with signs of life while nothing happens.
// They keep proxies from closing it and show when its reader is gone. Close is owed.
type Stream struct {
	w    http.ResponseWriter
	ctx  context.Context //nolint:containedctx // the stream is as long as its request
	out  *http.ResponseController
	tick *time.Ticker
	sign []byte
}

// NewStream returns a stream of the request that ends with ctx; sign is the sign of
// life.
func NewStream(ctx context.Context, w http.ResponseWriter, every time.Duration, sign string) *Stream {
	return &Stream{w: w, ctx: ctx, out: http.NewResponseController(w), tick: time.NewTicker(every), sign: []byte(sign)}
}

// Close ends the signs of life.
func (s *Stream) Close() { s.tick.Stop() }

// Send writes b and sends it on its way.
func (s *Stream) Send(b []byte) error {
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.out.Flush()
}

// Await sends the next of lines, with signs of life until it comes.
func (s *Stream) Await(lines <-chan []byte) error {
	for {
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case b := <-lines:
			return s.Send(b)
		case <-s.tick.C:
			if err := s.Send(s.sign); err != nil {
				return err
			}
		}
	}
}

// Follow sends what produce passes on, and then its last words. It ends before when
// ctx does, when the reader is gone, or when stop, which is asked at each sign of
// life, has last words of its own. It returns after produce has.
func (s *Stream) Follow(ctx context.Context, produce func(ctx context.Context, send func([]byte) error) (last []byte), stop func() (last []byte, now bool)) {
	ctx, cancel := context.WithCancel(ctx)
	events, ended := make(chan []byte), make(chan []byte, 1)
	var running conc.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() {
		ended <- produce(ctx, func(b []byte) error {
			select {
			case events <- b:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-events:
			if s.Send(b) != nil {
				return
			}
		case last := <-ended:
			if ctx.Err() == nil { // else it did not end by itself
				_ = s.Send(last) // the reader has left or has it; there is nobody else to tell
			}
			return
		case <-s.tick.C:
			last, now := stop()
			if now {
				_ = s.Send(last) // as above
			}
			if now || s.Send(s.sign) != nil {
				return
			}
		}
	}
}
