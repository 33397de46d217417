package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv/bolt"
)

// controlSocket lies in the data folder, whose mode keeps others out.
const controlSocket = "control.sock"

func (d *Daemon) controlRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /backup", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		if err := d.store.Backup(r.Context(), w); err != nil {
			slog.Error("backup", "err", err)
			panic(http.ErrAbortHandler) // a cut stream, so that the reader does not take it for whole
		}
	})
	return mux
}

// openBackup returns a stream of the running daemon's data, or an error that
// wraps os.ErrNotExist or a refused connection when no daemon runs.
func openBackup(ctx context.Context, data string) (io.ReadCloser, error) {
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

// backupTo writes a checked copy of the data to path: from the running daemon
// when there is one, from the file otherwise.
func backupTo(ctx context.Context, data, path string) (err error) {
	stream, err := openBackup(ctx, data)
	if err != nil {
		store, openErr := bolt.Open(filepath.Join(data, dataFile), bolt.Options{})
		switch {
		case openErr != nil && errors.Is(err, os.ErrNotExist): // no daemon runs
			return openErr
		case openErr != nil:
			return fmt.Errorf("%w; the running daemon: %w", openErr, err)
		}
		return errors.Join(store.BackupFile(ctx, path), store.Close())
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	return bolt.Restore(stream, path)
}

// needData keeps commands that only look from making an empty store.
func needData(cfg *Config) error {
	if _, err := os.Stat(filepath.Join(cfg.Data, dataFile)); err != nil {
		return fmt.Errorf("there is no data in %s; name the folder with --data", cfg.Data)
	}
	return nil
}

func backupCommand(c console) *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the data to a new file, also while the daemon runs", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd.Flags(), c.getenv)
			if err != nil {
				return err
			}
			if err := needData(cfg); err != nil {
				return err
			}
			if err := backupTo(cmd.Context(), cfg.Data, args[0]); err != nil {
				return fmt.Errorf("backup: %w", err)
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "%s: %d bytes, whole and on disk\n", args[0], info.Size())
			return err
		},
	}
}

func restoreCommand(c console) *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Verify a backup and put it into an empty data folder", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := load(cmd.Flags(), c.getenv)
			if err != nil {
				return err
			}
			target := filepath.Join(cfg.Data, dataFile)
			if _, err := os.Lstat(target); err == nil {
				return fmt.Errorf("restore: %s is there already; name an empty folder with --data", target)
			}
			if err := restoreFrom(cmd.Context(), c, args[0], target); err != nil {
				return err
			}
			if _, err := os.Lstat(filepath.Join(cfg.Data, seal.File)); errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(c.out, "note: %s is not in %s. Copy it from where you keep it before the start, or set the keys of tasks and sites anew.\n", seal.File, cfg.Data)
			}
			_, err = fmt.Fprintf(c.out, "%s is restored\n", target)
			return err
		},
	}
}

func restoreFrom(ctx context.Context, c console, backup, target string) error {
	f, err := os.Open(backup)
	if err != nil {
		return fmt.Errorf("open the backup: %w", err)
	}
	if err := checkInChild(ctx, c, backup); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(bolt.Restore(f, target), f.Close()); err != nil {
		return fmt.Errorf("put the backup in place: %w", err)
	}
	return nil
}
