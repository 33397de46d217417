package daemon_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/sdk/api"
)

// clipped is the beginning of s in at most n characters.
func clipped(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

const (
	sampled   = 8   // each so many-th attack has a page of its own: all would take minutes
	perTopic  = 50  // articles of a category
	maxTopics = 200 // that the help pages show
)

// TestHelpCorpus stores each attack as title, excerpt and content of an article,
// and some as names of categories, and opens the help pages in Chromium, without
// the protection of their content policy.
func TestHelpCorpus(t *testing.T) {
	corpus := xsstest.Corpus(t)
	in := start(t)
	topics := make([]string, 0, maxTopics)
	for i := 0; len(topics) < maxTopics-1 && i < len(corpus); i += 5 {
		a := in.send(t, "POST", "/svc-api/v1/helpdesk/categories", in.A.Key, string(encode(t, map[string]any{"name": clipped(corpus[i], 100), "slug": fmt.Sprint("topic-", i)})))
		if id, ok := a.JSON(t)["id"].(string); ok {
			topics = append(topics, id)
		}
	}
	in.article(t, in.A.Key, "Calm", "<p>x</p>")
	articles, fields := 0, len(topics)
	for i, attack := range corpus {
		body := map[string]any{"slug": fmt.Sprint("a", i), "status": "PUBLISHED", "title": clipped(attack, 300), "excerpt": clipped(attack, 500),
			"content": attack, "categoryId": topics[i%len(topics)]}
		a := in.send(t, "POST", "/svc-api/v1/helpdesk/articles", in.A.Key, string(encode(t, body)))
		if a.StatusCode != http.StatusCreated { // such as a title of spaces
			continue
		}
		articles++
		fields += 3
		_, shown, _ := strings.Cut(string(in.send(t, "GET", fmt.Sprint("/team-a/help/a", i), "", "").Body), `<article class="post guide"`)
		shown, rest, _ := strings.Cut(shown, `<aside class="helpful"`)
		if active := xsstest.Active(t, "<article"+shown); len(active) > 0 || rest == "" {
			t.Errorf("%q is active: %q", attack, active)
		}
	}
	if articles < len(corpus)*9/10 || len(topics) < 150 {
		t.Fatalf("only %d articles and %d categories were made", articles, len(topics))
	}
	help := in.URL + "/team-a/help"
	calm := help + "/calm"
	pages := []string{calm, help, help + "?q=nothing+like+it"}
	for i := range corpus {
		if i%5 == 0 {
			pages = append(pages, fmt.Sprint(help, "/category/topic-", i))
		}
		if i%sampled == 0 {
			pages = append(pages, fmt.Sprint(help, "/a", i), help+"?q="+url.QueryEscape(clipped(corpus[i], 300)))
		}
	}
	got := xsstest.Open(t, xsstest.Browser(t), help, pages, time.Minute)
	own := actsOf(got, pages[:3])
	for _, act := range got.Active {
		if _, what, _ := strings.Cut(act, " "); !slices.Contains(own, what) {
			t.Errorf("active: %s", act)
		}
	}
	if len(got.Fired) > 0 || got.Loaded < len(pages)*9/10 {
		t.Errorf("%d of %d loaded, fired %q", got.Loaded, len(pages), got.Fired)
	}
	t.Logf("%d attacks in %d fields, %d pages in Chromium", len(corpus), fields, got.Loaded)
}

// actsOf is what the pages without an attack have of their own: the search, the
// question whether it helped.
func actsOf(r xsstest.Result, pages []string) (own []string) {
	for _, act := range r.Active {
		if address, what, _ := strings.Cut(act, " "); slices.Contains(pages, address) {
			own = append(own, what)
		}
	}
	return own
}

// TestCorpusBites opens attacks as they are: the check finds them.
func TestCorpusBites(t *testing.T) {
	corpus := xsstest.Corpus(t)
	raw := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &i)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html><body><main>%s</main></body></html>", corpus[i])
	}))
	defer raw.Close()
	var pages []string
	for i := 1; i < len(corpus); i += sampled * 4 {
		pages = append(pages, fmt.Sprint(raw.URL, "/", i))
	}
	got := xsstest.Open(t, xsstest.Browser(t), raw.URL+"/0", pages, 5*time.Second)
	if len(got.Active) < len(pages)/4 || len(got.Fired) == 0 {
		t.Errorf("of %d pages that are attacks, %d are active and %d fired", len(pages), len(got.Active), len(got.Fired))
	}
	t.Logf("%d pages, %d active, %d fired", len(pages), len(got.Active), len(got.Fired))
}

