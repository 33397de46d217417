package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv/bolt"
)

// backupTo writes a checked copy of the data to path: from the running daemon
// when there is one, from the file otherwise.
func backupTo(ctx context.Context, data, path string) (err error) {
	stream, err := daemon.OpenBackup(ctx, data)
	if err != nil {
		store, openErr := bolt.Open(daemon.DataFile(data), bolt.Options{})
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
func needData(cfg *daemon.Config) error {
	if _, err := os.Stat(daemon.DataFile(cfg.Data)); err != nil {
		return fmt.Errorf("there is no data in %s; name the folder with --data", cfg.Data)
	}
	return nil
}

func backupCommand(c console) *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the data to a new file, also while the daemon runs", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := daemon.Load(cmd.Flags(), c.lookup)
			if err != nil {
				return err
			}
			if err := needData(cfg); err != nil {
				return err
			}
			if err := backupTo(cmd.Context(), cfg.Data, args[0]); err != nil {
				return fmt.Errorf("backup: %w", withBackup(cfg.Data, err))
			}
			if err := noteBackup(cfg.Data, args[0]); err != nil {
				fmt.Fprintln(c.err, "svcd: note where the backup is:", err)
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
		Long: `Verifies FILE and puts it into an empty data folder. A backup whose bytes are not those that were written is refused.
One with records that cannot be read is put in place all the same: they are named, and svcd check --repair takes them out.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := daemon.Load(cmd.Flags(), c.lookup)
			if err != nil {
				return err
			}
			target := daemon.DataFile(cfg.Data)
			if _, err := os.Lstat(target); err == nil {
				return fmt.Errorf("restore: %s is there already; name an empty folder with --data", target)
			}
			if err := restoreFrom(cmd.Context(), c, args[0], target); err != nil {
				return err
			}
			if _, err := os.Lstat(filepath.Join(cfg.Data, seal.File)); errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(c.out, "note: %s is not in %s. Copy it from where you keep it before the start, or set the keys of tasks and sites again.\n", seal.File, cfg.Data)
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
	if err := checkInChild(ctx, c, "", backup, true); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(bolt.Restore(f, target), f.Close()); err != nil {
		return fmt.Errorf("put the backup in place: %w", err)
	}
	return nil
}
