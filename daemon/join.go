package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/sourcegraph/conc"

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
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/daemon/internal/surface/hijack"
	"edgesvc.dev/svc/daemon/internal/surface/mcp"
	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/daemon/internal/surface/rest"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/widget"
)

// streamWrite bounds each write to a client that follows a stream.
const streamWrite = 30 * time.Second

// join makes the services over the store and connects them. The box seals what
// must be read again in the clear.
func (d *Daemon) join(limits op.Limits, box *seal.Box, allow []netip.Prefix) {
	d.log = event.New(d.store, eventTypes()...)
	d.team = team.New(d.store)
	d.team.Version, d.team.StorageLimit = Release(), d.cfg.teamSize()
	d.access = access.New(d.store)
	d.sites = sites.New(d.store, d.log, box)
	d.models = llm.Open(d.cfg.models())
	d.media = media.New(d.store, d.log, 0)
	memory := search.NewMemory(int64(d.cfg.SearchMemory))
	d.posts = posts.New(d.store, d.log, memory)
	d.jobs = jobs.New(d.store, d.models, jobs.Options{Workers: d.cfg.JobWorkers})
	d.helpdesk = helpdesk.New(d.store, d.log, memory)
	d.agents = agents.New(d.store, d.log, d.models)
	d.tasks = tasks.New(d.store, d.log, d.models, box, outbound.New(outbound.Options{Allow: allow}))
	d.chat = chat.New(d.store, d.log, d.cfg.chat())
	d.chat.Seal = box
	d.connect()
	d.connectAgents()
	d.parts = []domain.Part{
		d.access.Part(), d.team.Part(), d.sites.Part(), d.posts.Part(), d.jobs.Part(), d.media.Part(), {Ops: d.log.Ops(), Streams: d.log.Streams()},
		d.helpdesk.Part(), d.agents.Part(), d.tasks.Part(), d.chat.Part(),
	}
	ops := make([][]op.Op, len(d.parts))
	for i, p := range d.parts {
		ops[i] = p.Ops
	}
	d.table = op.NewTable(d.store, op.NewLimiter(limits), ops...)
	d.table.Audit, d.table.Quota = d.team.Note, d.quota()
	for _, p := range d.parts {
		d.table.AddStreams(p.Streams)
	}
	d.metrics = newMetrics(d.store, d.budget, memory)
	d.bridge = hijack.New(slog.Default(), streamWrite)
}

// connect gives the domains what they need of each other.
func (d *Daemon) connect() {
	d.team.Link = d.access.AddLink
	d.team.ShutOut = d.access.ShutOut
	d.team.FirstKey = d.access.FirstKey
	d.team.Addresses = d.addresses
	d.team.CarryChat = d.sites.CarryChat
	d.access.Audit = d.team.Audit
	d.sites.Audit = d.team.Audit
	d.posts.StartJob = d.jobs.Start
	d.posts.CheckModel = llm.CheckModel
	d.jobs.Read = d.posts.Read
	d.jobs.Generated = d.posts.Generated
	d.jobs.Brand = d.team.Brand
	d.jobs.StoreImage = func(tx kv.Tx, who op.Caller, name string, img llm.Image) (api.Image, error) {
		m, err := d.media.Put(tx, who, media.File{Name: name, Alt: img.Alt, Source: img.Provider, Data: img.Bytes})
		return api.Image{URL: m.URL, Alt: m.Alt, Width: m.Width, Height: m.Height, Source: m.Source}, err
	}
}

