// Package svctest runs a real daemon for the tests of programs that use svc:
// its handlers, its store in a temporary folder, its offline models. It is the
// one package of the SDK that is more than a client; import it from tests only.
package svctest

import (
	"context"
	"net"
	"testing"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/sdk"
	"github.com/sourcegraph/conc"
)

// Server is a daemon with one team.
type Server struct {
	URL        string
	TeamID     string
	Key        string // an API key with every scope
	SignInLink string // of the owner; works once
	SiteID     string // of the website that may embed the widget: the daemon's own
}

// NewServer starts a daemon on a free port of the loopback interface. It ends
// with the test.
func NewServer(tb testing.TB) *Server {
	tb.Helper()
	cfg := daemon.DefaultConfig()
	cfg.Data, cfg.Admin, cfg.Limits = tb.TempDir(), "", nil
	d, err := daemon.Open(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	d.SetBase(ln.Addr())
	made, err := d.Bootstrap(tb.Context(), "Test team", "blog", "owner@localhost")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := d.Serve(ctx, ln); err != nil {
			tb.Error(err)
		}
	})
	tb.Cleanup(func() {
		stop()
		serving.Wait()
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return &Server{URL: "http://" + ln.Addr().String(), TeamID: made.TeamID, Key: made.Key, SignInLink: made.SignInLink, SiteID: made.SiteID}
}

// Client is a client with the server's key.
func (s *Server) Client(options ...sdk.Option) *sdk.Client {
	return sdk.New(s.URL, append([]sdk.Option{sdk.WithAPIKey(s.Key)}, options...)...)
}
