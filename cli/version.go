package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
)

// Version is set by the linker in released programs.
var Version = "dev"

// version is the release, or that of the module that go install built.
func version() string {
	if Version != "dev" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return Version
}

// versionLine is what svcctl version and --version print.
func versionLine(a *kit.App) string {
	return fmt.Sprintf("svcctl %s %s %s/%s", a.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// versions is what svcctl version prints.
type versions struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Daemon  string `json:"daemon,omitempty"`
}

var versionView = output.View[versions]{
	ID: func(v *versions) string { return v.Version },
	Columns: []output.Column[versions]{
		{Name: "svcctl", Value: func(v *versions) string { return v.Version }},
		{Name: "daemon", Value: func(v *versions) string { return v.Daemon }},
		{Name: "go", Value: func(v *versions) string { return v.Go + " " + v.OS + "/" + v.Arch }},
	},
}

type versionShow struct {
	app   *kit.App
	check bool
}

func newVersion(a *kit.App) *cobra.Command {
	o := &versionShow{app: a}
	cmd := &cobra.Command{
		Use: "version", Short: "Show the version of svcctl", Args: kit.Exactly(),
		Example: "  svcctl version -o json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&o.check, "check", false, "compare with the daemon's version; exit 10 when they differ")
	return cmd
}

func (o *versionShow) run(ctx context.Context) error {
	v := versions{Version: o.app.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if !o.check && o.app.Flags.JSON == "" && o.app.Flags.Output == "" && o.app.Flags.JQ == "" && o.app.Flags.Template == "" {
		return o.app.PrintText(versionLine(o.app) + "\n")
	}
	if o.check {
		c, err := o.app.Client()
		if err != nil {
			return err
		}
		me, err := c.Me(ctx)
		if err != nil {
			return err
		}
		v.Daemon = me.Version
	}
	if err := kit.ShowOne(o.app, versionView, &v); err != nil {
		return err
	}
	if o.check && v.Daemon != v.Version {
		return &kit.Failure{Exit: kit.ExitDifferences, Code: "version_differs",
			Message: fmt.Sprintf("svcctl is %s and the daemon is %s", v.Version, v.Daemon), Hint: "install the same release of both"}
	}
	return nil
}
