package daemon_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
)

// tab is a page of Chromium that carries the widget.
type tab struct {
	t   testing.TB
	ctx context.Context
}

// shadow finds in the widget's shadow tree.
const shadow = `const root = document.querySelector('svc-chat')?.shadowRoot, $ = s => root?.querySelector(s), $$ = s => [...(root?.querySelectorAll(s) || [])]; `

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T]("(() => {"+shadow+"return "+expression+"})()"))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[chromedp.Void]("(() => {"+shadow+"return "+expression+"})()",
		chromedp.WithPollingTimeout(30*time.Second), chromedp.WithPollingInterval(20*time.Millisecond)))
	if err != nil {
		b.t.Fatalf("%s: %v; it shows %q", expression, err, eval[[]string](b, `$$('.log > *, .status').map(e => e.innerText)`))
	}
}

// visit opens a page and waits for the launcher.
func (b *tab) visit(url string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(url)); err != nil {
		b.t.Fatal(err)
	}
	b.until(`!!$('.launcher')?.getAttribute('aria-label')`)
}

// say writes a message and sends it.
func (b *tab) say(text string) {
	b.t.Helper()
	eval[bool](b, `($('textarea').focus(), true)`)
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(text+"\r")); err != nil {
		b.t.Fatal(err)
	}
}

// messages are what the visitor reads, from top to bottom.
func (b *tab) messages() []string {
	b.t.Helper()
	return eval[[]string](b, `$$('.msg .text').map(e => e.innerText.trim())`)
}

// server is a daemon that is stopped and comes back with its data and address.
type server struct {
	in   *instance
	t    *testing.T
	data string
	addr string
}

// start serves until stop is called or the test ends.
func (s *server) start() {
	s.t.Helper()
	cfg := daemon.DefaultConfig()
	cfg.Data, cfg.Admin = s.data, ""
	cfg.Limits = strings.Split("read=0,write=0,ai=0,mcp=0,login=0", ",")
	ln, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	d, err := daemon.Open(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	d.SetBase(ln.Addr())
	first := s.in == nil
	if s.addr = ln.Addr().String(); first {
		s.in = &instance{URL: "http://" + s.addr, Addr: s.addr}
		if s.in.A, err = d.Bootstrap(s.t.Context(), "Team A", "team-a", "a@example.test"); err != nil {
			s.t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := d.Serve(ctx, ln); err != nil {
			s.t.Error(err)
		}
	})
	s.in.stop = func() error {
		cancel()
		serving.Wait()
		return d.Close()
	}
}

func (s *server) stop() {
	s.t.Helper()
	if err := s.in.stop(); err != nil {
		s.t.Error(err)
	}
	s.in.stop = func() error { return nil }
}

// TestChatPage is the main job in a browser: a page of another origin with the
// strictest policy carries the widget of a real daemon. A question is answered
// from an article, a reload keeps it, and what is said while the daemon is away
// arrives once when it comes back.
func TestChatPage(t *testing.T) {
	s := &server{t: t, data: filepath.Join(t.TempDir(), "data"), addr: "127.0.0.1:0"}
	s.start()
	t.Cleanup(s.stop)
	in := s.in
	in.article(t, in.A.Key, "Shipping to Japan", "<p>A parcel to Japan takes five days.</p>")
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src %[1]s; style-src %[1]s; connect-src %[1]s ws://%[2]s; base-uri 'none'; form-action 'none'", in.URL, in.Addr))
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1><script async src="%s/widget.js" data-site="%s"></script>`, in.URL, in.A.SiteID)
	}))
	defer shop.Close()
	session := in.session(t, in.A)
	if a := in.procedure(t, "sites.update", session, `{"id":"`+in.A.SiteID+`","allowedOrigins":["`+in.URL+`","`+shop.URL+`"],"greeting":"Ask us."}`); a.StatusCode != 200 {
		t.Fatalf("%s", a.Body)
	}

	b := &tab{t, xsstest.Browser(t)}
	b.visit(in.URL + "/widget/demo") // the daemon's own page has it too
	b.visit(shop.URL)
	eval[bool](b, `($('.launcher').click(), true)`)
	b.until(`root.activeElement === $('textarea') && $('.name').innerText !== ''`)
	b.say("How long does a parcel to Japan take?")
	b.until(`$$('.cards a').some(a => a.innerText.includes('Shipping to Japan'))`)
	shown := b.messages()
	if len(shown) != 3 || shown[1] != "How long does a parcel to Japan take?" || !strings.Contains(shown[2], "five days") {
		t.Errorf("shown %q", shown)
	}
	if href := eval[string](b, `$('.cards a').href`); href != in.URL+"/team-a/help/shipping-to-japan" {
		t.Errorf("the card leads to %s", href)
	}

	b.visit(shop.URL)
	b.until(`!$('.panel').hidden && !!$('.cards a')`)
	if again := b.messages(); strings.Join(again, "\n") != strings.Join(shown, "\n") {
		t.Errorf("after a reload %q", again)
	}

	conv := firstID(in.send(t, "GET", "/svc-api/v1/conversations", in.A.Key, "").JSON(t))
	reply := func(text string) {
		if a := in.send(t, "POST", "/svc-api/v1/conversations/"+conv+"/reply", in.A.Key, `{"text":"`+text+`"}`); a.StatusCode >= 300 {
			t.Errorf("%s %s", a.Status, a.Body)
		}
	}
	reply("Ada here, **hello**.")
	b.until(`$$('.msg .text').some(e => e.innerText.trim() === 'Ada here, hello.')`)

	s.stop()
	b.until(`$('.status').innerText.startsWith('Connection lost')`)
	b.say("Are you back?")
	s.start()
	b.until(`$$('.visitor:not(.sending) .text').some(e => e.innerText.trim() === 'Are you back?')`)
	reply("Yes.")
	b.until(`$$('.msg .text').some(e => e.innerText.trim() === 'Yes.')`)
	var stored struct{ Data []struct{ Text string } }
	mustJSON(t, in.send(t, "GET", "/svc-api/v1/conversations/"+conv+"/messages", in.A.Key, "").Body, &stored)
	if n := len(stored.Data); n != 5 || stored.Data[3].Text != "Are you back?" || len(b.messages()) != n+1 { // and the greeting
		t.Errorf("stored %+v, shown %q", stored.Data, b.messages())
	}
}
