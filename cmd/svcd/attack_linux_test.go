package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// attackRounds is how often each attack is repeated: SVC_ATTACK_ROUNDS, or once.
func attackRounds(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("SVC_ATTACK_ROUNDS"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// withFiles makes cmd run with a limit of open files.
func withFiles(files int, cmd *exec.Cmd) *exec.Cmd {
	in := exec.Command("/bin/sh", append([]string{"-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(files)}, cmd.Args...)...)
	in.Env = cmd.Env
	return in
}

// from dials the daemon from a loopback address of its own.
func (p *process) from(ctx context.Context, address int) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(address))}}
	return d.DialContext(ctx, "tcp", strings.TrimPrefix(p.URL, "http://"))
}

// crowd opens connections from many addresses, says the same on each, if anything,
// and opens another for each that was closed. It ends, with all of them, when ctx
// does.
func (p *process) crowd(ctx context.Context, addresses, each int, say string) (wait func()) {
	var all sync.WaitGroup
	for a := range addresses {
		for range each {
			all.Go(func() {
				for ctx.Err() == nil {
					c, err := p.from(ctx, 1+a)
					if err != nil {
						continue
					}
					hangUp := context.AfterFunc(ctx, func() { _ = c.Close() })
					_, _ = io.WriteString(c, say)
					_, _ = io.Copy(io.Discard, c) // until the daemon closes it
					hangUp()
					_ = c.Close()
				}
			})
		}
	}
	return all.Wait
}

// calm asks for /healthz n times, each on a connection of its own, and returns
// the longest that it took. A connection that is closed before anything is
// answered, as one is whose request comes late on a busy machine, is opened
// again, as a browser does, and so is one that is told to come again. All of that
// counts.
func (p *process) calm(t *testing.T, n int) (longest time.Duration) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	for i := range n {
		begun := time.Now()
		res, err := client.Get(p.URL + "/healthz")
		for (err != nil || res.StatusCode == http.StatusServiceUnavailable) && time.Since(begun) < patience {
			if err == nil {
				_ = res.Body.Close()
			}
			res, err = client.Get(p.URL + "/healthz")
		}
		if err != nil {
			t.Errorf("request %d: %v", i, err)
			continue
		}
		if res.StatusCode != http.StatusOK {
			t.Errorf("request %d: %s", i, res.Status)
		}
		_ = res.Body.Close()
		longest = max(longest, time.Since(begun))
	}
	return longest
}

// TestDescriptorsRunOut keeps more connections open than the daemon may have
// files, from many addresses, while a calm client asks. Those that say something
// say less than the daemon needs to answer them and to let them go.
func TestDescriptorsRunOut(t *testing.T) {
	// A calm client needs a fifth of a second; the rest is for a machine that is
	// busy with more than this test.
	const soon = 3 * time.Second
	for _, row := range []struct {
		files, addresses, each int
		say                    string
	}{
		{64, 20, 15, ""},
		{1024, 45, 40, ""},
		{64, 50, 4, "G"},
		{64, 50, 4, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"},
		{64, 50, 4, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"},
	} {
		t.Run(fmt.Sprintf("%d files, %.4q", row.files, row.say), func(t *testing.T) {
			p := started(t, withFiles(row.files, serving(t.TempDir())))
			before := p.memory(t, "VmRSS")
			ctx, cancel := context.WithCancel(t.Context())
			wait := p.crowd(ctx, row.addresses, row.each, row.say)
			longest := p.calm(t, 15*attackRounds(t))
			cancel()
			wait()
			if longest > soon {
				t.Errorf("a calm client waited %v", longest)
			}
			t.Logf("calm client: %v at most; resident +%d MB at the peak", longest.Round(time.Millisecond), (p.memory(t, "VmHWM")-before)>>20)
			p.stop(t)
		})
	}
}

// TestTooFewDescriptors does not begin to serve where it could not go on.
func TestTooFewDescriptors(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	const files = 40
	_, said, status := run(t, withFiles(files, serving(data)))
	if status != 1 || !strings.Contains(said, "40 open files leave too few") {
		t.Errorf("exit %d\n%s", status, said)
	}
	out, _, status := run(t, withFiles(files, svcd("doctor", "--data", data)))
	if status != 1 || !strings.Contains(out, "✗ connections") {
		t.Errorf("doctor: exit %d\n%s", status, out)
	}
	if out, _, status := run(t, withFiles(1024, svcd("doctor", "--data", data, "--listen", "127.0.0.1:0"))); status != 0 || !strings.Contains(out, "• connections    864 at once of at most 20000") {
		t.Errorf("doctor: exit %d\n%s", status, out)
	}
}

// madeUp is a key of the right form, checksum included, that no team has.
const madeUp = "svc_0123456789ABCDEFGHIJKLMNOPQRSTUV0oTOJ7"

// TestLargeBodiesOfStrangers announces hundreds of large bodies and sends all of
// each but its last byte.
func TestLargeBodiesOfStrangers(t *testing.T) {
	const conns, size = 300, 10 << 20
	for name, row := range map[string]struct {
		key    func(own string) string
		refuse []string
		growth int // MB that the daemon may grow by at its peak
	}{
		"with no key at all":   {func(string) string { return "svc_x" }, []string{"401", "429"}, 100},
		"with an invented key": {func(string) string { return madeUp }, []string{"401", "429"}, 100},
		"with a key of a team": {func(own string) string { return own }, []string{"503"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			key := row.key(first(t, data))
			p := started(t, withFiles(1024, serving(data)))
			before := p.memory(t, "VmRSS")
			head := fmt.Sprintf("POST %s/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: image/png\r\nContent-Length: %d\r\n\r\n", api, key, size)
			for range attackRounds(t) {
				statuses := p.pour(t, conns, head, size-1)
				refused := 0
				for _, status := range row.refuse {
					refused += statuses[status]
				}
				if refused < conns*3/4 {
					t.Errorf("answers: %v, want nearly all of %v", statuses, row.refuse)
				}
			}
			p.calm(t, 10)
			peak := (p.memory(t, "VmHWM") - before) >> 20
			t.Logf("resident +%d MB at the peak", peak)
			if peak > row.growth {
				t.Errorf("grew by %d MB, more than %d", peak, row.growth)
			}
			p.stop(t)
		})
	}
}

// pour sends head and then so many zeros on each of conns connections, from one
// address, and counts the statuses that came back; those that the daemon still
// reads from at the end have none.
func (p *process) pour(t *testing.T, conns int, head string, zeros int64) map[string]int {
	t.Helper()
	statuses := map[string]int{}
	var mu sync.Mutex // guards statuses
	var all sync.WaitGroup
	answered := make(chan struct{}, conns)
	open := make([]net.Conn, conns)
	for i := range open {
		c, err := p.from(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		open[i] = c
		all.Go(func() {
			_, _ = io.WriteString(c, head)
			_, _ = io.CopyN(c, zeroes{}, zeros) // cut short by a refusal
			answered <- struct{}{}
		})
		all.Go(func() {
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return // reset, or hung up below
			}
			defer res.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			statuses[strconv.Itoa(res.StatusCode)]++
		})
	}
	for range open {
		<-answered
	}
	for _, c := range open {
		_ = c.Close()
	}
	all.Wait()
	return statuses
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// memory reads a figure of the process in bytes, such as VmHWM, its largest
// resident size so far.
func (p *process) memory(t testing.TB, name string) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name+":" {
			kb, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatalf("no %s in the status of the process", name)
	return 0
}
