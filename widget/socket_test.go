package widget_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/widget"
)

// client is a visitor's end of the socket.
type client struct {
	t testing.TB
	c *websocket.Conn
}

func (w *world) dial(origin string) *client {
	w.t.Helper()
	c, resp, err := w.handshake(w.site, "Origin", origin)
	if err != nil {
		w.t.Fatal(resp, err)
	}
	return &client{w.t, c}
}

func (w *world) handshake(site string, header ...string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{}
	o := &websocket.DialOptions{Subprotocols: []string{api.ChatProtocol}, HTTPHeader: h}
	for i := 0; i < len(header); i += 2 {
		switch {
		case header[i+1] == "":
		case header[i] == "Host":
			o.Host = header[i+1]
		default:
			h.Set(header[i], header[i+1])
		}
	}
	c, resp, err := websocket.Dial(w.t.Context(), "ws://"+w.addr+"/svc-api/widget/ws?site="+site, o)
	if err == nil {
		w.t.Cleanup(func() { _ = c.CloseNow() })
	}
	return c, resp, err
}

func (c *client) send(frame string) {
	c.t.Helper()
	if err := c.c.Write(c.t.Context(), websocket.MessageText, []byte(frame)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) next() api.ChatOut {
	c.t.Helper()
	var f api.ChatOut
	_, b, err := c.c.Read(c.t.Context())
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return f
}

// until reads frames up to one of that kind.
func (c *client) until(t string) api.ChatOut {
	c.t.Helper()
	for {
		if f := c.next(); f.T == t {
			return f
		}
	}
}

// closed reads until the end and returns its code.
func (c *client) closed() websocket.StatusCode {
	for {
		if _, _, err := c.c.Read(c.t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

const hello = `{"t":"hello","since":0,"lang":"en","page":{"url":"https://shop.example/","title":"Shop"}}`

func TestSocket(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	c := w.dial("https://shop.example")
	if c.c.Subprotocol() != api.ChatProtocol {
		t.Errorf("subprotocol %q", c.c.Subprotocol())
	}
	c.send(hello)
	ready := c.next()
	if ready.T != "ready" || ready.Visitor == "" || ready.Agent.Name != "Nova" {
		t.Fatalf("%+v", ready)
	}
	c.send(`{"t":"msg","cid":"a","text":"Do you ship to Japan?"}`)
	if f := c.next(); f.T != "ack" || f.CID != "a" || f.Seq != 1 {
		t.Fatalf("%+v", f)
	}
	id, text := c.until("start").ID, ""
	for {
		f := c.next()
		if f.T == "done" {
			if f.ID != id || f.Seq != 2 || f.Text != text || len(f.Cards) != 1 {
				t.Errorf("%+v after %q", f, text)
			}
			break
		}
		if f.N != len([]rune(text)) {
			t.Errorf("delta at %d, not %d", f.N, len([]rune(text)))
		}
		text += f.Text
	}
	// Another connection gets what it has missed, once.
	again := w.dial("https://shop.example")
	again.send(fmt.Sprintf(`{"t":"hello","visitor":%q,"since":1,"lang":"en"}`, ready.Visitor))
	again.until("ready")
	if f := again.next(); f.T != "msg" || f.Seq != 2 {
		t.Errorf("%+v", f)
	}
	again.send(`{"t":"msg","cid":"a","text":"Do you ship to Japan?"}`)
	if f := again.until("ack"); f.Seq != 1 {
		t.Errorf("a repeated message: %+v", f)
	}
	equal(t, "stored", w.desk.texts(), []string{"Do you ship to Japan?"})
}

// Nobody gets in whom the site does not let in; a script of an unknown site
// learns so from the close code.
func TestSocketAdmission(t *testing.T) {
	w := newWorld(t)
	for name, row := range map[string]struct {
		header []string
		status int
	}{
		"the site's origin":           {[]string{"Origin", "https://shop.example"}, 101},
		"no browser":                  {nil, 101},
		"another origin":              {[]string{"Origin", "https://evil.example"}, 403},
		"Host and Origin both evil":   {[]string{"Host", "evil.example", "Origin", "http://evil.example"}, 403},
		"Host alone is evil":          {[]string{"Host", "evil.example", "Origin", "https://shop.example"}, 403},
		"sandboxed":                   {[]string{"Origin", "null"}, 403},
		"the site's, but not secure":  {[]string{"Origin", "http://shop.example"}, 403},
		"the site's name as a prefix": {[]string{"Origin", "https://shop.example.evil"}, 403},
		"cross-site without Origin":   {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
	} {
		_, resp, _ := w.handshake(w.site, row.header...)
		if resp == nil || resp.StatusCode != row.status {
			t.Errorf("%s: %v, want %d", name, resp, row.status)
		}
	}
	c, _, err := w.handshake("site_none", "Origin", "https://shop.example")
	if err != nil {
		t.Fatal(err)
	}
	if code := (&client{t, c}).closed(); code != api.ChatBadSite {
		t.Errorf("unknown site: %d", code)
	}
	if w.desk.visits != 0 {
		t.Errorf("%d visits", w.desk.visits)
	}
}

func TestSocketRefusesFrames(t *testing.T) {
	w := newWorld(t)
	long := `{"t":"msg","cid":"a","text":"` + strings.Repeat("x", 64<<10) + `"}`
	for name, row := range map[string]struct {
		kind   websocket.MessageType
		frames []string
		code   websocket.StatusCode
	}{
		"no hello":         {websocket.MessageText, []string{`{"t":"msg","cid":"a","text":"x"}`}, api.ChatBadFrame},
		"no JSON":          {websocket.MessageText, []string{hello, `{`}, api.ChatBadFrame},
		"empty":            {websocket.MessageText, []string{hello, ``}, api.ChatBadFrame},
		"an array":         {websocket.MessageText, []string{hello, `[]`}, api.ChatBadFrame},
		"unknown member":   {websocket.MessageText, []string{hello, `{"t":"typing","x":1}`}, api.ChatBadFrame},
		"miscased member":  {websocket.MessageText, []string{hello, `{"T":"typing"}`}, api.ChatBadFrame},
		"repeated member":  {websocket.MessageText, []string{hello, `{"t":"typing","t":"msg"}`}, api.ChatBadFrame},
		"more behind":      {websocket.MessageText, []string{hello, `{"t":"typing"}{}`}, api.ChatBadFrame},
		"deep":             {websocket.MessageText, []string{hello, `{"t":"page","page":` + strings.Repeat("[", 8000)}, api.ChatBadFrame},
		"binary":           {websocket.MessageBinary, []string{hello}, api.ChatBadFrame},
		"no UTF-8":         {websocket.MessageText, []string{hello, "{\"t\":\"msg\",\"cid\":\"a\",\"text\":\"\xff\"}"}, websocket.StatusInvalidFramePayloadData},
		"64 KiB":           {websocket.MessageText, []string{hello, long}, api.ChatTooBig},
		"64 KiB for hello": {websocket.MessageText, []string{long}, api.ChatTooBig},
	} {
		c := w.dial("https://shop.example")
		for _, f := range row.frames {
			if err := c.c.Write(t.Context(), row.kind, []byte(f)); err != nil {
				t.Fatal(name, err)
			}
		}
		if code := c.closed(); code != row.code {
			t.Errorf("%s: closed with %d, want %d", name, code, row.code)
		}
	}
	if texts := w.desk.texts(); len(texts) > 0 {
		t.Errorf("stored %d messages", len(texts))
	}
}

// The longest message fits into a frame however a client writes its JSON.
func TestLongestMessageFits(t *testing.T) {
	w := newWorld(t)
	c := w.dial("https://shop.example")
	for _, f := range []string{hello, `{"t":"msg","cid":"raw","text":"` + strings.Repeat("😀", 4000) + `"}`, `{"t":"msg","cid":"escaped","text":"` + strings.Repeat(`\ud83d\ude00`, 4000) + `"}`} {
		if err := c.c.Write(t.Context(), websocket.MessageText, []byte(f)); err != nil {
			t.Fatal(err)
		}
	}
	c.until("ack")
	c.until("ack")
	if texts := w.desk.texts(); len(texts) != 2 || texts[0] != texts[1] || len(texts[0]) != 16_000 {
		t.Errorf("%d messages were stored", len(texts))
	}
}

// What breaks the protocol below the frames ends with its own codes (abuse case
// W04).
func TestSocketBreaksOfProtocol(t *testing.T) {
	w := newWorld(t)
	for name, row := range map[string]struct {
		bytes string
		code  uint16
	}{
		"no mask":       {"\x81\x05hello", 1002},
		"reserved bits": {"\xf1\x80\x00\x00\x00\x00", 1002},
		"no UTF-8":      {"\x81\x81\x00\x00\x00\x00\xff", 1007},
		"long ping":     {"\x89\xfe\x00\x80\x00\x00\x00\x00" + strings.Repeat("x", 128), 1002},
	} {
		c, err := net.Dial("tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET /svc-api/widget/ws?site=%s HTTP/1.1\r\nHost: %s\r\nOrigin: https://shop.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", w.site, w.addr)
		var b [4096]byte
		n := 0
		for !strings.Contains(string(b[:n]), "\r\n\r\n") {
			m, err := c.Read(b[n:])
			if n += m; err != nil {
				t.Fatal(name, err)
			}
		}
		fmt.Fprint(c, row.bytes)
		// The peer's half of the goodbye, so that the daemon need not wait for it.
		fmt.Fprint(c, "\x88\x80\x00\x00\x00\x00")
		rest, _ := io.ReadAll(c)
		_, frame, _ := strings.Cut(string(b[:n])+string(rest), "\r\n\r\n")
		if len(frame) < 4 || frame[0] != 0x88 || binary.BigEndian.Uint16([]byte(frame[2:4])) != row.code {
			t.Errorf("%s: %q, want close %d", name, frame, row.code)
		}
		_ = c.Close()
	}
}

// A flood is answered with error frames, and then with the door.
func TestSocketFlood(t *testing.T) {
	w := newWorld(t)
	calm := w.dial("https://shop.example")
	calm.send(hello)
	calm.until("ready")
	c := w.dial("https://shop.example")
	c.send(hello)
	c.until("ready")
	go func() { // ends with the connection
		for i := 0; c.c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"t":"msg","cid":"%d","text":"flood"}`, i)) == nil; i++ {
		}
	}()
	if f := c.until("error"); f.Code != string(api.CodeRateLimited) || f.RetryIn != 1 || f.CID != "0" {
		t.Errorf("%+v", f)
	}
	if code := c.closed(); code != api.ChatSlowDown {
		t.Errorf("closed with %d", code)
	}
	calm.send(`{"t":"msg","cid":"a","text":"hi"}`)
	calm.until("ack")
}

func TestSocketIdle(t *testing.T) {
	w := newWorld(t, func(o *widget.Options) { o.Idle = time.Millisecond })
	c := w.dial("https://shop.example")
	c.send(hello)
	if code := c.closed(); code != api.ChatIdle {
		t.Errorf("closed with %d", code)
	}
}

func TestSocketIdentityRequired(t *testing.T) {
	w := newWorld(t)
	site := w.desk.sites[w.site]
	site.Identity = "required"
	w.desk.sites[w.site] = site
	c := w.dial("https://shop.example")
	c.send(hello)
	if f := c.next(); f.T != "error" || !f.Fatal || f.Code != string(api.CodeInvalidCredentials) {
		t.Errorf("%+v", f)
	}
	if code := c.closed(); code != api.ChatBadSite {
		t.Errorf("closed with %d", code)
	}
}

// After a fatal frame the connection ends, and a stopping daemon says that it
// comes back.
func TestSocketEnds(t *testing.T) {
	w := newWorld(t)
	c, other := w.dial("https://shop.example"), w.dial("https://shop.example")
	c.send(hello)
	c.until("ready")
	other.send(`{"t":"hello","visitor":"token-1","since":0,"lang":"en"}`)
	other.until("ready")
	w.desk.with(func(c *conversation) { c.tell(api.ChatOut{T: "error", Code: "too_slow", Fatal: true, RetryIn: 1}) })
	for _, one := range []*client{c, other} {
		one.until("error")
		if code := one.closed(); code != websocket.StatusServiceRestart {
			t.Errorf("closed with %d", code)
		}
	}
	w.awaitGone()
}

func (w *world) awaitGone() {
	w.t.Helper()
	for w.t.Context().Err() == nil {
		open := 0
		w.desk.with(func(c *conversation) { open += len(c.visits) })
		if open == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// No frame waits for the next one's wake-up, and none overtakes another, however
// the writer's end meets what comes.
func TestSocketLosesNoWakeUp(t *testing.T) {
	w := newWorld(t)
	c := w.dial("https://shop.example")
	c.send(hello)
	c.until("ready")
	const tellers, each, late = 4, 1000, 20 * time.Second
	n := 0
	var telling conc.WaitGroup
	for range tellers {
		telling.Go(func() {
			for range each {
				w.desk.with(func(c *conversation) {
					n++
					c.tell(api.ChatOut{T: "delta", N: n})
				})
				runtime.Gosched()
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), late)
	defer cancel()
	for want := 1; want <= tellers*each; want++ {
		var f api.ChatOut
		if err := wsjson.Read(ctx, c.c, &f); err != nil || f.N != want {
			t.Fatalf("frame %d where %d is next: %v", f.N, want, err)
		}
	}
	telling.Wait()
}

// A reader that never reads is cut off (abuse case W06), and its visit ends.
func TestSocketSlowReader(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes the ten seconds of a write")
	}
	t.Parallel()
	w := newWorld(t)
	c := w.dial("https://shop.example")
	c.send(hello)
	c.until("ready")
	big := strings.Repeat("never read ", 3000)
	begun := time.Now()
	for open := 1; open > 0; {
		open = 0
		w.desk.with(func(c *conversation) {
			if open += len(c.visits); open > 0 {
				c.tell(api.ChatOut{T: "msg", Text: big})
			}
		})
		time.Sleep(10 * time.Millisecond)
		if time.Since(begun) > 30*time.Second {
			t.Fatal("it is still connected")
		}
	}
}

func TestFallback(t *testing.T) {
	var wait atomic.Int64
	w := newWorld(t, func(o *widget.Options) {
		o.Pace = func(string) time.Duration { return time.Duration(wait.Load()) }
	})
	w.desk.script = shop
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+"/svc-api/widget/events?since=0&lang=en&site="+w.site, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://shop.example")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("Access-Control-Allow-Origin") != "https://shop.example" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", resp.Header)
	}
	events := json.NewDecoder(dataOnly(resp.Body))
	next := func() (f api.ChatOut) {
		t.Helper()
		if err := events.Decode(&f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	visitor := next().Visitor
	body := fmt.Sprintf(`{"visitor":%q,"since":0,"frame":{"t":"msg","cid":"a","text":"hi"}}`, visitor)
	answer, text := w.request(http.MethodPost, "/svc-api/widget/frames?site="+w.site, body, "Origin", "https://shop.example", "Content-Type", "text/plain;charset=UTF-8")
	if answer.StatusCode != 200 || !strings.Contains(text, `{"t":"ack"`) || answer.Header.Get("Access-Control-Allow-Origin") != "https://shop.example" {
		t.Errorf("%d %s %v", answer.StatusCode, text, answer.Header)
	}
	if f := next(); f.T != "msg" || f.CID != "a" {
		t.Errorf("the stream says %+v", f)
	}
	for next().T != "done" {
	}
	for name, row := range map[string]struct {
		body   string
		header []string
		status int
	}{
		"another origin": {body, []string{"Origin", "https://evil.example", "Content-Type", "text/plain"}, 403},
		"evil Host":      {body, []string{"Host", "evil.example", "Content-Type", "text/plain"}, 403},
		"a form":         {body, []string{"Origin", "https://shop.example", "Content-Type", "application/x-www-form-urlencoded"}, 415},
		"no frame":       {`{"visitor":"x"}`, []string{"Origin", "https://shop.example", "Content-Type", "text/plain"}, 400},
		"not JSON":       {`{`, []string{"Origin", "https://shop.example", "Content-Type", "text/plain"}, 400},
		"too long":       {strings.Repeat(" ", 105<<10), []string{"Origin", "https://shop.example", "Content-Type", "text/plain"}, 413},
	} {
		if resp, text := w.request(http.MethodPost, "/svc-api/widget/frames?site="+w.site, row.body, row.header...); resp.StatusCode != row.status {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
	}
	if resp, _ := w.request(http.MethodOptions, "/svc-api/widget/frames?site="+w.site, "", "Origin", "https://shop.example"); resp.StatusCode != 405 {
		t.Errorf("a preflight: %d", resp.StatusCode)
	}
	wait.Store(int64(1500 * time.Millisecond))
	for path, method := range map[string]string{"frames": http.MethodPost, "events": http.MethodGet} {
		resp, text := w.request(method, "/svc-api/widget/"+path+"?site="+w.site, body, "Content-Type", "text/plain")
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "2" {
			t.Errorf("%s of an address that asks too often: %d %s", path, resp.StatusCode, text)
		}
	}
	w.handler.Close() // the stream ends with the handler
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Error(err)
	}
}

// dataOnly leaves of server-sent events what they say.
func dataOnly(r io.Reader) io.Reader {
	pr, pw := io.Pipe()
	go func() { // ends with r
		var buf [64 << 10]byte
		for {
			n, err := r.Read(buf[:])
			_, _ = pw.Write([]byte(strings.NewReplacer("data: ", "", ":\n\n", "").Replace(string(buf[:n]))))
			if err != nil {
				_ = pw.CloseWithError(err)
				return
			}
		}
	}()
	return pr
}

func TestConfig(t *testing.T) {
	w := newWorld(t)
	site := w.desk.sites[w.site]
	site.Color = "#facc15"
	w.desk.sites[w.site] = site
	var c struct {
		Name, Greeting, Lang string
		Colors               []string
		Words                map[string]string
	}
	for query, want := range map[string]string{"": "en", "&lang=de-AT": "de", "&lang=xx": "en", "&lang=de&locale=fr": "fr", "&lang=pt_BR": "pt"} {
		resp, text := w.get("/svc-api/widget/config?site="+w.site+query, "Origin", "https://shop.example")
		if err := json.Unmarshal([]byte(text), &c); err != nil || resp.StatusCode != 200 || c.Lang != want || c.Words["send"] == "" || c.Name != "Northwind" ||
			resp.Header.Get("Vary") != "Origin" || resp.Header.Get("Access-Control-Allow-Origin") != "https://shop.example" {
			t.Errorf("%q: %d %+v %v", query, resp.StatusCode, c, err)
		}
	}
	if len(c.Colors) != 4 || c.Colors[0] != "#facc15" || c.Colors[1] != "#000000" {
		t.Errorf("colours %v", c.Colors)
	}
	if resp, _ := w.get("/svc-api/widget/config?site="+w.site, "Origin", "https://evil.example"); resp.StatusCode != 403 || resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %d %v", resp.StatusCode, resp.Header)
	}
	if resp, _ := w.get("/svc-api/widget/config?site=site_none", "Origin", "https://shop.example"); resp.StatusCode != 404 {
		t.Errorf("unknown site: %d", resp.StatusCode)
	}
	if resp, _ := w.get("/svc-api/widget/none?site=" + w.site); resp.StatusCode != 404 {
		t.Errorf("unknown route: %d", resp.StatusCode)
	}
}
