package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"path/filepath"
)

// controlSocket lies in the data folder, whose mode keeps others out.
const controlSocket = "control.sock"

// controlRoutes is for who may open the socket, and so the data file. Profiles
// are here because a heap profile and a trace show what the daemon works on:
//
//	curl --unix-socket svc-data/control.sock http://svcd/debug/pprof/heap >heap
func (d *Daemon) controlRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /backup", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		if err := d.store.Backup(r.Context(), w); err != nil {
			slog.Error("backup", "err", err)
			panic(http.ErrAbortHandler) // a cut stream, so that the reader does not take it for whole
		}
	})
	return mux
}

// OpenBackup returns a stream of the running daemon's data, or an error that
// wraps os.ErrNotExist or a refused connection when no daemon runs.
func OpenBackup(ctx context.Context, data string) (io.ReadCloser, error) {
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", filepath.Join(data, controlSocket))
	}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://control/backup", nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("the daemon answered %s", res.Status), res.Body.Close())
	}
	return res.Body, nil
}

// Running reports whether a daemon uses the data folder.
func Running(data string) bool {
	conn, err := net.Dial("unix", filepath.Join(data, controlSocket))
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// Reason is the system's reason without the operation around it.
func Reason(err error) error {
	if se, ok := errors.AsType[*os.SyscallError](err); ok {
		return se.Err
	}
	return err
}
