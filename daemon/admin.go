package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/budget"
	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
)

// metrics are what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics(store engine, large *budget.Budget, indexes *search.Memory) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.requests = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "svc_operation_seconds", Help: "Time to answer an operation, by its name and status.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30},
	}, []string{"op", "status"})
	m.registry.MustRegister(m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_large_body_bytes", Help: "Bytes of large request and answer bodies in flight.",
	}, func() float64 { return float64(large.InUse()) }))
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_search_bytes", Help: "Memory of the search indexes.",
	}, func() float64 { return float64(indexes.Bytes()) }))
	for i, f := range store.Figures() {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "svc_store_" + f.Name, Help: f.Help},
			func() float64 { return store.Figures()[i].Value }))
	}
	for _, kind := range refusals.Kinds() {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "svc_refusals_total", Help: "Requests, connections and frames turned away since the process began, by kind.",
			ConstLabels: prometheus.Labels{"kind": kind.String()},
		}, func() float64 { return float64(kind.Total()) }))
	}
	return m
}

func (m *metrics) observe(op string, status int, seconds float64) {
	m.requests.WithLabelValues(op, strconv.Itoa(status)).Observe(seconds)
}

// serveAdmin starts the loopback listener for figures and profiles, and the
// control socket in the data folder, which only the daemon's own user can open.
func (d *Daemon) serveAdmin() (stop func(context.Context) error, err error) {
	var work conc.WaitGroup
	var servers []*http.Server
	start := func(ln net.Listener, h http.Handler) {
		s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
		servers = append(servers, s)
		work.Go(func() {
			if err := s.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
				slog.Error("admin listener ended", "err", err)
			}
		})
	}
	stop = func(ctx context.Context) error {
		var errs []error
		for _, s := range servers {
			if s.Shutdown(ctx) != nil {
				errs = append(errs, s.Close())
			}
		}
		work.Wait()
		return errors.Join(errs...)
	}
	d.listenAdmin()
	socket := filepath.Join(d.cfg.Data, controlSocket)
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the old control socket: %w", err)
	}
	if ln, err := net.Listen("unix", socket); err != nil {
		slog.Warn("no control socket: svcd backup, link and doctor work only while the daemon is stopped", "err", err)
	} else {
		start(ln, d.controlRoutes())
	}
	if d.admin != nil {
		start(d.admin, d.adminRoutes())
	}
	return stop, nil
}

// listenAdmin takes the admin address, unless that was tried already or there is
// none. A taken one costs the figures, not the start.
func (d *Daemon) listenAdmin() {
	if d.cfg.Admin == "" || d.tried {
		return
	}
	d.tried = true
	ln, err := net.Listen("tcp", d.cfg.Admin)
	if err != nil {
		slog.Warn("no figures are served: the admin address cannot be listened on; another svcd? set --admin", "address", d.cfg.Admin, "err", Reason(err))
		return
	}
	d.admin = ln
}

// adminRoutes shows figures: every local user may see them, so they name no team
// and nothing of what is stored. It answers only requests addressed to a loopback name, so that no web
// page can reach it by rebinding a name of its own.
func (d *Daemon) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.metrics.registry, promhttp.HandlerOpts{}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !edge.Loopback(r.Host) {
			http.Error(w, "only loopback names are served here", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
