package post

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/writing"
)

type diff struct {
	app      *kit.App
	exitCode bool
}

func newDiff(a *kit.App) *cobra.Command {
	o := &diff{app: a}
	cmd := &cobra.Command{
		Use: "diff POST FILE", Short: "Show how a file differs from a post", Args: kit.Exactly("a post: its id, slug or address", "a file"),
		Example: "  svcctl post diff hello hello.md",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit 10 when they differ")
	return cmd
}

func (o *diff) run(ctx context.Context, ref, file string) error {
	f, _, err := writing.ReadFile(o.app, file, false)
	if err != nil {
		return err
	}
	_, p, err := texts.Open(ctx, o.app, kit.WriteFlags{}, ref)
	if err != nil {
		return err
	}
	html, _, err := f.Render(func(path string) (string, error) { return path, nil })
	if err != nil {
		return err
	}
	_, changes, err := f.Patch(p, &html)
	if err != nil {
		return err
	}
	if err := writing.PrintChanges(o.app, p.Slug, file, changes); err != nil {
		return err
	}
	if o.exitCode && len(changes) > 0 {
		return &kit.Failure{Exit: kit.ExitDifferences}
	}
	return nil
}
