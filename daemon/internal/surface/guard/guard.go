// Package guard is the hardened HTTP server that every surface sits behind.
//
// It refuses what two HTTP parsers could read differently (RFC 9112 section
// 11), bounds what a client may hold (header block, body, time, connections
// per address), turns a panic into an answer, and keeps header blocks out of
// the log. It knows no route, no credential and no resource.
package guard

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/budget"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
)

// SmallBody is the largest request body, in bytes, where Options.BodyLimit
// does not say otherwise. 300 sockets that each announce 4 MB would reserve
// 1.2 GB; at this size they reserve 20 MB.
const SmallBody = 64 << 10

// headerBlock bounds the request line and the header fields together. Batched
// tRPC queries carry their input in the URL and need more than the usual 8 KiB.
const headerBlock = 64 << 10

// Every answer of every surface carries it: none is to be taken for another type
// than it says.
var (
	noSniff      = []byte("X-Content-Type-Options")
	noSniffValue = []byte("nosniff")
)

// Options says how a Server behaves. Handler is required; every other zero
// value has a default.
type Options struct {
	// Handler receives the requests that passed every check.
	Handler fasthttp.RequestHandler
	// BodyLimit returns how many bytes of body a request may have. It runs when
	// the header has been read and the body has not. nil: SmallBody for all.
	BodyLimit func(*fasthttp.RequestHeader) int
	// Holder names whom a request acts for by its credentials, such as the team,
	// or "" for a stranger, whose bodies are small whatever BodyLimit says. It
	// runs before a body over SmallBody is read. nil: strangers all.
	Holder func(*fasthttp.RequestHeader) string
	// Budget bounds the bodies over SmallBody that are in flight. nil: unbounded.
	Budget *budget.Budget
	// Own reports whether an answer was made for its request alone, so that it
	// takes memory until the client has read it. nil: none is.
	Own func(*fasthttp.RequestCtx) bool
	// Refused may give an answer that the server refused with, as
	// application/problem+json, the form of the surface that it was meant for,
	// and say more precisely why. nil: left as it is.
	Refused fasthttp.RequestHandler
	// Log receives panics as errors and refusals as debug lines.
	// nil: slog.Default().
	Log *slog.Logger
	// TLS turns the listener into an HTTPS one.
	TLS *tls.Config
	// MaxConns bounds open connections, hijacked ones included. 0: 20,000. The
	// function MaxConns says what the process has room for.
	MaxConns int
	// MaxConnsPerAddress bounds open connections of one IPv4 address or one
	// IPv6 /64. 0: 500, or half of MaxConns where that is fewer. Negative: no
	// bound, for a server behind a proxy.
	MaxConnsPerAddress int
	// ReadTimeout bounds reading one request, WriteTimeout writing one answer,
	// IdleTimeout the pause between two requests. 0: 15 s, 30 s, 60 s.
	ReadTimeout, WriteTimeout, IdleTimeout time.Duration
}

// Server serves HTTP/1.1. Make one with New.
type Server struct {
	http      *fasthttp.Server
	next      fasthttp.RequestHandler
	bodyLimit func(*fasthttp.RequestHeader) int
	holder    func(*fasthttp.RequestHeader) string
	own       func(*fasthttp.RequestCtx) bool
	budget    *budget.Budget
	intake    intake
	refused   fasthttp.RequestHandler
	log       *slog.Logger
	tls       *tls.Config
	limits    limits

	mu      sync.Mutex // guards ln and stopped
	ln      net.Listener
	stopped bool
}

