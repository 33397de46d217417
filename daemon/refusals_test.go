package daemon_test

import (
	"net"
	"regexp"
	"strconv"
	"testing"

	"edgesvc.dev/svc/daemon"
)

var refusalLine = regexp.MustCompile(`svc_refusals_total\{kind="(\w+)"\} (\d+)`)

// turnedAway are the daemon's counts by kind, as its figures show them.
func turnedAway(t *testing.T, admin *instance) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, m := range refusalLine.FindAllStringSubmatch(string(admin.send(t, "GET", "/metrics", "", "").Body), -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		counts[m[1]] = n
	}
	return counts
}

// TestRefusalsAreCounted is refused in several ways and finds each in its own
// figure, once.
func TestRefusalsAreCounted(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	in := start(t, func(c *daemon.Config) {
		c.Admin, c.TeamSize = address, 1<<20
		c.Limits = append(c.Limits, "read=1")
	})
	admin := *in
	admin.URL = "http://" + address
	in.send(t, "GET", "/healthz", "", "") // the figures are served before the first request is
	before := turnedAway(t, &admin)
	if len(before) != 7 {
		t.Errorf("%d kinds: %v", len(before), before)
	}
	want := map[string]int{}
	note := func(kind string, status, got int) {
		t.Helper()
		if got != status {
			t.Errorf("%s: status %d", kind, got)
		}
		want[kind]++
	}
	in.send(t, "GET", v1+"/posts", in.A.Key, "")
	note("rate_limit", 429, in.send(t, "GET", v1+"/posts", in.A.Key, "").StatusCode)
	_, full := in.fill(t, in.A.Key, "DRAFT")
	note("team_full", 507, int(full["status"].(float64)))
	for a := in.send(t, "GET", v1+"/posts", "svc_wrong", ""); ; a = in.send(t, "GET", v1+"/posts", "svc_wrong", "") {
		if a.StatusCode == 429 {
			note("lock_out", 429, 429)
			break
		}
		if note("bad_key", 401, a.StatusCode); want["bad_key"] > 100 {
			t.Fatal("wrong keys are never refused")
		}
	}
	for kind, n := range turnedAway(t, &admin) {
		if n -= before[kind]; n != want[kind] {
			t.Errorf("%s: %d were counted, %d happened", kind, n, want[kind])
		}
	}
}
