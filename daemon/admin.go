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
	"edgesvc.dev/svc/kv/bolt"
)

// metrics are what /metrics shows.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics(store *bolt.Store, large *budget.Budget) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.requests = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "svc_operation_seconds", Help: "Time to answer an operation, by its name and status.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30},
	}, []string{"op", "status"})
	m.registry.MustRegister(m.requests, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	figure := func(name, help string, read func(bolt.Stats) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return read(store.Stats()) }))
	}
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "svc_large_body_bytes", Help: "Bytes of large request and answer bodies in flight.",
	}, func() float64 { return float64(large.InUse()) }))
	figure("svc_store_commits", "Durable commits since the start.", func(s bolt.Stats) float64 { return float64(s.Commits) })
	figure("svc_store_functions", "Update functions run since the start.", func(s bolt.Stats) float64 { return float64(s.Functions) })
	figure("svc_store_queue", "Updates that wait for a commit.", func(s bolt.Stats) float64 { return float64(s.Queue) })
	figure("svc_store_views", "Snapshots that are open.", func(s bolt.Stats) float64 { return float64(s.Views) })
	figure("svc_store_oldest_view_seconds", "Age of the oldest open snapshot.", func(s bolt.Stats) float64 { return s.OldestView.Seconds() })
	figure("svc_store_used_bytes", "Bytes of pages that hold data.", func(s bolt.Stats) float64 { return float64(s.Used) })
	figure("svc_store_free_bytes", "Bytes of pages that will be used again.", func(s bolt.Stats) float64 { return float64(s.Free) })
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
	socket := filepath.Join(d.cfg.Data, controlSocket)
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the old control socket: %w", err)
	}
	if ln, err := net.Listen("unix", socket); err != nil {
		slog.Warn("no control socket: svcd backup works only while the daemon is stopped", "err", err)
	} else {
		start(ln, d.controlRoutes())
	}
	if err := d.listenAdmin(); err != nil {
		return nil, errors.Join(err, stop(context.Background()))
	}
	if d.admin != nil {
		start(d.admin, d.adminRoutes())
	}
	return stop, nil
}

// listenAdmin takes the admin address, unless that was done already or there is
// none.
func (d *Daemon) listenAdmin() (err error) {
	if d.cfg.Admin == "" || d.admin != nil {
		return nil
	}
	if d.admin, err = net.Listen("tcp", d.cfg.Admin); err != nil {
		return fmt.Errorf("listen on admin address %s: %w (another svcd? set --admin)", d.cfg.Admin, Reason(err))
	}
	return nil
}

// adminRoutes shows figures: every local user may see them, so they name no team
// and nothing of what is stored. It answers only requests addressed to a loopback name, so that no web
// page can reach it by rebinding a name of its own.
func (d *Daemon) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.metrics.registry, promhttp.HandlerOpts{}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if !loopback(r.Host) && !loopback(r.Host+":80") {
			http.Error(w, "only loopback names are served here", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
