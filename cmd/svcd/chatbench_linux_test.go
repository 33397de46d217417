package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	contract "edgesvc.dev/svc/sdk/api"
)

const (
	idleSockets = 5000
	perTeam     = 500 // what a team may have open
)

// BenchmarkIdleSockets is what a visitor that says nothing costs the real svcd:
// resident memory, with 5,000 of them.
func BenchmarkIdleSockets(b *testing.B) {
	program, err := built()
	if err != nil {
		b.Fatal(err)
	}
	data := filepath.Join(b.TempDir(), "data")
	var sites []string
	for i := range idleSockets / perTeam {
		_, site := siteOf(b, data, "--another", "--slug", fmt.Sprint("team-", i), "--email", fmt.Sprintf("owner-%d@localhost", i))
		sites = append(sites, site)
	}
	cmd := receiving(data, "http://127.0.0.1:9")
	cmd.Args = append(cmd.Args, "--memory-limit", "112MiB")
	cmd.Path = program
	p, err := start(cmd)
	if err != nil {
		b.Fatal(err)
	}
	defer p.end(syscall.SIGKILL)
	host := strings.TrimPrefix(p.URL, "http://")
	for i := range 200 { // what the first ones cost is not theirs
		idle(b, host, sites[i%len(sites)], fmt.Sprint("192.0.2.", i)).Close()
	}
	for b.Loop() {
		before, own := memoryOf(b, p.Process.Pid)
		open := make([]net.Conn, idleSockets)
		var wg sync.WaitGroup
		for w := range 16 {
			wg.Go(func() {
				for i := w; i < len(open); i += 16 {
					open[i] = idle(b, host, sites[i/perTeam], fmt.Sprintf("10.0.%d.%d", i/250, i%250))
				}
			})
		}
		wg.Wait()
		// What the handshakes left behind is collected and given back, as it would
		// be within minutes by itself.
		for range 3 {
			control(b, data, "/debug/pprof/heap?gc=1")
			rest := time.NewTimer(4 * time.Second)
			<-rest.C
		}
		after, ownAfter := memoryOf(b, p.Process.Pid)
		b.ReportMetric(float64(after-before)/idleSockets, "KiB-resident/conn")
		b.ReportMetric(float64(ownAfter-own)/idleSockets, "KiB-anonymous/conn")
		for _, c := range open {
			if c != nil {
				_ = c.Close()
			}
		}
	}
}

