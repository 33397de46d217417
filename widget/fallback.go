package widget

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

const (
	// heartbeat keeps a stream open, and finds clients that are gone.
	heartbeat = 15 * time.Second
	// ackWithin is how long a POST waits for the answer to its frame.
	ackWithin = 3 * time.Second
	// maxPost is a frame with what hello says around it.
	maxPost = 2 * maxFrame
)

// serveEvents answers GET /svc-api/widget/events: the frames of the daemon as
// server-sent events. Its parameters stand for hello.
func (h *Handler) serveEvents(ctx *fasthttp.RequestCtx, site Site) {
	address := h.opt.Address(ctx)
	if wait := h.opt.Pace(address); wait > 0 {
		refuse(ctx, tooFast(wait))
		return
	}
	q := ctx.QueryArgs()
	since, _ := strconv.Atoi(string(q.Peek("since"))) // none and nonsense are all
	hello := api.ChatIn{T: "hello", Visitor: string(q.Peek("visitor")), Since: max(0, since), Lang: string(q.Peek("lang"))}
	h.opt.Stream(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Type", "text/event-stream")
		head.Set("X-Accel-Buffering", "no")
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(h.stopping, cancel)()
		visit, err := h.desk.Visit(ctx, site, hello, address)
		if err != nil {
			frame := errorFrame(refusal(err), "")
			frame.Fatal = true
			_ = send(w, frame)
			return
		}
		defer visit.Close()
		pump(ctx, w, visit)
	}))(ctx)
}

func tooFast(wait time.Duration) *api.Error {
	e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "You send too much at once.")
	e.RetryAfter = int(math.Ceil(wait.Seconds()))
	return e
}

func pump(ctx context.Context, w http.ResponseWriter, v Visit) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	ready := signal(v)
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			_, err = io.WriteString(w, ":\n\n")
		case <-ready:
			for _, f := range v.Take() {
				if err = send(w, f); err != nil || f.T == "error" && f.Fatal {
					return
				}
			}
		}
		if err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}

// signal returns a channel that receives when the visit's Take has something.
func signal(v Visit) <-chan struct{} {
	ready := make(chan struct{}, 1)
	v.Notify(func() {
		select {
		case ready <- struct{}{}:
		default:
		}
	})
	return ready
}

func send(w io.Writer, f api.ChatOut) error {
	_, err := fmt.Fprintf(w, "data: %s\n\n", encode(&f))
	return err
}

// post is the body of a POST: what hello says, since each is a visit of its own,
// and the frame.
type post struct {
	Visitor string        `json:"visitor,omitempty"`
	Since   int           `json:"since,omitempty"`
	Lang    string        `json:"lang,omitempty"`
	Page    *api.ChatPage `json:"page,omitempty"`
	User    *api.ChatUser `json:"user,omitempty"`
	Frame   *api.ChatIn   `json:"frame"`
}

// serveFrames answers POST /svc-api/widget/frames. The body is JSON, sent as
// text/plain so that browsers ask no permission first: the Origin header, which
// they always send with a POST, says whether they have it.
func (h *Handler) serveFrames(ctx *fasthttp.RequestCtx, site Site) {
	media, _, _ := strings.Cut(string(ctx.Request.Header.ContentType()), ";")
	if media != "text/plain" && media != "application/json" {
		refuse(ctx, api.NewError(http.StatusUnsupportedMediaType, api.CodeUnsupportedMediaType, "Send JSON as text/plain."))
		return
	}
	address := h.opt.Address(ctx)
	if wait := h.opt.Pace(address); wait > 0 {
		refuse(ctx, tooFast(wait))
		return
	}
	if len(ctx.PostBody()) > maxPost {
		refuse(ctx, api.NewError(http.StatusRequestEntityTooLarge, api.CodePayloadTooLarge, "A frame may have at most %d bytes.", maxFrame))
		return
	}
	var p post
	if err := decode(ctx.PostBody(), &p); err != nil || p.Frame == nil {
		refuse(ctx, api.NewError(http.StatusBadRequest, api.CodeInvalidJSON, `Send {"visitor":"…","since":0,"frame":{…}}.`))
		return
	}
	frames, err := h.exchange(site, &p, address)
	if err != nil {
		refuse(ctx, refusal(err))
		return
	}
	answer(ctx, map[string]any{"frames": frames})
}

// exchange is a visit of one frame. Its answer is everything that the visit had
// to say meanwhile: more than the answer to the frame, and known to the client
// by its seq where it comes on the stream too. What answers identify says who the
// visitor is from then on, and nothing of who it was.
func (h *Handler) exchange(site Site, p *post, address string) ([]api.ChatOut, error) {
	ctx, cancel := context.WithTimeout(h.opt.Context, ackWithin)
	defer cancel()
	hello := api.ChatIn{T: "hello", Visitor: p.Visitor, Since: p.Since, Lang: p.Lang, Page: p.Page, User: p.User}
	if p.Frame.T == "identify" {
		hello.User = p.Frame.User
	}
	visit, err := h.desk.Call(ctx, site, hello, address)
	if err != nil {
		return nil, err
	}
	defer visit.Close()
	ready := signal(visit)
	frames := []api.ChatOut{}
	if p.Frame.T == "identify" {
		visit.Take()
	}
	if err := visit.Receive(ctx, *p.Frame); err != nil {
		return append(append(frames, visit.Take()...), errorFrame(refusal(err), p.Frame.CID)), nil
	}
	for {
		frames = append(frames, visit.Take()...)
		if p.Frame.T != "msg" || acknowledged(frames, p.Frame.CID) {
			return frames, nil
		}
		select {
		case <-ready:
		case <-ctx.Done():
			return frames, nil // the message is stored; its ack comes on the stream
		}
	}
}

func acknowledged(frames []api.ChatOut, cid string) bool {
	for i := range frames {
		if f := &frames[i]; f.T == "ack" && f.CID == cid || f.T == "error" {
			return true
		}
	}
	return false
}

// config is what the widget needs before it may connect or store anything.
type config struct {
	Name     string         `json:"name"`
	Colors   [4]string      `json:"colors"` // as palette makes them
	Greeting string         `json:"greeting,omitempty"`
	Consent  bool           `json:"consent,omitempty"` // to be asked for
	Lang     string         `json:"lang"`
	Words    jsontext.Value `json:"words"`
}

// serveConfig answers GET /svc-api/widget/config. The page's own choice of a
// language (locale) comes before the site's, and that before the browser's (lang).
func (h *Handler) serveConfig(ctx *fasthttp.RequestCtx, site Site) {
	q := ctx.QueryArgs()
	c := config{Name: site.Name, Colors: palette(site.Color), Greeting: site.Greeting, Consent: site.RequireConsent}
	c.Lang, c.Words = h.languages.speak(string(q.Peek("locale")), site.Locale, string(q.Peek("lang")))
	ctx.Response.Header.Set("Cache-Control", "private, max-age=60")
	answer(ctx, c)
}
