package daemon_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon"
)

// TestAcceptContent has every answer with content show it by one rule: as it
// was sent when it is inert or the source is asked for, sanitised otherwise.
func TestAcceptContent(t *testing.T) {
	in := start(t)
	const sent, shown = `<p>Hi<script>alert(1)</script></p>`, `<p>Hi</p>`
	call := func(method, path, body string) map[string]any {
		t.Helper()
		return in.send(t, method, v1+path, in.A.Key, body).JSON(t)
	}
	create := func(content string) map[string]any {
		return call("POST", "/posts", `{"title":"a","content":`+string(encode(t, content))+`}`)
	}
	made := create(sent)
	id := made["id"].(string)
	want := func(what string, got any, content string) {
		t.Helper()
		if got != content {
			t.Errorf("%s shows %q, want %q", what, got, content)
		}
	}
	want("create", made["content"], shown)
	want("get", call("GET", "/posts/"+id, "")["content"], shown)
	want("get source", call("GET", "/posts/"+id+"?include=source", "")["content"], sent)
	want("by slug", call("GET", "/posts/by-slug/a", "")["content"], shown)
	want("list", call("GET", "/posts?include=content", "")["data"].([]any)[0].(map[string]any)["content"], shown)
	want("patch of another member", call("PATCH", "/posts/"+id, `{"title":"b"}`)["content"], shown)
	want("patch of nothing", call("PATCH", "/posts/"+id, `{}`)["content"], shown)
	want("publish", call("POST", "/posts/"+id+"/publish", "")["content"], shown)
	want("patch to inert", call("PATCH", "/posts/"+id, `{"content":"<p>x &amp; y</p>"}`)["content"], "<p>x &amp; y</p>")
	want("patch to active", call("PATCH", "/posts/"+id, `{"content":`+string(encode(t, sent+"!"))+`}`)["content"], shown+"!")
	want("restore", call("POST", "/posts/"+id+"/revisions/1/restore", "")["content"], shown)
	want("restore keeps the source", call("GET", "/posts/"+id+"?include=source", "")["content"], sent)
	batch := call("POST", "/posts/batch", `{"items":[{"op":"create","create":{"title":"c","content":`+string(encode(t, sent))+`}},{"op":"archive","id":"`+id+`"}]}`)
	for i, r := range batch["results"].([]any) {
		want(fmt.Sprint("batch item ", i), r.(map[string]any)["post"].(map[string]any)["content"], shown)
	}
	want("inert create", create(`<p class="x" data-y="1">z</p>`)["content"], `<p class="x" data-y="1">z</p>`)
}

var milliseconds = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// TestAcceptPost goes through a post's life: location, times, versions, merge
// patches with nulls, transitions there and back, deletion.
func TestAcceptPost(t *testing.T) {
	in := start(t)
	a := in.send(t, "POST", v1+"/posts", in.A.Key, `{"title":"A","content":"c","description":"d","tags":["x"],"locale":"en","metadata":{"k":"v"}}`)
	p := a.JSON(t)
	id := p["id"].(string)
	if a.StatusCode != 201 || a.Header.Get("Location") != v1+"/posts/"+id || a.Header.Get("ETag") != `"1"` || p["status"] != "DRAFT" || p["version"] != 1.0 {
		t.Fatalf("%s %v %s", a.Status, a.Header, a.Body)
	}
	if at := p["createdAt"].(string); !milliseconds.MatchString(at) || p["publishedAt"] != nil {
		t.Errorf("createdAt %s, publishedAt %v", at, p["publishedAt"])
	}
	p = in.send(t, "PATCH", v1+"/posts/"+id, in.A.Key, `{"description":null,"tags":null,"locale":null,"metadata":null,"content":null}`,
		"Content-Type", "application/merge-patch+json", "If-Match", `"1"`).JSON(t)
	if p["description"] != "" || len(p["tags"].([]any)) != 0 || p["locale"] != nil || p["metadata"] != nil || p["content"] != nil || p["version"] != 2.0 {
		t.Errorf("nulls: %v", p)
	}
	for _, step := range []struct {
		verb, want string
		status     int
	}{
		{"publish", "PUBLISHED", 200}, {"unarchive", "PUBLISHED>DRAFT", 409}, {"archive", "ARCHIVED", 200}, {"unpublish", "ARCHIVED>DRAFT", 409},
		{"unarchive", "DRAFT", 200}, {"publish", "PUBLISHED", 200}, {"publish", "PUBLISHED", 200}, {"unpublish", "DRAFT", 200}, {"archive", "ARCHIVED", 200},
	} {
		a := in.send(t, "POST", v1+"/posts/"+id+"/"+step.verb, in.A.Key, "")
		p := a.JSON(t)
		got := fmt.Sprint(p["status"])
		if a.StatusCode == 409 {
			got = fmt.Sprint(p["from"], ">", p["to"])
		}
		if a.StatusCode != step.status || got != step.want {
			t.Errorf("%s: %s %s", step.verb, a.Status, a.Body)
		}
	}
	for _, want := range []int{200, 404} {
		if a := in.send(t, "DELETE", v1+"/posts/"+id, in.A.Key, ""); a.StatusCode != want {
			t.Errorf("delete: %s, want %d", a.Status, want)
		}
	}
}

