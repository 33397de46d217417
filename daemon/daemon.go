// Package daemon joins everything into svcd: configuration, the store, the
// domains' operations, the surfaces and the workers. It is the one place that
// knows all of them.
package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/budget"
	"edgesvc.dev/svc/daemon/internal/domain"
	"edgesvc.dev/svc/daemon/internal/domain/access"
	"edgesvc.dev/svc/daemon/internal/domain/agents"
	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/domain/helpdesk"
	"edgesvc.dev/svc/daemon/internal/domain/jobs"
	"edgesvc.dev/svc/daemon/internal/domain/media"
	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/domain/sites"
	"edgesvc.dev/svc/daemon/internal/domain/tasks"
	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/daemon/internal/surface/guard"
	"edgesvc.dev/svc/daemon/internal/surface/hijack"
	"edgesvc.dev/svc/daemon/internal/surface/mcp"
	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/daemon/internal/surface/rest"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/widget"
)

const dataFile = "svc.db"

// Version is set by the linker in releases.
var Version = "dev"

// Release is the version of this build, as far as it is known.
func Release() string {
	if Version != "dev" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return Version
}

// DataFile is the path of the data file in a data folder.
func DataFile(folder string) string { return filepath.Join(folder, dataFile) }

// Daemon is one running svcd: the store, the services over it and the surfaces.
type Daemon struct {
	cfg   *Config
	base  string
	store *bolt.Store

	parts  []domain.Part
	log    *event.Log
	access *access.Service
	team   *team.Service
	sites  *sites.Service
	posts  *posts.Service
	jobs   *jobs.Service
	media  *media.Service
	table  *op.Table

	helpdesk *helpdesk.Service
	agents   *agents.Service
	tasks    *tasks.Service
	chat     *chat.Service
	models   *llm.Router

	rest    *rest.Handler
	mcp     *mcp.Handler
	trpc    *trpc.Handler
	public  *public.Pages
	widget  *widget.Handler
	sockets *hijack.Sockets
	bridge  *hijack.Bridge
	metrics *metrics
	budget  *budget.Budget // of large bodies in flight, in and out
	conns   int            // that may be open at once
	admin   net.Listener   // nil before listenAdmin, and where there is none

	ctx      context.Context // of operations and workers; ends in Close
	cancel   context.CancelFunc
	draining atomic.Bool
}

// Open opens the store and joins the services. Close is owed, whether or not
// Serve was called.
func Open(cfg *Config) (*Daemon, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	store, err := bolt.Open(DataFile(cfg.Data), bolt.Options{MaxSize: int64(cfg.MaxSize)})
	if err != nil {
		return nil, err
	}
	limits, err := cfg.limits()
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	box, err := seal.Open(cfg.Data)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	allow, err := cfg.allowed()
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	d := &Daemon{cfg: cfg, store: store, budget: budget.New(budget.Size(Memory())), conns: guard.MaxConns(Files())}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.join(limits, box, allow)
	return d, nil
}

// Conns is how many connections so many open files allow, 0 for unlimited, and
// how many there would be with enough.
func Conns(files int) (conns, most int) { return guard.MaxConns(files), guard.MaxConns(0) }

// Files is how many files and connections the process may have open; 0 is any.
func Files() int { return guard.Descriptors() }

// SetBase derives the public address when the configuration does not say it. It
// must come before Serve.
func (d *Daemon) SetBase(addr net.Addr) {
	d.base = strings.TrimSuffix(d.cfg.BaseURL, "/")
	if d.base == "" {
		scheme := "http"
		host := addr.String()
		if d.cfg.TLS() {
			scheme = "https"
		}
		if len(d.cfg.TLSDomains) > 0 {
			host = d.cfg.TLSDomains[0]
		}
		d.base = scheme + "://" + host
	}
	d.surfaces()
}

// Base is the daemon's public address, once SetBase was called.
func (d *Daemon) Base() string { return d.base }

// Empty reports whether there is no team yet.
func (d *Daemon) Empty(ctx context.Context) (bool, error) { return d.team.Empty(ctx) }

// NewLink makes a sign-in link for a member. It must come after SetBase.
func (d *Daemon) NewLink(ctx context.Context, email string) (api.MemberInvited, error) {
	return d.access.NewLink(ctx, email)
}

