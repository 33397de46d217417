// Package svctest runs a real daemon for the tests of programs that use svc:
// its handlers, its store in a temporary folder, its offline models. It is the
// one package of the SDK that is more than a client; import it from tests only.
package svctest

import (
	"context"
	"errors"
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

	tb   testing.TB
	cfg  *daemon.Config
	addr string
	end  func() // of the daemon that runs; nil where none does
}

// NewServer starts a daemon on a free port of the loopback interface. It ends
// with the test.
func NewServer(tb testing.TB) *Server {
	tb.Helper()
	cfg := daemon.DefaultConfig()
	cfg.Data, cfg.Admin, cfg.Limits = tb.TempDir(), "", nil
	s := &Server{tb: tb, cfg: cfg, addr: "127.0.0.1:0"}
	tb.Cleanup(s.Stop)
	d := s.start()
	made, err := d.Bootstrap(tb.Context(), "Test team", "blog", "owner@localhost")
	if err != nil {
		tb.Fatal(err)
	}
	s.TeamID, s.Key, s.SignInLink, s.SiteID = made.TeamID, made.Key, made.SignInLink, made.SiteID
	return s
}

// Stop ends the daemon as its service manager would; requests to its address
// are refused then.
func (s *Server) Stop() {
	if s.end != nil {
		s.end()
		s.end = nil
	}
}

// Start starts the daemon again after Stop, on the same address and data.
func (s *Server) Start() {
	s.tb.Helper()
	s.start()
}

func (s *Server) start() *daemon.Daemon {
	s.tb.Helper()
	d, err := daemon.Open(s.cfg)
	if err != nil {
		s.tb.Fatal(err)
	}
	ln, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.tb.Fatal(errors.Join(err, d.Close()))
	}
	d.SetBase(ln.Addr())
	s.addr = ln.Addr().String()
	s.URL = "http://" + s.addr
	ctx, stop := context.WithCancel(context.Background())
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := d.Serve(ctx, ln); err != nil {
			s.tb.Error(err)
		}
	})
	s.end = func() {
		stop()
		serving.Wait()
		if err := d.Close(); err != nil {
			s.tb.Error(err)
		}
	}
	return d
}

// Client is a client with the server's key.
func (s *Server) Client(options ...sdk.Option) *sdk.Client {
	return sdk.New(s.URL, append([]sdk.Option{sdk.WithAPIKey(s.Key)}, options...)...)
}