// TestAcceptPages walks a list while posts are added: each of the first ones
// comes once, and a cursor serves no other list.
func TestAcceptPages(t *testing.T) {
	in := start(t)
	for i := range 5 {
		in.post(t, in.A.Key, fmt.Sprintf(`{"title":"P%d","content":"c","tags":["walk"]}`, i))
	}
	page := func(query string) map[string]any {
		return in.send(t, "GET", v1+"/posts?tag=walk&limit=2"+query, in.A.Key, "").JSON(t)
	}
	for order, want := range map[string]string{"": "P4 P3 P2 P1 P0", "&order=asc": "P0 P1 P2 P3 P4 new"} {
		var titles []string
		cursor, more := "", true
		for more {
			p := page(order + cursor)
			for _, post := range p["data"].([]any) {
				titles = append(titles, post.(map[string]any)["title"].(string))
			}
			if cursor == "" && order == "" {
				in.post(t, in.A.Key, `{"title":"new","content":"c","tags":["walk"]}`)
			}
			if more = p["hasMore"].(bool); more {
				cursor = "&cursor=" + p["nextCursor"].(string)
			}
		}
		if cursor == "" {
			t.Fatal("no second page")
		}
		if order == "" && !slices.Equal(titles, strings.Fields(want)) {
			t.Errorf("newest first: %v", titles)
		}
		if order != "" && !strings.HasPrefix(strings.Join(titles, " "), "P0 P1 P2 P3 P4") {
			t.Errorf("oldest first: %v", titles)
		}
		for _, other := range []string{"&order=desc&status=DRAFT", "&q=x"} {
			if got := page(other + cursor)["code"]; got != "invalid_cursor" {
				t.Errorf("cursor of %q for %q: %v", order, other, got)
			}
		}
	}
}

// TestAcceptSchedule has a draft become public by itself.
func TestAcceptSchedule(t *testing.T) {
	in := start(t)
	due := time.Now().Add(2 * time.Second)
	at := due.UTC().Format(time.RFC3339Nano)
	id := in.post(t, in.A.Key, `{"title":"Later","content":"<p>x</p>","publishAt":"`+at+`"}`)
	if a := in.send(t, "GET", "/team-a/later", "", ""); a.StatusCode != 404 && time.Now().Before(due) {
		t.Fatalf("public before its time: %s", a.Status)
	}
	deadline := time.Now().Add(10 * time.Second)
	for in.send(t, "GET", "/team-a/later", "", "").StatusCode != 200 {
		if time.Now().After(deadline) {
			t.Fatalf("still not public: %s", in.send(t, "GET", v1+"/posts/"+id, in.A.Key, "").Body)
		}
		time.Sleep(20 * time.Millisecond)
	}
	p := in.send(t, "GET", v1+"/posts/"+id, in.A.Key, "").JSON(t)
	if p["status"] != "PUBLISHED" || p["publishAt"] != nil || p["publishedAt"].(string) < at[:19] {
		t.Errorf("%v", p)
	}
	if types := in.eventTypes(t); !slices.Contains(types, "post.scheduled") || !slices.Contains(types, "post.published") {
		t.Errorf("%v", types)
	}
}