// surfaces makes what answers requests, once the public address is known.
func (d *Daemon) surfaces() {
	d.access.BaseURL, d.sites.BaseURL = d.base, d.base
	d.rest = rest.New(d.table, rest.Options{
		Context: d.ctx, Key: d.access.Authenticate, Session: d.access.AuthenticateSession, Cookie: d.cookie(),
		SameOrigin: d.sameOrigin, Address: d.address, Observe: d.metrics.observe,
		BaseURL: d.base, Version: Release(),
	}, d.routes()...)
	d.trpc = trpc.New(d.table, trpc.Options{
		Context: d.ctx, Bridge: d.bridge, Observe: d.metrics.observe, Member: d.rest.Member, SetCookie: d.rest.SetCookie,
		Present: d.access.Present, Rate: edge.RateHeaders,
	})
	d.mcp = mcp.New(d.table, mcp.Options{
		Context: d.ctx, Bridge: d.bridge, Key: d.access.Authenticate,
		Address: d.address, Observe: d.metrics.observe,
		Origins: d.cfg.Origins, BaseURL: d.cfg.BaseURL, Version: Release(),
	})
	d.sockets = hijack.OpenSockets(slog.Default(), hijack.SocketLimits{Total: socketsOf(d.conns)})
	d.widget = widget.New(&desk{sites: d.sites, chat: d.chat}, widget.Options{
		Context: d.ctx, Upgrade: d.sockets.Upgrade, Stream: d.bridge.Handler,
		Address: d.address, Pace: newFallbackPace(), BaseURL: d.base, DemoSite: d.demoSite,
	})
	d.public = public.New(&site{team: d.team, posts: d.posts, media: d.media, desk: d.helpdesk, sites: d.sites, hosts: pairs(d.cfg.SiteHosts)},
		public.Options{BaseURL: d.base, Address: d.address, Limit: d.limitPages})
}

// socketsOf leaves a part of the connections to requests: a websocket keeps its
// place.
func socketsOf(conns int) int { return max(1, conns-conns/4) }

// work runs everything that is not an answer to a request, until ctx ends.
func (d *Daemon) work(ctx context.Context) {
	d.each(ctx, "take over the work", func(p domain.Part) func(context.Context) error { return p.Reclaim })
	var workers conc.WaitGroup
	for _, p := range d.parts {
		if p.Run != nil {
			workers.Go(func() { d.logEnd("work of "+p.Name, p.Run(ctx)) })
		}
	}
	workers.Go(func() { d.logEnd("follow conversations", d.react(ctx)) })
	workers.Go(func() { d.logEnd("follow sites", d.watchSites(ctx)) })
	workers.Go(func() { d.sweep(ctx) })
	workers.Go(func() { d.budget.Run(ctx) })
	workers.Wait()
}

// each does one thing that parts do, one after the other.
func (d *Daemon) each(ctx context.Context, what string, of func(domain.Part) func(context.Context) error) {
	for _, p := range d.parts {
		if do := of(p); do != nil {
			d.logEnd(what+" of "+p.Name, do(ctx))
		}
	}
}

func (d *Daemon) logEnd(what string, err error) {
	if errors.Is(err, event.ErrClock) {
		slog.Warn(what, "err", err)
		return
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, kv.ErrClosed) {
		slog.Error(what, "err", err)
	}
}

// sweepEvery is how often expired records are removed.
const sweepEvery = time.Hour

func (d *Daemon) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		d.logEnd("remove old idempotency keys", op.SweepAnswers(ctx, d.store, time.Now()))
		d.each(ctx, "remove what expired", func(p domain.Part) func(context.Context) error { return p.Sweep })
		_, err := d.log.Sweep(ctx, d.cfg.EventRetention)
		d.logEnd("remove old events", err)
	}
}

// schemas are what the domains keep and tell.
func schemas() []domain.Schema {
	return []domain.Schema{
		access.Schema(), team.Schema(), sites.Schema(), posts.Schema(), jobs.Schema(), media.Schema(), helpdesk.Schema(), chat.Schema(), agents.Schema(), tasks.Schema(),
	}
}

func eventTypes() (all [][]event.Type) {
	for _, s := range schemas() {
		all = append(all, s.Events)
	}
	return all
}

// Checkers verify every table of the daemon.
func Checkers() []kv.Checker {
	all := slices.Concat(op.Tables(), queue.Tables(), event.Tables(), search.Tables())
	for _, s := range schemas() {
		all = append(all, s.Tables...)
	}
	return all
}

// limitPages counts a page or a search of a public site.
func (d *Daemon) limitPages(address string, search bool) error {
	class := op.ClassPages
	if search {
		class = op.ClassSearch
	}
	_, err := d.table.Take(&op.Caller{Address: address}, class)
	return err
}

// routes are the handlers beside the table: what is no JSON.
func (d *Daemon) routes() []rest.Route {
	return []rest.Route{d.uploadRoute(), d.followRoute()}
}
