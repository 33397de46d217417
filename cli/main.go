package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"edgesvc.dev/svc/cli/internal/terminal"
	"github.com/spf13/cobra"
)

// Main runs svcctl with the process's arguments and returns its exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	a := newApp(terminal.System(os.Getenv), os.Getenv)
	return a.run(ctx, os.Args[1:])
}

// run executes one command line.
func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	var cmd *cobra.Command
	args, err := a.expandAlias(root, args)
	if err == nil {
		root.SetArgs(args)
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return exitOK
	}
	f := explain(ctx, err)
	f.about(cmd)
	a.report(f)
	return f.Exit
}
