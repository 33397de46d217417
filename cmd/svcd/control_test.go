package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckWithoutCopy has a daemon that runs and cannot give its data: check
// says that, and does not take the daemon for stopped.
func TestCheckWithoutCopy(t *testing.T) {
	data := t.TempDir()
	first(t, data)
	ln, err := net.Listen("unix", filepath.Join(data, "control.sock"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	if err := s.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	s.Listener = ln
	s.Start()
	defer s.Close()
	if said := refuses(t, svcd("check", "--data", data)); !strings.Contains(said, "running daemon") || !strings.Contains(said, "500") {
		t.Error(said)
	}
}