// New returns a server that is not yet listening.
func New(o Options) *Server {
	s := &Server{
		next:      o.Handler,
		bodyLimit: o.BodyLimit,
		holder:    o.Holder,
		own:       o.Own,
		budget:    o.Budget,
		refused:   o.Refused,
		log:       cmp.Or(o.Log, slog.Default()),
		tls:       o.TLS,
		limits:    limitsOf(&o),
	}
	if s.refused == nil {
		s.refused = func(*fasthttp.RequestCtx) {}
	}
	if s.bodyLimit == nil {
		s.bodyLimit = func(*fasthttp.RequestHeader) int { return SmallBody }
	}
	if s.holder == nil {
		s.holder = func(*fasthttp.RequestHeader) string { return "" }
	}
	if s.own == nil {
		s.own = func(*fasthttp.RequestCtx) bool { return false }
	}
	if s.budget == nil {
		s.budget = budget.New(math.MaxInt64)
	}
	// A large buffer goes with its request: in the pool it would wait for small
	// ones, uncounted.
	fasthttp.SetBodySizePoolLimit(SmallBody, largestPooledAnswer)
	s.http = &fasthttp.Server{
		Handler:        s.serve,
		ErrorHandler:   s.readFailed,
		HeaderReceived: s.headerReceived,
		ExpectHandler:  s.expect,
		ConnState:      state,
		Logger:         serverLog{s.log},

		ReadTimeout:        cmp.Or(o.ReadTimeout, 15*time.Second),
		WriteTimeout:       cmp.Or(o.WriteTimeout, 30*time.Second),
		IdleTimeout:        cmp.Or(o.IdleTimeout, time.Minute),
		ReadBufferSize:     headerBlock,
		MaxRequestBodySize: SmallBody,
		// The listener refuses first, with a better answer than the
		// text/plain that fasthttp gives; closing connections need the slack.
		Concurrency: s.limits.total + 1024,

		KeepHijackedConns:            true,
		CloseOnShutdown:              true,
		NoDefaultServerHeader:        true,
		DisablePreParseMultipartForm: true,
		SecureErrorLogMessage:        true,
	}
	return s
}

// Serve accepts connections on ln until Shutdown, then returns nil: at once when
// Shutdown came first. It owns ln from now on.
func (s *Server) Serve(ln net.Listener) error {
	if !s.open(ln) {
		return ln.Close()
	}
	guarded := newListener(ln, s.limits, s.tls == nil, s.log)
	defer guarded.settle()
	serving := net.Listener(guarded)
	if s.tls != nil {
		serving = tls.NewListener(guarded, s.tls)
	}
	if err := s.http.Serve(serving); err != nil {
		return fmt.Errorf("serve http: %w", err)
	}
	return nil
}

// Shutdown stops accepting and waits until every request in flight has its
// answer, or until ctx ends. Call it once. Hijacked connections belong to
// whoever took them.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.http.ShutdownWithContext(ctx); err != nil {
		return fmt.Errorf("drain http: %w", err)
	}
	return s.close()
}

// open notes the listener, unless the server was shut down already.
func (s *Server) open(ln net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ln = ln
	return !s.stopped
}

// close closes a listener that the library had not begun to accept on when the
// server was shut down.
func (s *Server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	if s.ln == nil {
		return nil
	}
	if err := s.ln.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the listener: %w", err)
	}
	return nil
}

// headerReceived says how much body may follow. A request that serve will
// refuse gets no room for one, so that the refusal does not wait for it.
func (s *Server) headerReceived(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	s.intake.take(h).end()
	switch n := h.ContentLength(); {
	case n == 0 || n == noBody:
		return fasthttp.RequestConfig{}
	case check(h) != nil:
		return fasthttp.RequestConfig{MaxRequestBodySize: 1}
	default:
		return fasthttp.RequestConfig{MaxRequestBodySize: max(1, s.room(h, n))}
	}
}

// room is how many bytes of body the request may have. What it grants beyond
// SmallBody it takes from the budget.
func (s *Server) room(h *fasthttp.RequestHeader, announced int) int {
	limit := s.bodyLimit(h)
	size := announced
	if size == chunkedBody {
		size = limit
	}
	if size <= SmallBody || size > limit {
		return limit
	}
	holder := s.holder(h)
	if holder == "" {
		return SmallBody
	}
	r := reading{until: time.Now().Add(s.http.ReadTimeout)}
	var ok bool
	if r.release, ok = s.budget.Take(holder, int64(size)); !ok {
		r.refused, limit = tooMuchAtOnce, 1
	}
	s.intake.put(h, r)
	return limit
}

// How fasthttp reports chunks, and neither a length nor chunks.
const (
	chunkedBody = -1
	noBody      = -2
)

// largestPooledAnswer is the largest buffer that is kept for other answers.
const largestPooledAnswer = 1 << 20

func (s *Server) expect(ctx *fasthttp.RequestCtx) int {
	h := &ctx.Request.Header
	r := check(h)
	if r == nil {
		r = s.unfit(h)
	}
	if r == nil {
		return http.StatusContinue
	}
	s.intake.take(h).end()
	s.refuse(ctx, r)
	return r.Status
}

