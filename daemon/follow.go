package daemon

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/domain/jobs"
	"edgesvc.dev/svc/daemon/internal/live"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/daemon/internal/surface/rest"
	"edgesvc.dev/svc/sdk/api"
)

// heartbeat keeps proxies from closing a quiet stream and shows when its reader
// is gone.
const heartbeat = 15 * time.Second

// followRoute streams a job's progress as server-sent events until it is done.
func (d *Daemon) followRoute() rest.Route {
	return rest.Route{
		Method: fasthttp.MethodGet, Path: "/posts/jobs/{id}/events", Name: "jobs.follow",
		Scope: op.PostsRead, Class: op.ClassRead, Answer: "text/event-stream",
		Doc: "Streams a job as server-sent events: job (the whole job), delta (a piece of the text being written), reset (a step starts over). Ends when the job is done.",
		Serve: func(ctx *fasthttp.RequestCtx, who op.Caller, param func(string) string) error {
			bearer, err := edge.Bearer(ctx)
			if err != nil {
				return err
			}
			watch, err := d.jobs.Watch(d.ctx, who.Team, param("id"))
			if err != nil {
				return err
			}
			d.bridge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer watch.Close()
				stream(w, r, watch, func() bool { return d.mayFollow(r.Context(), bearer, who) })
			}))(ctx)
			return nil
		},
	}
}

// mayFollow asks again whether the key that a stream began with still works.
func (d *Daemon) mayFollow(ctx context.Context, bearer string, began op.Caller) bool {
	who, err := d.access.Authenticate(ctx, bearer, began.Address)
	return err == nil && who.Require(op.PostsRead) == nil
}

// stream writes events until the job is done, the reader leaves or may not follow
// any longer, which is asked before each event and heartbeat.
func stream(w http.ResponseWriter, r *http.Request, watch *jobs.Watch, may func() bool) {
	h := w.Header()
	h.Set("Content-Type", live.EventType)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	s := live.NewStream(r.Context(), w, heartbeat, ": still here\n\n")
	defer s.Close()
	s.Follow(r.Context(), func(ctx context.Context, send func([]byte) error) []byte {
		_ = watch.Follow(ctx, func(e api.JobEvent) error { // whatever ended it, there is nobody to tell
			data, err := op.Encode(nil, e)
			if err != nil || !may() {
				return errors.Join(err, context.Canceled)
			}
			return send(live.Event(e.Type, data))
		})
		return nil
	}, func() (last []byte, now bool) { return nil, !may() })
}
