package daemon_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/daemon"
)

// TestPublicLimits: a network that asks for pages or searches without end is told
// to wait, by a page, and every other network is served meanwhile.
func TestPublicLimits(t *testing.T) {
	in := start(t, proxied, func(c *daemon.Config) { c.Limits = append(c.Limits, "pages=30", "search=5") })
	get := func(address, path string) answer {
		return in.send(t, "GET", path, "", "", "X-Forwarded-For", address)
	}
	for _, row := range []struct {
		path      string
		same      string // another address of the network that is used up
		other     string
		allowed   int
		attackers string
	}{
		{"/team-a/blog?q=tpyo", "2001:db8:2:1:ffff::1", "2001:db8:2:2::1", 5, "2001:db8:2:1::%d"},
		{"/team-a/help?q=tpyo", "2001:db8:1:1:ffff::1", "2001:db8:1:2::1", 5, "2001:db8:1:1::%d"},
		{"/team-a/help", "203.0.113.1", "203.0.113.2", 30, "203.0.113.1"},
	} {
		statuses := map[int]int{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				address := row.attackers
				if strings.Contains(address, "%") {
					address = fmt.Sprintf(address, i)
				}
				for range 5 {
					a := get(address, row.path)
					mu.Lock()
					statuses[a.StatusCode]++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		// A few more where the test takes long enough for the bucket to fill.
		if statuses[200] < row.allowed || statuses[200] > 2*row.allowed || statuses[429] == 0 || statuses[200]+statuses[429] != 50 {
			t.Errorf("%s: %v", row.path, statuses)
		}
		a := get(row.same, row.path)
		for range 60 {
			if a.StatusCode == http.StatusTooManyRequests {
				break
			}
			a = get(row.same, row.path)
		}
		if a.StatusCode != 429 || a.Header.Get("Retry-After") == "" || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(string(a.Body), "try again in a moment") || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s %v %s", row.path, a.Status, a.Header, a.Body)
		}
		if a := get(row.other, row.path); a.StatusCode != 200 {
			t.Errorf("%s from another network: %s", row.path, a.Status)
		}
	}
	// What a page loads is not counted: it is small, and kept by browsers.
	if a := get("203.0.113.1", "/media/med_none"); a.StatusCode != 404 {
		t.Errorf("a file: %s", a.Status)
	}
}