// unfit says why a body that the client asks to send will not be read.
func (s *Server) unfit(h *fasthttp.RequestHeader) *refusal {
	granted := s.intake.peek(h)
	if granted.refused != nil {
		return granted.refused
	}
	if n := h.ContentLength(); granted.release == nil && n > min(SmallBody, s.bodyLimit(h)) {
		return tooLarge
	}
	return nil
}

// readFailed answers a request that could not be read to its end.
func (s *Server) readFailed(ctx *fasthttp.RequestCtx, err error) {
	large := s.intake.take(&ctx.Request.Header)
	defer large.end()
	r := large.refused
	if r == nil {
		r = check(&ctx.Request.Header)
	}
	if r == nil || large.refused == nil && len(ctx.Request.Header.RawHeaders()) == 0 {
		r = refusalOf(err)
	}
	s.refuse(ctx, r)
}

func (s *Server) serve(ctx *fasthttp.RequestCtx) {
	if c := counted(ctx.Conn()); c != nil {
		c.begin()
	}
	if large := s.intake.take(&ctx.Request.Header); large.release != nil {
		defer func() {
			ctx.Request.SwapBody(nil)
			large.release()
		}()
	}
	s.answer(ctx)
	if c := counted(ctx.Conn()); c != nil && c.l.scarce() && !ctx.Hijacked() {
		ctx.SetConnectionClose()
	}
}

func (s *Server) answer(ctx *fasthttp.RequestCtx) {
	defer s.recover(ctx)
	if r := check(&ctx.Request.Header); r != nil {
		s.refuse(ctx, r)
		return
	}
	ctx.Response.Header.Set(edge.RequestIDHeader, requestID(ctx))
	ctx.Response.Header.SetCanonical(noSniff, noSniffValue)
	s.next(ctx)
	if s.own(ctx) {
		s.charge(ctx)
	}
}

// charge counts a large answer until it is out, or the connection closed. One
// that only tells is refused when there is no room; one that tells what was done
// is sent all the same.
func (s *Server) charge(ctx *fasthttp.RequestCtx) {
	if ctx.Response.IsBodyStream() || len(ctx.Response.Body()) <= SmallBody {
		return
	}
	c := counted(ctx.Conn())
	if c == nil {
		return
	}
	size, holder := int64(len(ctx.Response.Body())), s.holder(&ctx.Request.Header)
	if ctx.IsGet() {
		release, ok := s.budget.Take(holder, size)
		if !ok {
			s.refuse(ctx, tooMuchAtOnce)
			return
		}
		c.hold(release)
		return
	}
	c.hold(s.budget.Charge(holder, size))
}

// recover is deferred outermost: fasthttp lets a panic end the process.
func (s *Server) recover(ctx *fasthttp.RequestCtx) {
	p := recover()
	if p == nil {
		return
	}
	id := string(ctx.Response.Header.Peek(edge.RequestIDHeader))
	s.log.Error("panic in a request", "requestId", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	ctx.Response.Reset()
	writeProblem(ctx, panicked, id)
	s.refused(ctx)
}

func (s *Server) refuse(ctx *fasthttp.RequestCtx, r *refusal) {
	r.count()
	id := requestID(ctx)
	s.log.Debug("request refused", "requestId", id, "address", ctx.RemoteAddr().String(), "code", r.Code, "detail", r.Detail)
	ctx.Response.Reset()
	writeProblem(ctx, r, id)
	s.refused(ctx)
	linger(ctx.Conn())
}

// requestID keeps a sane incoming id, so that a trace can cross services.
func requestID(ctx *fasthttp.RequestCtx) string {
	in := ctx.Request.Header.Peek(edge.RequestIDHeader)
	if len(in) == 0 || len(in) > 128 || !onlyOf(in, &requestIDByte) {
		return newRequestID()
	}
	return string(in)
}

// newRequestID is 100 random bits. They only have to differ: the id proves
// nothing.
func newRequestID() string {
	b := [24]byte{'r', 'e', 'q', '_'}
	for i, n := 4, uint64(0); i < len(b); i++ {
		if (i-4)%10 == 0 {
			n = rand.Uint64()
		}
		b[i] = idAlphabet[n&31]
		n >>= 5
	}
	return string(b[:])
}

const idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