func (in *instance) eventTypes(t *testing.T) (types []string) {
	for _, e := range in.send(t, "GET", v1+"/events?limit=100", in.A.Key, "").JSON(t)["data"].([]any) {
		types = append(types, e.(map[string]any)["type"].(string))
	}
	return types
}

// TestAcceptJob follows generation jobs with a vendor that answers when told:
// the start's answer, the shell that nobody sees, cancel, retry, and the stream.
func TestAcceptJob(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the request is noticed
		select {
		case asked <- struct{}{}:
		case <-release:
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		http.Error(w, `{"error":{"message":"no","type":"invalid_request_error"}}`, http.StatusBadRequest)
	}))
	defer vendor.Close()
	in := start(t, func(c *daemon.Config) { c.OpenAIBaseURL, c.OpenAIKey = vendor.URL, "sk-test" })
	a := in.send(t, "POST", v1+"/posts", in.A.Key, `{"title":"Slow","generateContent":true,"model":"gpt-6-luna","status":"PUBLISHED"}`)
	started := a.JSON(t)
	job, post := started["jobId"].(string), started["postId"].(string)
	if a.StatusCode != 202 || a.Header.Get("Retry-After") != "1" || a.Header.Get("Location") != v1+"/posts/jobs/"+job ||
		len(started) != 4 || started["id"] != job || started["state"] != "queued" {
		t.Fatalf("%s %v %s", a.Status, a.Header, a.Body)
	}
	<-asked
	if p := in.send(t, "GET", v1+"/posts/"+post, in.A.Key, "").JSON(t); p["status"] != "PUBLISHED" || p["publishedAt"] != nil || p["generation"].(map[string]any)["jobId"] != job {
		t.Errorf("shell: %v", p)
	}
	if p := in.send(t, "GET", "/team-a/slow", "", ""); p.StatusCode != 404 {
		t.Errorf("the shell is public: %s", p.Status)
	}
	if slices.Contains(in.eventTypes(t), "post.published") {
		t.Error("announced before it was written")
	}
	if w := in.send(t, "GET", v1+"/posts/jobs/"+job+"?wait=1", in.A.Key, "").JSON(t); w["state"] != "running" {
		t.Errorf("after waiting: %v", w["state"])
	}
	in.transition(t, job, "retry", 409, "running>queued")
	in.transition(t, job, "cancel", 200, "canceled")
	in.transition(t, job, "cancel", 200, "canceled")
	in.transition(t, job, "retry", 200, "queued")
	<-asked
	in.transition(t, job, "cancel", 200, "canceled")
	in.post(t, in.A.Key, `{"title":"Shown","content":"<p>x</p>","status":"PUBLISHED","generateDescription":true,"model":"gpt-6-luna"}`)
	<-asked
	for _, path := range []string{"/team-a/shown", "/team-a/"} {
		if a := in.send(t, "GET", path, "", ""); a.StatusCode != 200 || !strings.Contains(string(a.Body), "Shown") {
			t.Errorf("%s while its description is written: %s", path, a.Status)
		}
	}
	close(release)
	failed := in.send(t, "POST", v1+"/posts", in.A.Key, `{"title":"Bad","generateContent":true,"model":"gpt-6-luna"}`).JSON(t)["jobId"].(string)
	done := in.send(t, "GET", v1+"/posts/jobs/"+failed+"?wait=30", in.A.Key, "").JSON(t)
	if e, ok := done["error"].(map[string]any); done["state"] != "failed" || !ok || e["code"] == "" || e["message"] == "" {
		t.Errorf("%v", done)
	}
	in.transition(t, failed, "cancel", 409, "failed>canceled")
	in.transition(t, failed, "retry", 200, "queued")
}

func (in *instance) transition(t *testing.T, job, verb string, status int, want string) {
	t.Helper()
	a := in.send(t, "POST", v1+"/posts/jobs/"+job+"/"+verb, in.A.Key, "")
	v := a.JSON(t)
	got := fmt.Sprint(v["state"])
	if a.StatusCode == 409 {
		got = fmt.Sprint(v["from"], ">", v["to"])
	}
	if a.StatusCode != status || got != want {
		t.Errorf("%s: %s %s", verb, a.Status, a.Body)
	}
}

