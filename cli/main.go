package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
)

// Main runs svcctl with the process's arguments and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	a := kit.New(terminal.System(os.Getenv), os.Getenv, version())
	return run(ctx, a, os.Args[1:])
}

// run executes one command line.
func run(ctx context.Context, a *kit.App, args []string) int {
	root := newRoot(a, args)
	var cmd *cobra.Command
	args, err := expandAlias(a, args)
	if err == nil {
		root.SetArgs(args)
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return kit.ExitOK
	}
	f := kit.Explain(ctx, err)
	f.About(cmd)
	a.Report(f)
	return f.Exit
}
