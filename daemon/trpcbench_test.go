package daemon_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon"
)

// BenchmarkTRPC answers the same calls on REST, with a key, and on tRPC, with a
// session: cpu-us/op is the process's own time for a request and its client.
func BenchmarkTRPC(b *testing.B) {
	in := start(b, func(c *daemon.Config) { c.Limits = append(c.Limits, "trpc=0") })
	_, link, _ := strings.Cut(in.A.SignInLink, "token=")
	token := in.procedure(b, "auth.login", "", `{"linkToken":"`+link+`","newPassword":"correct horse battery"}`).JSON(b)["token"].(string)
	id := in.post(b, in.A.Key, `{"title":"A post","content":"<p>`+strings.Repeat("text ", 400)+`</p>"}`)
	for range 20 {
		in.post(b, in.A.Key, `{"title":"A post","content":"<p>text</p>"}`)
	}
	for _, c := range []struct{ name, method, path, credential, body string }{
		{"get/rest", "GET", "/svc-api/v1/posts/" + id, in.A.Key, ""},
		{"get/trpc", "POST", "/svc-api/trpc/posts.get", token, `{"json":{"id":"` + id + `"}}`},
		{"list/rest", "GET", "/svc-api/v1/posts?limit=20", in.A.Key, ""},
		{"list/trpc", "POST", "/svc-api/trpc/posts.list", token, `{"json":{"limit":20}}`},
		{"update/rest", "PATCH", "/svc-api/v1/posts/" + id, in.A.Key, `{"description":"n%d"}`},
		{"update/trpc", "POST", "/svc-api/trpc/posts.update", token, `{"json":{"id":"` + id + `","description":"n%d"}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			client := &fasthttp.HostClient{Addr: in.Addr}
			req, res := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
			req.SetRequestURI(in.URL + c.path)
			req.Header.SetMethod(c.method)
			req.Header.Set("Authorization", "Bearer "+c.credential)
			req.Header.SetContentType("application/json")
			before := busy(b)
			for i := 0; b.Loop(); i++ {
				if c.body != "" {
					req.SetBodyString(strings.Replace(c.body, "%d", strconv.Itoa(i), 1))
				}
				if err := client.Do(req, res); err != nil || res.StatusCode() != 200 {
					b.Fatalf("%v %d %s", err, res.StatusCode(), res.Body())
				}
			}
			b.ReportMetric(float64((busy(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
		})
	}
}

// busy is the processor time of the process so far.
func busy(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