// TestAcceptOffline generates without a vendor: labelled everywhere, and the
// stream has the framing of server-sent events and ends with the job.
func TestAcceptOffline(t *testing.T) {
	in := start(t)
	started := in.send(t, "POST", v1+"/posts", in.A.Key, `{"title":"Harbour tours","generateContent":true,"generateDescription":true,"generateTags":true,"generateImage":true,"status":"PUBLISHED"}`).JSON(t)
	stream := in.send(t, "GET", v1+"/posts/jobs/"+started["jobId"].(string)+"/events", in.A.Key, "")
	if got := stream.Header.Get("Content-Type"); got != "text/event-stream" || !strings.HasSuffix(string(stream.Body), "\n\n") {
		t.Errorf("%s %q", got, stream.Body)
	}
	last := ""
	for lines := bufio.NewScanner(strings.NewReader(string(stream.Body))); lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "", "event":
		case "data":
			last = value
		default:
			t.Errorf("line %q", lines.Text())
		}
	}
	if !strings.Contains(last, `"state":"completed"`) || !strings.Contains(last, `"provider":"offline"`) || !strings.Contains(last, `"progress":100`) {
		t.Errorf("last event %s", last)
	}
	p := in.send(t, "GET", v1+"/posts/"+started["postId"].(string), in.A.Key, "").JSON(t)
	if from := p["provenance"].(map[string]any); from["offline"] != true || p["generation"].(map[string]any)["state"] != "completed" || p["publishedAt"] != nil || p["held"] != "unfinished" {
		t.Errorf("%v", p)
	}
	picture := p["featuredImage"].(map[string]any)
	if got := in.send(t, "GET", picture["url"].(string), "", ""); got.StatusCode != 200 || got.Header.Get("Content-Type") != "image/png" {
		t.Errorf("cover: %s", got.Status)
	}
	if got := in.send(t, "GET", "/team-a/harbour-tours", "", ""); got.StatusCode != 404 {
		t.Errorf("an outline with places to complete is public: %s", got.Status)
	}
	if got := in.send(t, "PATCH", v1+"/posts/"+started["postId"].(string), in.A.Key, `{"content":"<p>Three tours a day.</p>"}`); got.JSON(t)["publishedAt"] == nil {
		t.Errorf("%s", got.Body)
	}
	if got := in.send(t, "GET", "/team-a/harbour-tours", "", ""); got.StatusCode != 200 {
		t.Errorf("public page: %s", got.Status)
	}
}

// TestAcceptOldAddresses follows links to texts that moved or were taken down.
func TestAcceptOldAddresses(t *testing.T) {
	in := start(t)
	for _, kind := range []struct{ path, page string }{{"/posts", "/team-a/"}, {"/helpdesk/articles", "/team-a/help/"}} {
		made := in.send(t, "POST", v1+kind.path, in.A.Key, `{"title":"Tours","content":"<p>x</p>","slug":"tours","status":"PUBLISHED"}`).JSON(t)
		at := v1 + kind.path + "/" + made["id"].(string)
		in.send(t, "PATCH", at, in.A.Key, `{"slug":"boat-tours"}`)
		expect := func(slug string, status int, moved string) {
			t.Helper()
			got := in.send(t, "GET", kind.page+slug, "", "") // which follows redirects
			first, to := got.StatusCode, ""
			if from := got.Request.Response; from != nil {
				first, to = from.StatusCode, from.Header.Get("Location")
			}
			if first != status || to != moved {
				t.Errorf("%s%s: %d, to %q", kind.page, slug, first, to)
			}
		}
		expect("tours", 301, kind.page+"boat-tours")
		expect("boat-tours", 200, "")
		in.send(t, "POST", at+"/unpublish", in.A.Key, "")
		expect("tours", 404, "")
		expect("boat-tours", 404, "")
		in.send(t, "POST", at+"/archive", in.A.Key, "")
		expect("tours", 410, "")
		expect("boat-tours", 410, "")
		in.send(t, "DELETE", at, in.A.Key, "")
		expect("boat-tours", 410, "")
		expect("never", 404, "")
	}
}
