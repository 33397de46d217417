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
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
)

// checkCommand verifies the data in a child process: a damaged file can end the
// process that reads it.
func checkCommand(c console) *cobra.Command {
	var inProcess, restorable, mend bool
	cmd := &cobra.Command{
		Use: "check [FILE]", Short: "Verify the data, or a backup: checksums, indexes, event log, audit trail", Args: cobra.MaximumNArgs(1),
		Long: `Verifies FILE, or the data folder. While the daemon runs, a backup of its data is made and verified.

With --repair, which needs the daemon stopped, it then takes out every record that cannot be read, names each, and writes
what it takes out to a new file beside the data. The indexes of the rest are put in order. Damaged pages cannot be
repaired: restore a backup then.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := daemon.Load(cmd.Flags(), c.lookup)
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
				err := checkFile(path, c.out, restorable)
				if cmd.Flags().Changed("data") {
					err = withBackup(cfg.Data, err)
				}
				return err
			}
			if mend {
				return repair(cmd.Context(), c, cfg.Data, path)
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
			return checkInChild(cmd.Context(), c, cfg.Data, path, false)
		},
	}
	cmd.Flags().BoolVar(&mend, "repair", false, "take out what cannot be read, and keep a copy of it")
	cmd.Flags().BoolVar(&inProcess, "in-process", false, "verify in this process")
	cmd.Flags().BoolVar(&restorable, "restorable", false, "fail only for damaged bytes")
	for _, hidden := range []string{"in-process", "restorable"} {
		if err := cmd.Flags().MarkHidden(hidden); err != nil {
			panic(err)
		}
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

// checkInChild runs check on path, the data file of that folder or ("") a file of
// none, and passes on what it says. When restorable is set, records that cannot
// be read are named and let pass.
func checkInChild(ctx context.Context, c console, data, path string, restorable bool) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	args := []string{"check", "--in-process", fmt.Sprintf("--restorable=%v", restorable), path}
	if data != "" {
		args = append(args, "--data", data)
	}
	child := exec.CommandContext(ctx, self, args...)
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

func checkFile(path string, out io.Writer, restorable bool) error {
	named := 0
	found, err := bolt.Check(path, func(key []byte, reason string) {
		switch named++; {
		case named > mostProblems:
		case len(key) == 0:
			fmt.Fprintf(out, "✗ %s\n", reason)
		default:
			fmt.Fprintf(out, "✗ %s: %s\n", kv.Describe(key), reason)
		}
	}, daemon.Checkers()...)
	switch {
	case err != nil:
		return fmt.Errorf("check %s: %w", path, err)
	case found.Problems == 0:
		_, err = fmt.Fprintf(out, "%s: %d pairs, 0 problems\n", path, found.Pairs)
		return err
	case found.Damaged > 0:
		fmt.Fprintf(out, "%s: %d problems in %d pairs. Restore a backup: svcd restore\n", path, found.Problems, found.Pairs)
		return errQuiet
	}
	fmt.Fprintf(out, "%s: %d problems in %d pairs. The file itself is whole: svcd serve goes on without these records, svcd check --repair takes them out.\n",
		path, found.Problems, found.Pairs)
	if restorable {
		return nil
	}
	return errQuiet
}
