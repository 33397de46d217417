// Package command is svcd's command line: serve, init, doctor, backup and their
// neighbours. What the daemon is made of is joined in package daemon.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
)

// console is what a command may talk to.
type console struct {
	out, err io.Writer
	lookup   func(string) (string, bool) // of the environment
}

// errQuiet ends the process with status 1 when everything was said already.
var errQuiet = errors.New("daemon: said already")

// Main runs svcd with the process's arguments and returns its exit status.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv)
}

// Run runs svcd. It serves until ctx ends.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer, lookup func(string) (string, bool)) int {
	root := newRoot(console{stdout, stderr, lookup})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !errors.Is(err, errQuiet) {
		fmt.Fprintln(stderr, "svcd:", err)
	}
	return 1
}

func newRoot(c console) *cobra.Command {
	root := &cobra.Command{
		Use:   "svcd",
		Short: "Publish content, know your audience, answer your visitors: one daemon, one file",
		Example: `  svcd serve                       serve on 127.0.0.1:8080, data in ./svc-data
  svcd init --json                 make the first team, key and sign-in link for a script
  svcd backup /backups/svc.db      copy the data, also while the daemon runs`,
		SilenceUsage: true, SilenceErrors: true,
		Version: daemon.Release(),
	}
	root.SetVersionTemplate("svcd {{.Version}}\n")
	daemon.AddFlags(root.PersistentFlags())
	root.AddCommand(serveCommand(c), initCommand(c), linkCommand(c), doctorCommand(c), backupCommand(c), restoreCommand(c),
		checkCommand(c), configCommand(c), debugCommand(c), versionCommand(c))
	return root
}

func versionCommand(c console) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(c.out, "svcd", daemon.Release())
			return err
		},
	}
}

func configCommand(c console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show the configuration", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "print-default", Short: "Print every setting with its default and meaning, as a YAML file", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return daemon.PrintDefault(c.out) },
	}, &cobra.Command{
		Use: "show", Short: "Print the settings in effect, secrets masked", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := daemon.Load(cmd.Flags(), c.lookup)
			if err != nil {
				return err
			}
			return cfg.Show(c.out)
		},
	})
	return cmd
}