// Prepare takes what serving needs beside the listener: certificates and the
// admin address. Serve does it too; called before, it shows what is in the way.
func (d *Daemon) Prepare() error {
	if d.conns == 0 {
		return TooFewFiles()
	}
	_, err := d.tlsConfig()
	return errors.Join(err, d.listenAdmin())
}

// TooFewFiles says that nothing can be served with the limit of open files.
func TooFewFiles() error {
	return fmt.Errorf("%d open files leave too few for connections; raise the limit (ulimit -n, or LimitNOFILE of systemd) to 1024 or more", Files())
}

// Serve answers on ln until ctx ends or the store fails, then drains.
func (d *Daemon) Serve(ctx context.Context, ln net.Listener) error {
	config, err := d.tlsConfig()
	if err != nil {
		return err
	}
	server := guard.New(guard.Options{
		Handler: d.route, BodyLimit: d.bodyLimit, Holder: d.holder, Budget: d.budget, Own: own, Refused: d.refused,
		TLS: config, MaxConns: d.conns, MaxConnsPerAddress: d.connsPerAddress(),
	})
	var work conc.WaitGroup
	work.Go(func() { d.work(d.ctx) })
	stopAdmin, err := d.serveAdmin()
	if err != nil {
		d.cancel()
		work.Wait()
		return err
	}
	served := make(chan error, 1)
	work.Go(func() { served <- server.Serve(ln) })
	notify("READY=1")
	slog.Info("serving", "address", ln.Addr().String(), "data", d.cfg.Data, "version", Release(),
		"connections", d.conns, "largeBodies", size(d.budget.Total()).String())

	select {
	case <-ctx.Done():
		slog.Info("stopping")
	case <-d.store.Failed():
		err = fmt.Errorf("the store failed, nothing more can be written safely: %w", d.store.Err())
	case err = <-served:
	}
	notify("STOPPING=1")
	d.draining.Store(true)
	d.trpc.Close()
	d.widget.Close()
	drain, done := context.WithTimeout(context.Background(), d.cfg.Drain)
	defer done()
	d.goodbye(drain)
	err = errors.Join(err, d.stopping(server.Shutdown(drain)), d.stopping(d.bridge.Close(drain)))
	d.cancel()
	work.Wait()
	return errors.Join(err, stopAdmin(drain))
}

// farewell is how long browsers have to answer that they heard the goodbye. Who
// has left without a word is not waited for longer.
const farewell = time.Second

// goodbye ends the websockets. Visitors come back by themselves, and nothing
// that was acknowledged is missing then.
func (d *Daemon) goodbye(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	if err := d.sockets.Close(ctx, websocket.StatusGoingAway, "restart"); err != nil {
		slog.Debug("visitors did not answer the goodbye", "err", err)
	}
}

// stopping turns a drain that took too long into a line in the log: the stop
// was asked for and has happened.
func (d *Daemon) stopping(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		slog.Warn("requests were cut off by the stop", "after", d.cfg.Drain)
		return nil
	}
	return err
}

func (d *Daemon) connsPerAddress() int {
	if d.cfg.BehindProxy {
		return -1
	}
	return 0
}

// Close ends the workers and closes the store.
func (d *Daemon) Close() error {
	d.cancel()
	if d.sockets != nil { // SetBase was called
		ctx, cut := context.WithCancel(context.Background())
		cut()
		d.logEnd("close websockets", d.sockets.Close(ctx, websocket.StatusGoingAway, "stop"))
	}
	return errors.Join(d.helpdesk.Close(), d.store.Close())
}

// llmConfig reads the vendors' settings.
func (d *Daemon) llmConfig() llm.Config {
	return llm.Config{
		OpenAI:     llm.Endpoint{Key: string(d.cfg.OpenAIKey), BaseURL: d.cfg.OpenAIBaseURL},
		Anthropic:  llm.Endpoint{Key: string(d.cfg.AnthropicKey), BaseURL: d.cfg.AnthropicBaseURL},
		ModelNames: pairs(d.cfg.ModelMap),
		HTTP:       &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}},
	}
}