// memoryOf is the resident memory of a process in KiB, and what of it is its own.
func memoryOf(b *testing.B, pid int) (resident, own int) {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	m := regexp.MustCompile(`VmRSS:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		b.Fatal("no VmRSS")
	}
	resident, _ = strconv.Atoi(string(m[1]))
	return resident, anonymous(b, pid)
}

// idle opens a websocket with bytes of its own, says hello and reads the answer.
func idle(b *testing.B, host, site, address string) net.Conn {
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.Error(err)
		return nil
	}
	_, _ = fmt.Fprintf(conn, "GET /svc-api/widget/ws?site=%s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: %s\r\n\r\n", site, host, address, contract.ChatProtocol)
	in := bufio.NewReaderSize(conn, 512)
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		b.Error(res, err)
		return conn
	}
	hello := []byte(`{"t":"hello"}`)
	_, _ = conn.Write(append([]byte{0x81, 0x80 | byte(len(hello)), 0, 0, 0, 0}, hello...))
	ready := make([]byte, len(`xxxx{"t":"ready"`))
	if _, err := io.ReadFull(in, ready); err != nil || !strings.HasSuffix(string(ready), `{"t":"ready"`) {
		b.Errorf("%q %v", ready, err)
	}
	go pong(conn, in)
	return conn
}

// pong answers pings, as browsers do, until the connection is closed. The rest of
// what comes is short.
func pong(conn net.Conn, in *bufio.Reader) {
	_, _ = in.ReadString('}') // of limits, then the frame's own
	for {
		head, err := in.ReadByte()
		if err != nil {
			return
		}
		if head != 0x89 {
			continue
		}
		n, _ := in.ReadByte()
		payload := make([]byte, n)
		if _, err := io.ReadFull(in, payload); err != nil {
			return
		}
		_, _ = conn.Write(append([]byte{0x8a, 0x80 | n, 0, 0, 0, 0}, payload...))
	}
}

const (
	manyVisitors = 200
	perMinute    = 20 // what a visitor may send
)

// BenchmarkChatMessages is a message from a websocket to its acknowledgement,
// durable, with 200 visitors at once. Agents are silent; the visitors are new
// ones when they have sent what they may in a minute.
func BenchmarkChatMessages(b *testing.B) {
	p, site := visited(b, "http://127.0.0.1:9", "deactivate")
	defer p.end(syscall.SIGKILL)
	var sent, people atomic.Int64
	took := make([][]time.Duration, manyVisitors)
	all := make([]*visitor, manyVisitors)
	for i := range all {
		all[i] = newVisitor(site, fmt.Sprintf("10.1.0.%d", i))
		if err := all[i].come(b.Context(), p.URL); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	crowd(all, func(i int, v *visitor) {
		for n := 0; sent.Add(1) <= int64(b.N); n++ {
			if n > 0 && n%perMinute == 0 {
				_ = v.conn.CloseNow()
				number := people.Add(1)
				v = newVisitor(site, fmt.Sprintf("10.2.%d.%d", number/250, number%250))
				if err := v.come(b.Context(), p.URL); err != nil {
					b.Error(err)
					return
				}
			}
			begun := time.Now()
			err := v.say(b.Context(), fmt.Sprint(n), "Do you ship to Japan?")
			for err == nil && len(v.waiting) > 0 {
				_, err = v.read(b.Context())
			}
			if err != nil {
				b.Error(err)
				return
			}
			took[i] = append(took[i], time.Since(begun))
		}
	})
	b.StopTimer()
	report(b, slices.Concat(took...))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// debounce is how long the daemon waits for a visitor to go on.
const debounce = 700 * time.Millisecond

// BenchmarkFirstToken is from a visitor's message on a websocket to the first
// piece of the answer on it, less the debounce and the model's own time: all that
// the daemon adds.
func BenchmarkFirstToken(b *testing.B) {
	var asked, answered atomic.Int64
	url := model(b, 3, time.Millisecond, func(first bool) {
		if first {
			answered.Store(time.Now().UnixNano())
		} else {
			asked.Store(time.Now().UnixNano())
		}
	})
	p, site := visited(b, url, "activate")
	defer p.end(syscall.SIGKILL)
	var took []time.Duration
	var v *visitor
	for n := 0; b.Loop(); n++ {
		if n%perMinute == 0 {
			v = newVisitor(site, fmt.Sprint("10.3.0.", n/perMinute))
			if err := v.come(b.Context(), p.URL); err != nil {
				b.Fatal(err)
			}
		}
		begun := time.Now()
		err := v.say(b.Context(), fmt.Sprint(n), "Do you ship to Japan?")
		for f := (contract.ChatOut{}); err == nil && f.T != "done"; {
			if f, err = v.read(b.Context()); f.T == "delta" && f.N == 0 {
				own := time.Duration(answered.Load() - asked.Load())
				took = append(took, time.Since(begun)-debounce-own)
			}
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	report(b, took)
}

const (
	crowdSize = 300
	modelTime = 300 * time.Millisecond // to the first word
)

// BenchmarkCrowd is the first token for 300 visitors who ask at the same moment
// a model that takes 300 ms to its first word, less that and the debounce. Each
// round asks once more.
func BenchmarkCrowd(b *testing.B) {
	url := model(b, 20, 20*time.Millisecond, func(first bool) {
		if !first {
			thinking := time.NewTimer(modelTime)
			<-thinking.C
		}
	})
	p, site := visited(b, url, "activate")
	defer p.end(syscall.SIGKILL)
	all := make([]*visitor, crowdSize)
	for i := range all {
		all[i] = newVisitor(site, fmt.Sprintf("10.4.%d.%d", i/250, i%250))
		if err := all[i].come(b.Context(), p.URL); err != nil {
			b.Fatal(err)
		}
	}
	took := make([][]time.Duration, crowdSize)
	for n := 0; b.Loop(); n++ {
		crowd(all, func(i int, v *visitor) {
			begun := time.Now()
			err := v.say(b.Context(), fmt.Sprint(n), "Do you ship to Japan?")
			for f := (contract.ChatOut{}); err == nil && f.T != "done"; {
				if f, err = v.read(b.Context()); f.T == "delta" && f.N == 0 {
					took[i] = append(took[i], time.Since(begun)-debounce-modelTime)
				}
			}
			if err != nil {
				b.Error(err)
			}
		})
	}
	report(b, slices.Concat(took...))
}

// visited is the real svcd with an agent that is made to be active or not.
func visited(b *testing.B, url, verb string) (p *process, site string) {
	b.Helper()
	program, err := built()
	if err != nil {
		b.Fatal(err)
	}
	data := filepath.Join(b.TempDir(), "data")
	made := found(b, data)
	_, token, _ := strings.Cut(made.SignInLink, "token=")
	cmd := receiving(data, url)
	cmd.Path = program
	if p, err = start(cmd); err != nil {
		b.Fatal(err)
	}
	type result[T any] struct {
		Result struct{ Data struct{ JSON T } }
	}
	login := trpc[result[struct{ Token string }]](b, p, "auth.login", "", `{"linkToken":"`+token+`","newPassword":"correct horse battery"}`)
	session := login.Result.Data.JSON.Token
	type list struct{ Data []struct{ ID string } }
	agent := trpc[result[list]](b, p, "agents.list", session, `{}`).Result.Data.JSON.Data[0].ID
	trpc[any](b, p, "agents."+verb, session, `{"id":"`+agent+`"}`)
	return p, trpc[result[list]](b, p, "sites.list", session, `{}`).Result.Data.JSON.Data[0].ID
}

func trpc[T any](b *testing.B, p *process, name, session, input string) (v T) {
	b.Helper()
	status, body := call(b.Context(), "POST", p.URL+"/svc-api/trpc/"+name, session, `{"json":`+input+`}`)
	if status != http.StatusOK || json.Unmarshal(body, &v) != nil {
		b.Fatalf("%s: %d %s", name, status, body)
	}
	return v
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
}
