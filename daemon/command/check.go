package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/kv/bolt"
)

// checkCommand verifies the data in a child process: a damaged file can end the
// process that reads it.
func checkCommand(c console) *cobra.Command {
	var inProcess bool
	cmd := &cobra.Command{
		Use: "check [FILE]", Short: "Verify the data, or a backup: checksums, indexes, event log, audit trail", Args: cobra.MaximumNArgs(1),
		Long: "Verifies FILE, or the data folder. While the daemon runs, a backup of its data is made and verified.",
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := daemon.Load(cmd.Flags(), c.getenv)
			if err != nil {
				return err
			}
			path := daemon.DataFile(cfg.Data)
			if len(args) == 1 {
				path = args[0]
			}
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("there is no data at %s; name the folder with --data, or a file", path)
			}
			if inProcess {
				return checkFile(path, c.out)
			}
			if len(args) == 0 {
				copied, done, err := copyOfRunning(cmd.Context(), cfg.Data)
				if err != nil {
					return err
				}
				defer done()
				if copied != "" {
					path = copied
				}
			}
			return checkInChild(cmd.Context(), c, path)
		},
	}
	cmd.Flags().BoolVar(&inProcess, "in-process", false, "verify in this process")
	if err := cmd.Flags().MarkHidden("in-process"); err != nil {
		panic(err)
	}
	return cmd
}

// copyOfRunning backs up the data of a running daemon to a temporary file; the
// path is "" when none runs.
func copyOfRunning(ctx context.Context, data string) (path string, done func(), err error) {
	if !daemon.Running(data) {
		return "", func() {}, nil
	}
	stream, err := daemon.OpenBackup(ctx, data)
	if err != nil {
		return "", nil, fmt.Errorf("ask the running daemon for a copy: %w", err)
	}
	dir, err := os.MkdirTemp(data, "check-")
	if err != nil {
		return "", nil, errors.Join(err, stream.Close())
	}
	path = daemon.DataFile(dir)
	if err := errors.Join(bolt.Restore(stream, path), stream.Close()); err != nil {
		return "", nil, errors.Join(fmt.Errorf("copy the running daemon's data: %w", err), os.RemoveAll(dir))
	}
	return path, func() { _ = os.RemoveAll(dir) }, nil
}

func checkInChild(ctx context.Context, c console, path string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	child := exec.CommandContext(ctx, self, "check", "--in-process", path)
	var said bytes.Buffer
	child.Stdout, child.Stderr = c.out, &said
	err = child.Run()
	if err == nil {
		return nil
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		_, _ = io.Copy(c.err, &said)
		return errQuiet
	}
	return fmt.Errorf("%s is damaged so badly that reading it fails. Restore a backup: svcd restore", path)
}

const mostProblems = 100

func checkFile(path string, out io.Writer) error {
	problems := 0
	pairs, err := bolt.Check(path, func(key []byte, reason string) {
		if problems++; problems <= mostProblems {
			fmt.Fprintf(out, "✗ %q: %s\n", key, reason)
		}
	}, daemon.Checkers()...)
	if err != nil {
		return fmt.Errorf("check %s: %w", path, err)
	}
	if problems > 0 {
		fmt.Fprintf(out, "%s: %d problems in %d pairs. Restore a backup: svcd restore\n", path, problems, pairs)
		return errQuiet
	}
	_, err = fmt.Fprintf(out, "%s: %d pairs, 0 problems\n", path, pairs)
	return err
}
