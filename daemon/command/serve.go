package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
)

func serveCommand(c console) *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Serve until stopped", Args: cobra.NoArgs,
		Long: "Serves the API, the MCP server and the public pages. With an empty data folder it makes a team and prints, once, an API key and a sign-in link.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := daemon.Load(cmd.Flags(), c.lookup)
			if err != nil {
				return err
			}
			slog.SetDefault(newLogger(cfg, c.err))
			return serve(cmd.Context(), cfg, c.out)
		},
	}
}

func newLogger(cfg *daemon.Config, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// heapFloor is memory that is set aside and never touched, so that it costs no
// page: it makes the collector take the live heap, a few MiB, for larger, and run
// four times less often under load. It comes in parts, for a part that happens to
// begin in memory that was used before is cleared, and costs its pages.
const (
	heapFloor  = 16 << 20
	floorParts = 32
)

// serve runs a daemon until ctx ends or its store fails.
func serve(ctx context.Context, cfg *daemon.Config, out io.Writer) error {
	debug.SetGCPercent(400)
	var ballast [floorParts][]byte
	for i := range ballast {
		ballast[i] = make([]byte, heapFloor/floorParts)
	}
	defer runtime.KeepAlive(&ballast)
	daemon.LimitMemory(cfg)
	ln, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", cfg.Listen, daemon.Reason(err))
	}
	d, err := daemon.Open(cfg)
	if err != nil {
		return errors.Join(withBackup(cfg.Data, err), ln.Close())
	}
	d.SetBase(ln.Addr())
	// Nothing may be in the way of serving once the key has been shown.
	if err := d.Prepare(); err != nil {
		return errors.Join(err, ln.Close(), d.Close())
	}
	if err := welcome(ctx, d, cfg.Data, out); err != nil {
		return errors.Join(err, ln.Close(), d.Close())
	}
	return errors.Join(d.Serve(ctx, ln), d.Close())
}

// welcome makes the first team of an empty store and says what to do next.
func welcome(ctx context.Context, d *daemon.Daemon, data string, out io.Writer) error {
	empty, err := d.Empty(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "svc %s serves %s\n", daemon.Release(), d.Base())
	if !empty {
		return nil
	}
	first, err := d.Bootstrap(ctx, "My team", "blog", "owner@localhost")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, `
First start. The data is in %s. These two are shown once:

  API key       %s
  sign-in link  %s

Next:

  svcctl login '%s'
  svcctl post create --title "Hello" --content "<p>First words.</p>" --publish
  open %s/%s/

Chat with your visitors: paste this into a page, after its origin was added with
svcctl widget origin add https://www.example.com

  <script async src="%s/widget.js" data-site="%s"></script>

or try it on %s/widget/demo
`, data, first.Key, first.SignInLink, first.SignInLink, d.Base(), first.TeamSlug, d.Base(), first.SiteID, d.Base())
	return err
}
