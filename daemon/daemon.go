// Package daemon joins everything into svcd: configuration, the store, the
// domains' operations, the surfaces and the workers. It is the one place that
// knows all of them.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
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
	"edgesvc.dev/svc/kv"
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

// engine is a store as the daemon runs on it. It fails as a whole: once Failed is
// closed nothing can be written safely, and Err says why.
type engine interface {
	kv.Store
	Failed() <-chan struct{}
	Err() error
	// Figures are those of the backend, for the admin address: the same ones at
	// each call.
	Figures() []kv.Figure
	// Backup writes a copy of the store as it is now.
	Backup(ctx context.Context, w io.Writer) error
}

// DataFile is the path of the data file in a data folder.
func DataFile(folder string) string { return filepath.Join(folder, dataFile) }

// Daemon is one running svcd: the store, the services over it and the surfaces.
type Daemon struct {
	cfg   *Config
	base  string
	store engine

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
	tried   bool           // to take the admin address

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
	dropOldIndex(cfg.Data)
	store, err := bolt.Open(DataFile(cfg.Data), bolt.Options{MaxSize: int64(cfg.MaxSize)})
	if err != nil {
		return nil, err
	}
	return openOn(store, cfg)
}

// openOn joins the services over a store, which it closes when that fails.
func openOn(store engine, cfg *Config) (*Daemon, error) {
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

// dropOldIndex removes the folder in which earlier releases kept their search
// index: nothing reads it any more.
func dropOldIndex(data string) {
	folder := filepath.Join(data, "search")
	if _, err := os.Stat(filepath.Join(folder, "index_meta.json")); err != nil {
		return // there is none, or it is something else
	}
	if err := os.RemoveAll(folder); err != nil {
		slog.Warn("the search index of an earlier release is left behind", "folder", folder, "err", err)
	}
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
		host := reachable(addr)
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

// reachable is the address in a form that a browser on this machine can open:
// the one that stands for all addresses leads nowhere.
func reachable(addr net.Addr) string {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil || !at.Addr().IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("localhost", strconv.Itoa(int(at.Port())))
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
	d.listenAdmin()
	return d.cfg.CheckTLS()
}

// TooFewFiles says that nothing can be served with the limit of open files.
func TooFewFiles() error {
	return fmt.Errorf("%d open files leave too few for connections; raise the limit (ulimit -n, or LimitNOFILE of systemd) to 1024 or more", Files())
}

// Serve answers on ln until ctx ends or the store fails, then drains.
func (d *Daemon) Serve(ctx context.Context, ln net.Listener) error {
	config, err := d.cfg.tlsConfig()
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
	d.warn(ctx)
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
	return errors.Join(d.helpdesk.Close(), d.posts.Close(), d.store.Close())
}
