package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"path/filepath"

	"edgesvc.dev/svc/sdk/api"
)

// controlSocket lies in the data folder, whose mode keeps others out.
const controlSocket = "control.sock"

// maxControl bounds what the control socket reads of a request or an answer
// other than a backup.
const maxControl = 1 << 20

// controlRoutes is for who may open the socket, and so the data file: svcd link,
// doctor and backup beside a running daemon. Profiles are here because a heap
// profile and a trace show what the daemon works on:
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
	mux.HandleFunc("GET /doctor", func(w http.ResponseWriter, r *http.Request) { control(w, d.Examine(r.Context()), nil) })
	mux.HandleFunc("POST /link", func(w http.ResponseWriter, r *http.Request) {
		var in linkWanted
		err := json.NewDecoder(io.LimitReader(r.Body, maxControl)).Decode(&in)
		if err != nil {
			control(w, nil, api.NewError(http.StatusBadRequest, api.CodeInvalidJSON, "The body is not JSON."))
			return
		}
		link, err := d.NewLink(r.Context(), in.Email)
		control(w, link, err)
	})
	return mux
}

// linkWanted asks for a sign-in link.
type linkWanted struct {
	Email string `json:"email"`
}

// control answers on the control socket.
func control(w http.ResponseWriter, v any, err error) {
	status := http.StatusOK
	if err != nil {
		refusal, ok := errors.AsType[*api.Error](err)
		if !ok {
			refusal = api.NewError(http.StatusInternalServerError, api.CodeInternal, "%v", err)
		}
		status, v = refusal.Status, refusal
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the reader may have left
}

// ask sends a request to the daemon that runs on a data folder. An error wraps
// os.ErrNotExist or a refused connection when no daemon runs.
func ask(ctx context.Context, data, method, path string, in any) (*http.Response, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", filepath.Join(data, controlSocket))
	}}}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://svcd"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}

// askFor is ask for an answer T.
func askFor[T any](ctx context.Context, data, method, path string, in any) (out T, err error) {
	res, err := ask(ctx, data, method, path, in)
	if err != nil {
		return out, err
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxControl))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return out, err
	}
	if res.StatusCode == http.StatusOK {
		return out, json.Unmarshal(b, &out)
	}
	refusal := new(api.Error)
	if json.Unmarshal(b, refusal) != nil || refusal.Code == "" {
		return out, fmt.Errorf("the daemon answered %s; is it older than this svcd?", res.Status)
	}
	return out, refusal
}

// OpenBackup returns a stream of the running daemon's data, or an error that
// wraps os.ErrNotExist or a refused connection when no daemon runs.
func OpenBackup(ctx context.Context, data string) (io.ReadCloser, error) {
	res, err := ask(ctx, data, http.MethodGet, "/backup", nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("the daemon answered %s", res.Status), res.Body.Close())
	}
	return res.Body, nil
}

// AskLink has the running daemon make a sign-in link, to the address that it
// serves.
func AskLink(ctx context.Context, data, email string) (api.MemberInvited, error) {
	return askFor[api.MemberInvited](ctx, data, http.MethodPost, "/link", linkWanted{email})
}

// AskExamine has the running daemon examine itself.
func AskExamine(ctx context.Context, data string) ([]Finding, error) {
	return askFor[[]Finding](ctx, data, http.MethodGet, "/doctor", nil)
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