// TestWidgetCorpus sends each attack through the whole daemon to a visitor: as a
// member's reply, and some as the visitor's own message, the site's name and
// greeting and the agent's name.
func TestWidgetCorpus(t *testing.T) {
	corpus := xsstest.Corpus(t)
	in := start(t)
	session := in.session(t, in.A)
	agent := firstID(in.procedure(t, "agents.list", session, `{}`).JSON(t))
	b := &tab{t, xsstest.Browser(t)}
	demo := in.URL + "/widget/demo?site=" + in.A.SiteID
	const hooks = `window.fired = []; for (const n of ['alert', 'confirm', 'prompt', 'print']) window[n] = () => fired.push(n)`
	if err := chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hooks})
		return err
	})); err != nil {
		t.Fatal(err)
	}
	b.visit(demo)
	eval[bool](b, `($('.launcher').click(), true)`)
	b.until(`root.activeElement === $('textarea')`)
	b.say("A person, please")
	conv := firstID(in.until(t, in.A.Key, "/conversations?state=open", has))
	reply := func(text string) bool {
		a := in.send(t, "POST", "/svc-api/v1/conversations/"+conv+"/reply", in.A.Key, string(encode(t, map[string]any{"text": text})))
		return a.StatusCode < 300
	}
	inert := func(what string) {
		t.Helper()
		active := eval[[]string](b, `[...root.querySelectorAll('.panel *')].filter(e => /^(script|iframe|object|embed|img|style|base|meta|math|video|audio|template)$/i.test(e.localName)
			|| [...e.attributes].some(a => /^on|^srcdoc$/.test(a.name)) || e.localName === 'a' && !/^https?:$/.test(e.protocol)).map(e => e.outerHTML.slice(0, 200))`)
		if fired := eval[[]string](b, `window.fired`); len(active) > 0 || len(fired) > 0 {
			t.Errorf("%s: fired %q, active %.3q", what, fired, active)
		}
	}
	sent, shown := 0, 0
	for some := range slices.Chunk(corpus, 90) { // a page begins with the latest 100
		n := 0
		for _, attack := range some {
			if reply(clipped(attack, 4000)) {
				n++
			}
		}
		reply("the end")
		b.visit(demo)
		b.until(`$$('.msg .text').some(e => e.innerText.trim() === 'the end' && e.closest('.msg') === $$('.msg').at(-1))`)
		inert("replies")
		sent, shown = sent+n, shown+min(n, eval[int](b, `$$('.msg').length`))
	}
	if shown < sent || sent < len(corpus)*9/10 {
		t.Errorf("%d of %d replies are shown", shown, sent)
	}
	names := 0
	for i := 0; i < len(corpus); i += 50 {
		attack := clipped(strings.TrimSpace(corpus[i]), 120)
		a := in.procedure(t, "sites.update", session, string(encode(t, map[string]any{"id": in.A.SiteID, "name": attack, "greeting": clipped(corpus[i], 500)})))
		c := in.procedure(t, "agents.update", session, string(encode(t, map[string]any{"id": agent, "name": attack})))
		if a.StatusCode != 200 || c.StatusCode != 200 {
			continue
		}
		names++
		v := &visitor{in: in, site: in.A.SiteID}
		for _, f := range v.post(t, api.ChatIn{T: "typing"}) {
			if f.T == "ready" && f.Agent.Name != attack {
				t.Errorf("%q is %q in the widget", attack, f.Agent.Name)
			}
		}
		b.visit(demo)
		b.until(`$('.panel') && !$('.panel').hidden && $('.name').innerText.trim() !== ''`)
		inert("names")
	}
	if names < 10 {
		t.Errorf("only %d names were tried", names)
	}
	t.Logf("%d replies, %d names and greetings", sent, names)
}
