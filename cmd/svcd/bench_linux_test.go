package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStartToReady is the time from exec to the first 200 of /readyz, and
// what the process then takes when nobody asks anything.
func BenchmarkStartToReady(b *testing.B) {
	svcd, err := built()
	if err != nil {
		b.Fatal(err)
	}
	fresh := filepath.Join(b.TempDir(), "data")
	first(b, fresh)
	b.Run("fresh", func(b *testing.B) { startToReady(b, svcd, fresh) })
	large := filepath.Join(b.TempDir(), "data")
	fillData(b, large, 200<<20)
	b.Run("200MB", func(b *testing.B) { startToReady(b, svcd, large) })
}

func startToReady(b *testing.B, svcd, data string) {
	var p *process
	for b.Loop() {
		if p != nil {
			b.StopTimer()
			p.end(syscall.SIGKILL)
			b.StartTimer()
		}
		cmd := serving(data)
		cmd.Path = svcd
		var err error
		if p, err = start(cmd); err != nil {
			b.Fatal(err)
		}
		if status, body := call(b.Context(), "GET", p.URL+"/readyz", "", ""); status != http.StatusOK {
			b.Fatalf("%d %s", status, body)
		}
	}
	b.StopTimer()
	http.DefaultClient.CloseIdleConnections()
	idle := time.NewTimer(2 * time.Second)
	<-idle.C
	b.ReportMetric(float64(anonymous(b, p.Process.Pid))/1024, "MiB-anon")
	p.end(syscall.SIGKILL)
}

// fillData writes posts until the file has so many bytes.
func fillData(b *testing.B, data string, bytes int64) {
	b.Helper()
	key := first(b, data)
	p := serve(b, data)
	content := "<p>" + strings.Repeat("All the words of a post. ", 800) + "</p>"
	for full, round := false, 0; !full; round++ {
		var wg sync.WaitGroup
		for w := range 32 {
			wg.Go(func() {
				for n := range 20 {
					if id, status, answer := p.write(b.Context(), key, fmt.Sprintf("Post %d %d %d", round, w, n), content); id == "" {
						b.Errorf("%d %s", status, answer)
					}
				}
			})
		}
		wg.Wait()
		info, err := os.Stat(dataFile(data))
		if err != nil {
			b.Fatal(err)
		}
		full = info.Size() >= bytes || b.Failed()
	}
	p.end(syscall.SIGTERM)
}
